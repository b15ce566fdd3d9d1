//! Reads everything known of a thread: its pages in order, then the state without records.

use super::pages::{EventPage, ThreadPages};
use super::tail::Tail;
use super::walk::{Visitor, Walk};
use crate::error::Damage;
use crate::file::ThreadBlock;
use crate::live::see_published;
use crate::progress::{Entries, Polls};
use crate::teams::Teams;

/// A reader of a thread that can go in steps.
pub struct ThreadWalk<'a> {
    pages: std::vec::IntoIter<EventPage<'a>>,
    walk: Option<Walk<'a>>,
    tail: Option<Tail>,
    /// The sequence number of the next page, if none is missing.
    next: u32,
    /// True if records are missing before the next page.
    is_torn: bool,
}

impl<'a> ThreadWalk<'a> {
    /// Reads from the thread's first record on.
    pub fn new(thread: &ThreadPages<'a>) -> ThreadWalk<'a> {
        ThreadWalk { tail: Some(thread.tail.clone()), ..ThreadWalk::of_records(thread) }
    }

    /// Reads the records only.
    pub fn of_records(thread: &ThreadPages<'a>) -> ThreadWalk<'a> {
        ThreadWalk { pages: thread.pages.clone().into_iter(), walk: None, tail: None, next: 0, is_torn: false }
    }

    /// Shows up to `records` records of a page to the visitor, in order. Returns true if there may be more.
    ///
    /// Fails at a word that is no record; the next step continues with the next page.
    #[inline]
    pub fn step(&mut self, visitor: &mut impl Visitor, records: usize) -> Result<bool, Damage> {
        let Some(walk) = &mut self.walk else { return Ok(self.turn(visitor)) };
        match walk.step(visitor, records) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(damage) => {
                (self.walk, self.is_torn) = (None, true);
                return Err(damage);
            }
        }
        self.walk = None;
        Ok(true)
    }

    /// Begins the next page, or shows the state without records.
    #[cold]
    fn turn(&mut self, visitor: &mut impl Visitor) -> bool {
        if let Some(page) = self.pages.next() {
            if self.is_torn || page.sequence != self.next {
                visitor.torn(Some(page.requests));
            }
            (self.next, self.is_torn) = (page.sequence.wrapping_add(1), false);
            self.walk = Some(Walk::new(&page));
            return true;
        }
        if std::mem::take(&mut self.is_torn) {
            visitor.torn(None);
        }
        if let Some(tail) = self.tail.take() {
            tail.show(visitor);
        }
        false
    }
}

/// Attempts to copy a block while no record is written. Two are mostly enough: a copy takes as long as a call or a few.
const TRIES: usize = 1000;

impl ThreadPages<'_> {
    /// The block as it was when these records were all: shows the visitor the records of the thread's last page that were
    /// written meanwhile. Without a walk no page of records is read.
    pub fn block_behind(
        &self,
        walk: Option<&mut Walk<'_>>,
        visitor: &mut impl Visitor,
    ) -> Result<Option<ThreadBlock>, Damage> {
        let Some(live) = self.block else { return Ok(None) };
        let Some(walk) = walk else { return Ok(Some(live.copy())) };
        for _ in 0..TRIES {
            let (block, read) = (live.copy(), walk.words());
            see_published();
            walk.step(visitor, usize::MAX)?;
            if walk.words() == read {
                return Ok(Some(block));
            }
        }
        // The records go on behind the block: what it says has ended.
        Ok(Some(ThreadBlock { depth: 0, polls: Polls::default(), teams: Teams::default(), ..live.copy() }))
    }
}

impl Tail {
    /// Shows the state as if it were recorded.
    pub fn show(&self, visitor: &mut impl Visitor) {
        let [during_polls, during_call] = self.shares();
        let mut productive = self.productive.as_slice();
        if let Some(polls) = &self.polls {
            visitor.polls(polls);
            show_entries(visitor, during_polls);
            let (during, later) = productive.split_at(productive.partition_point(|run| run.start < polls.end));
            for run in during {
                visitor.productive(run);
            }
            productive = later;
        }
        if let Some(teams) = &self.teams {
            visitor.teams(teams);
        }
        if let Some(run) = &self.outside {
            visitor.outside(run);
        }
        for call in &self.calls {
            visitor.open(call);
        }
        show_entries(visitor, during_call);
        for run in productive {
            visitor.productive(run);
        }
    }
}

fn show_entries(visitor: &mut impl Visitor, during: Entries) {
    if during.entries > 0 {
        visitor.engine(during);
    }
}

/// Shows everything known of a thread to the visitor. Damage is passed over here: it is reported when calls are added
/// up.
pub fn walk_thread(thread: &ThreadPages<'_>, visitor: &mut impl Visitor) {
    let mut walk = ThreadWalk::new(thread);
    while walk.step(visitor, usize::MAX).unwrap_or(true) {}
}
