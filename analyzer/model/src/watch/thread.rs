//! Follows one thread of a file: its pages, and how far they were read.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use traces::file::ThreadBlock;
use traces::live::LiveBlock;
use traces::progress::Polls;
use traces::read::{Follower, FoundPage, Place, Visitor, Walk, in_flight, open_polls};
use traces::signature::{NESTED, Signature};

use super::account::{KnownCall, RankAccount, Reader, ThreadAccount, meaning};
use crate::sums::Total;

/// A thread of a file that is followed.
#[derive(Default)]
pub struct WatchedThread {
    block: Option<FoundPage>,
    /// Pages of signatures, with the number known from each.
    signatures: Vec<(FoundPage, usize)>,
    known: FxHashMap<u32, KnownCall>,
    /// Pages of records, from the one being read.
    pages: VecDeque<FoundPage>,
    /// Position in that page; `None` before it is begun.
    place: Option<Place>,
    /// Records after those that were read were lost.
    is_torn: bool,
    profile: Vec<FoundPage>,
    /// The latest page that sums up dropped records.
    dropped: Option<FoundPage>,
    /// Records were read.
    has_begun: bool,
    account: ThreadAccount,
}

pub struct ThreadMoment {
    /// Outermost open call, with its begin in ticks.
    pub inside: Option<(u64, Signature)>,
    /// End of the last call, with the call.
    pub ended: Option<(u64, Option<Signature>)>,
    /// Poll that the thread repeats without success, with its begin in ticks.
    pub asks: Option<(Signature, u64)>,
    pub ticks: u64,
    /// Bytes sent, as far as only its profile counts them.
    pub sent: u64,
    /// The last tick known of the thread.
    pub newest: u64,
}

impl ThreadMoment {
    pub fn has_called(&self) -> bool {
        self.inside.is_some() || self.ended.is_some() || self.ticks > 0
    }
}

/// Ignores records, so that a walk only counts them.
struct Nobody;

impl Visitor for Nobody {
    fn call(&mut self, _: u32, _: u64, _: u64) {}
}

impl WatchedThread {
    pub fn new(number: u32) -> WatchedThread {
        WatchedThread { account: ThreadAccount::new(number), ..WatchedThread::default() }
    }

    pub fn add(&mut self, page: FoundPage) {
        use traces::file::PageKind::{Definitions, Dropped, Events, Free, Profile, Signatures, Thread};
        match page.kind {
            Thread => self.block = Some(page),
            Signatures => self.signatures.push((page, 0)),
            Events => self.pages.push_back(page),
            Profile => self.profile.push(page),
            Dropped => self.dropped = Some(page),
            Definitions | Free => {}
        }
    }

    /// Number of pages of records to read, and number of records in the last one so far.
    pub fn written(&self, file: &Follower) -> (usize, u64) {
        let mut room = Vec::new();
        let Some(page) = self.pages.back().and_then(|page| file.events(page, &mut room)) else { return (0, 0) };
        let mut walk = match self.place.filter(|_| self.pages.len() == 1) {
            Some(place) => Walk::at(&page, place),
            None => Walk::new(&page),
        };
        // Damage ends a page.
        let _ = walk.step(&mut Nobody, usize::MAX);
        (self.pages.len(), walk.place().seen)
    }

    pub fn learn(&mut self, file: &Follower) {
        for (page, count) in &mut self.signatures {
            for signature in file.signatures(page, *count) {
                self.known.insert(signature.number, KnownCall::of(signature));
                *count += 1;
            }
        }
        // Only the last page grows.
        let last = self.signatures.len().saturating_sub(1);
        self.signatures.drain(..last);
    }

    /// Reads records up to the position from [`written`](Self::written).
    pub fn read(&mut self, file: &Follower, (pages, last): (usize, u64), rank: &mut RankAccount) {
        let (mut room, mut dropped_room) = (Vec::new(), Vec::new());
        for left in (0..pages).rev() {
            let Some(first) = self.pages.front() else { return };
            let Some(page) = file.events(first, &mut room) else {
                // It was dropped before it was read.
                self.pages.pop_front();
                (self.place, self.is_torn) = (None, true);
                continue;
            };
            if !std::mem::replace(&mut self.has_begun, true) && page.sequence > 0 {
                self.is_torn = true;
                if let Some(dropped) = self.dropped.and_then(|dropped| file.dropped(&dropped, &mut dropped_room)) {
                    self.account.goes_on(&dropped, &self.known, rank);
                }
            }
            let mut walk = match self.place {
                Some(place) => Walk::at(&page, place),
                None => Walk::new(&page),
            };
            if self.place.is_none() && std::mem::take(&mut self.is_torn) {
                self.account.torn(page.header.requests);
            }
            let count = if left == 0 { last.saturating_sub(walk.place().seen) as usize } else { usize::MAX };
            let mut reader = Reader { known: &self.known, own: &mut self.account, rank: &mut *rank };
            self.is_torn = walk.step(&mut reader, count).is_err();
            self.place = Some(walk.place());
            if left > 0 {
                self.pages.pop_front();
                self.place = None;
            }
        }
    }

    /// The thread's block as it is now.
    pub fn block(&self, file: &Follower) -> Option<ThreadBlock> {
        file.block(self.block.as_ref()?).map(LiveBlock::copy)
    }

    /// State of the thread by its block and the records read.
    pub fn moment(&self, file: &Follower, block: Option<&ThreadBlock>) -> ThreadMoment {
        let signature = |number| meaning(&self.known, number).map(|(known, _)| &known.signature);
        let last = self.account.last;
        let entries = || self.profile.iter().flat_map(|page| file.profile(page));
        let counted = |number| entries().find(|entry| entry.signature == number).map_or(0, |entry| entry.count);
        let inside = block.and_then(|block| in_flight(block, last, counted, signature).first().copied());
        let inside = inside.map(|call| (call.start, call.signature));
        let polls = block.map_or_else(Polls::default, |block| block.polls);
        let open = block.and_then(|block| open_polls(block, last));
        let asks = open.and_then(|polls| Some((*signature(polls.signature as u32)?, polls.start)));
        let recorded = last.map(|last| (self.account.last_end, signature(last.signature).copied()));
        let ended = open.map(|polls| (polls.end, signature(polls.signature as u32).copied())).or(recorded);
        let is_outermost = |number: u32| signature(number).is_none_or(|known| known.flags & NESTED == 0);
        let counted = entries().filter(|entry| is_outermost(entry.signature)).map(|entry| entry.total).total();
        let last_entry = block.map_or(0, |block| block.last_entry);
        let newest = [self.account.last_end, polls.end, inside.map_or(0, |(start, _)| start), last_entry];
        ThreadMoment {
            inside,
            ended,
            asks,
            ticks: [self.account.ticks, open.map_or(0, |polls| polls.total), counted].into_iter().total(),
            sent: entries().map(|entry| entry.sent).total(),
            newest: newest.into_iter().max().unwrap_or(0),
        }
    }
}
