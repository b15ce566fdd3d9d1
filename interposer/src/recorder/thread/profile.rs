//! Counts and times per signature, used in profile mode or once the trace is full.
//!
//! A signature for which the file has no room counts with its function in the [`totals`]
//! of all threads. Once there are [`PLENTY`] of signatures, calls that differ only by their messages count together.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::{Mutex, MutexGuard};

use traces::file::{PageHeader, PageKind, ProfileEntry};
use traces::progress::Entries;
use traces::record::UNNUMBERED;
use traces::signature::UNKNOWN_BYTES;

use crate::clock;
use crate::recorder::file::entry::{Change, Entry};
use crate::recorder::file::page_series::PageSeries;
use crate::recorder::file::pages::{NO_PAGE, Output, Page, UNIT};
use crate::recorder::file::shared;
use crate::recorder::file::totals::{self, CountedCalls};
use crate::recorder::guard;
use crate::recorder::process::counted;
use recorder_core::memory;
use recorder_core::numbered::Numbered;

pub struct Profile {
    pages: PageSeries,
    begin: u64,
    /// Set once the file has no more room.
    full: bool,
    /// Number of entries that were begun, for readers.
    written: &'static AtomicU64,
    /// By signature number; `None` if memory ran out.
    entries: Option<Numbered<Option<Entry>>>,
    /// By signature number: the signature as which its calls count; 0 for itself.
    told_as: Option<Numbered<u32>>,
    /// By signature number modulo [`RECENT`].
    recent: [Recent; RECENT],
}

/// A signature that was counted, with what counting its next call needs.
#[derive(Clone, Copy)]
struct Recent {
    signature: u32,
    /// Bytes that a call sends and receives.
    moves: (u64, u64),
    /// `None` until a signature takes the place.
    entry: Option<Entry>,
}

const RECENT: usize = 64;
const NOT_YET: Recent = Recent { signature: UNNUMBERED, moves: (0, 0), entry: None };

/// The pages of all threads' profiles.
static PAGES: Mutex<Vec<Page>> = Mutex::new(Vec::new());

/// The number of signatures after which new ones count together: more would make a profile larger than a trace.
pub const PLENTY: u32 = 1 << 10;

/// Bytes of the smallest page that is taken for new signatures.
const FIRST: usize = 4 << 10;

/// Bytes of a page for a number of signatures.
pub fn room_for(signatures: u32) -> usize {
    (size_of::<PageHeader>() + signatures as usize * size_of::<ProfileEntry>()).next_multiple_of(UNIT)
}

impl Profile {
    /// An empty profile that counts from now, with room for `signatures` signatures if the file has it.
    pub fn begin(output: &Output, thread: u32, signatures: u32, written: &'static AtomicU64) -> Profile {
        let mut profile = Profile {
            pages: PageSeries::new(PageKind::Profile, thread),
            begin: clock::now(),
            full: false,
            written,
            entries: Numbered::new(),
            told_as: Numbered::new(),
            recent: [NOT_YET; RECENT],
        };
        profile.turn(output, room_for(signatures));
        profile
    }

    /// An empty profile in memory, with room for some signatures, for a rehearsal.
    pub fn in_memory(thread: u32, written: &'static AtomicU64) -> Option<Profile> {
        let words = FIRST / size_of::<u64>();
        let pages = PageSeries::new(PageKind::Profile, thread);
        // SAFETY: memory of `words` words, which is never freed.
        unsafe { pages.cursor.turn_to(memory::zeroed(words)?, words) };
        Some(Profile {
            pages,
            begin: clock::now(),
            full: false,
            written,
            entries: Numbered::new(),
            told_as: Numbered::new(),
            recent: [NOT_YET; RECENT],
        })
    }

    /// Makes calls of a signature count as those of another. `None` if memory ran out.
    pub fn tell_as(&mut self, signature: u32, other: u32) -> Option<()> {
        let place = self.told_as.as_mut()?.reach(signature)?;
        // SAFETY: the place of this number.
        unsafe { *place = other };
        Some(())
    }

    /// The signature as which calls of this one count.
    pub fn told(&self, signature: u32) -> u32 {
        let place = self.told_as.as_ref().and_then(|told_as| told_as.find(signature));
        // SAFETY: the place of this number.
        match place.map_or(0, |place| unsafe { *place }) {
            0 => signature,
            other => other,
        }
    }

    /// Counts a call that ended. `announce` gets its entry's signature, and the count that it will have.
    pub fn add(
        &mut self,
        signature: u32,
        calls: CountedCalls,
        duration: u64,
        moves: (u64, u64),
        announce: impl FnOnce((u32, u64)),
    ) {
        if counted::is_on() {
            let change = Change::of_call(duration, moves);
            let Some(entry) = self.entry(signature) else { return totals::count(calls, &change) };
            if let Some(place) = self.recent.get_mut(signature as usize % RECENT) {
                *place = Recent { signature, moves, entry: Some(entry) };
            }
            announce(entry.next());
            entry.add_alone(&change);
        }
    }

