//! Goes through all that is known of a thread: its pages in order, then what has no record yet.

use super::pages::{EventPage, ThreadPages};
use super::tail::Tail;
use super::walk::{Visitor, Walk};
use crate::error::Damage;
use crate::progress::Entries;

/// A way through a thread that can be gone in steps.
pub struct ThreadWalk<'a> {
    pages: std::vec::IntoIter<EventPage<'a>>,
    /// The page that is being read.
    walk: Option<Walk<'a>>,
    tail: Option<Tail>,
    /// The place that the next page has among those of its thread, if none is missing.
    next: u32,
    /// Records are missing before the next page.
    is_torn: bool,
}

impl<'a> ThreadWalk<'a> {
    /// From the thread's first record on.
    pub fn new(thread: &ThreadPages<'a>) -> ThreadWalk<'a> {
        ThreadWalk { tail: Some(thread.tail.clone()), ..ThreadWalk::of_records(thread) }
    }

    /// The same without what has no record.
    pub fn of_records(thread: &ThreadPages<'a>) -> ThreadWalk<'a> {
        ThreadWalk { pages: thread.pages.clone().into_iter(), walk: None, tail: None, next: 0, is_torn: false }
    }

    /// Shows the next so many records of a page to the visitor, in order. Whether there may be more.
    ///
    /// Fails at a word that is no record; the next step goes on with the page behind.
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

    /// Begins the next page, or shows what has no record.
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

impl Tail {
    /// Shows it as records would tell of it.
    pub fn show(&self, visitor: &mut impl Visitor) {
        let [of_polls, of_call] = self.shares();
        let mut productive = self.productive.as_slice();
        if let Some(polls) = &self.polls {
            visitor.polls(polls);
            tell(visitor, of_polls);
            let (during, later) = productive.split_at(productive.partition_point(|run| run.start < polls.end));
            for run in during {
                visitor.productive(run);
            }
            productive = later;
        }
        if let Some(run) = &self.outside {
            visitor.outside(run);
        }
        for call in &self.calls {
            visitor.open(call);
        }
        tell(visitor, of_call);
        for run in productive {
            visitor.productive(run);
        }
    }
}

fn tell(visitor: &mut impl Visitor, during: Entries) {
    if during.entries > 0 {
        visitor.engine(during);
    }
}

/// Shows all that is known of a thread to the visitor. Records that are no such are said when the calls are added up.
pub fn walk_thread(thread: &ThreadPages<'_>, visitor: &mut impl Visitor) {
    let mut walk = ThreadWalk::new(thread);
    while walk.step(visitor, usize::MAX).unwrap_or(true) {}
}