    /// Counts a call that ended as the last one with its signature, with the engine's entries during it; `false` if
    /// that is not among the recent ones.
    #[inline(always)]
    pub fn add_recent(
        &self,
        signature: u32,
        duration: u64,
        engine: Entries,
        announce: impl FnOnce((u32, u64)),
    ) -> bool {
        let recent = self.recent.get(signature as usize % RECENT).filter(|recent| recent.signature == signature);
        let Some(&Recent { moves, entry: Some(entry), .. }) = recent else { return false };
        if counted::is_on() {
            announce(entry.next());
            entry.add_alone(&Change { engine, ..Change::of_call(duration, moves) });
        }
        true
    }

    /// Adds the bytes of a persistent request that the call started.
    pub fn started(&mut self, signature: u32, calls: CountedCalls, moves: (u64, u64)) {
        if counted::is_on() {
            self.count(signature, calls, &Change { sent: moves.0, received: moves.1, ..Change::default() });
        }
    }

    /// Corrects the received bytes: `came` instead of `posted`.
    pub fn arrived(&mut self, signature: u32, calls: CountedCalls, posted: u64, came: u64) {
        let received = known(came).wrapping_sub(known(posted));
        if received != 0 {
            self.count(signature, calls, &Change { received, ..Change::default() });
        }
    }

    /// Adds the engine's entries during the call.
    pub fn engine(&mut self, signature: u32, calls: CountedCalls, during: Entries) {
        if counted::is_on() {
            self.count(signature, calls, &Change { engine: during, ..Change::default() });
        }
    }

    /// Counts a call as failed, and subtracts its bytes, which did not move.
    pub fn failed(&mut self, signature: u32, calls: CountedCalls, moves: (u64, u64)) {
        if counted::is_on() {
            let (sent, received) = (moves.0.wrapping_neg(), moves.1.wrapping_neg());
            self.count(signature, calls, &Change { failed: 1, sent, received, ..Change::default() });
        }
    }

    #[inline(always)]
    fn count(&mut self, signature: u32, calls: CountedCalls, change: &Change) {
        let Some(entry) = self.entry(signature) else { return totals::count(calls, change) };
        entry.add_alone(change);
    }

    #[inline(always)]
    fn entry(&mut self, signature: u32) -> Option<Entry> {
        if signature == UNNUMBERED {
            return None;
        }
        let place = self.entries.as_ref()?.find(signature);
        // SAFETY: the place of this number.
        match place.and_then(|place| unsafe { *place }) {
            None if self.full => None,
            None => self.first(signature),
            entry => entry,
        }
    }

    #[cold]
    #[inline(never)]
    fn first(&mut self, signature: u32) -> Option<Entry> {
        let told = self.told(signature);
        let entry = if told == signature { self.next(signature) } else { self.entry(told) };
        let place = self.entries.as_mut()?.reach(signature)?;
        // SAFETY: the place of this number.
        unsafe { *place = entry };
        entry
    }

    fn next(&mut self, signature: u32) -> Option<Entry> {
        const WORDS: usize = size_of::<ProfileEntry>() / size_of::<u64>();
        let place = self.pages.cursor.reserve(WORDS).or_else(|| {
            guard::run(|| shared::output().map(|output| self.turn(output, FIRST << self.pages.count().min(4))));
            self.pages.cursor.reserve(WORDS)
        })?;
        // SAFETY: room for an entry, on a page that stays mapped. Its counts are already zero.
        let entry = unsafe { Entry::at(place.cast()) };
        entry.begin(signature, 0);
        self.written.store(self.written.load(Relaxed) + 1, Release);
        Some(entry)
    }

    /// Takes a page. The one before it stays mapped, since its entries still count.
    fn turn(&mut self, output: &Output, bytes: usize) {
        match self.pages.take(output, PageHeader { base: self.begin, ..NO_PAGE }, bytes, UNIT) {
            Ok(page) => lock().push(page),
            Err(_) => self.full = true,
        }
    }
}

/// Resets all threads' profiles. A call that a thread is in at this moment may still count.
pub fn forget() {
    for page in lock().iter() {
        let (first, room) = page.body::<ProfileEntry>();
        // SAFETY: the page has `room` entries, and stays mapped.
        let entries = (0..room).map(|at| unsafe { Entry::at(first.add(at)) });
        entries.take_while(|entry| entry.is_used()).for_each(|entry| entry.forget(0));
    }
}

fn lock() -> MutexGuard<'static, Vec<Page>> {
    PAGES.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn known(bytes: u64) -> u64 {
    if bytes == UNKNOWN_BYTES { 0 } else { bytes }
}
