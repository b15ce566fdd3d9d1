//! Counts and times per signature, for when there is no room for every call, or no wish for it.
//!
//! A signature for which the file has no room counts with its function in what all threads [share](super::totals).

use std::ptr::NonNull;

use traces::file::{PageHeader, PageKind, ProfileEntry};
use traces::progress::Entries;
use traces::record::INLINE;
use traces::signature::UNKNOWN_BYTES;
use zerocopy::FromZeros;

use super::control;
use super::memory;
use super::pages::{NO_PAGE, Output, Page, UNIT};
use super::shared;
use super::totals;
use crate::clock;

/// See the module.
pub struct Profile {
    page: Option<Page>,
    used: usize,
    pages: u32,
    thread: u32,
    begin: u64,
    /// No page is to be had any more.
    full: bool,
    /// By signature number; `None` where memory ran out.
    entries: Option<NonNull<Option<NonNull<ProfileEntry>>>>,
    /// Calls counted so far.
    pub calls: u64,
}

/// What is added to an entry. Bytes wrap, so that they can be taken back.
#[derive(Default)]
pub struct Change {
    /// Calls: one or none.
    pub calls: u64,
    /// How long it took.
    pub duration: u64,
    /// Calls that returned an error.
    pub failed: u32,
    /// Bytes handed out.
    pub sent: u64,
    /// Bytes that came.
    pub received: u64,
    /// What the progress engine did.
    pub engine: Entries,
}

/// Bytes of the smallest of these pages that are taken as signatures come.
const FIRST: usize = 4 << 10;

/// Bytes of a page for so many signatures.
pub fn room_for(signatures: u32) -> usize {
    (size_of::<PageHeader>() + signatures as usize * size_of::<ProfileEntry>()).next_multiple_of(UNIT)
}

impl Profile {
    /// An empty profile that counts from now, with room for so many signatures as far as there is any.
    pub fn begin(output: &Output, thread: u32, signatures: u32) -> Profile {
        let mut profile = Profile {
            page: None,
            used: 0,
            pages: 0,
            thread,
            begin: clock::now(),
            full: false,
            entries: memory::zeroed(INLINE as usize),
            calls: 0,
        };
        profile.turn(output, room_for(signatures));
        profile
    }

    /// A call ended.
    pub fn add(&mut self, signature: u32, call: u16, duration: u64, moves: (u64, u64)) {
        self.calls += 1;
        if control::is_on() {
            let (sent, received) = moves;
            self.count(signature, call, &Change { calls: 1, duration, sent, received, ..Change::default() });
        }
    }

    /// The call started a persistent request.
    pub fn started(&mut self, signature: u32, call: u16, moves: (u64, u64)) {
        if control::is_on() {
            self.count(signature, call, &Change { sent: moves.0, received: moves.1, ..Change::default() });
        }
    }

    /// Of the bytes that the signature posted, so many came.
    pub fn arrived(&mut self, signature: u32, call: u16, posted: u64, came: u64) {
        let received = known(came).wrapping_sub(known(posted));
        if received != 0 {
            self.count(signature, call, &Change { received, ..Change::default() });
        }
    }

    /// What the progress engine did during the call.
    pub fn engine(&mut self, signature: u32, call: u16, during: Entries) {
        if control::is_on() {
            self.count(signature, call, &Change { engine: during, ..Change::default() });
        }
    }

    /// A call did not succeed: its bytes did not move.
    pub fn failed(&mut self, signature: u32, call: u16, moves: (u64, u64)) {
        if control::is_on() {
            let (sent, received) = (moves.0.wrapping_neg(), moves.1.wrapping_neg());
            self.count(signature, call, &Change { failed: 1, sent, received, ..Change::default() });
        }
    }

    /// Sets all back to nothing. A call that another thread is in may still count.
    pub fn forget(&self) {
        let Some(entries) = self.entries else { return };
        for number in 0..INLINE as usize {
            // SAFETY: the table has so many places, and entries live as long as the process; what says which calls they are stays.
            unsafe {
                if let Some(entry) = *entries.add(number).as_ptr() {
                    let ProfileEntry { signature, call, .. } = entry.read();
                    entry.write(ProfileEntry { signature, call, ..ProfileEntry::new_zeroed() });
                }
            }
        }
    }

    #[inline(always)]
    fn count(&mut self, signature: u32, call: u16, change: &Change) {
        let Some(entry) = self.entry(signature) else { return totals::count(call, change) };
        // SAFETY: entries live as long as the process, and belong to this thread.
        let entry = unsafe { &mut *entry.as_ptr() };
        entry.count += change.calls;
        if change.calls != 0 {
            let duration = change.duration;
            entry.total += duration;
            entry.min = if entry.count == 1 { duration } else { entry.min.min(duration) };
            entry.max = entry.max.max(duration);
        }
        entry.failed += change.failed;
        entry.sent = entry.sent.wrapping_add(change.sent);
        entry.received = entry.received.wrapping_add(change.received);
        entry.engine += change.engine;
    }

    #[inline(always)]
    fn entry(&mut self, signature: u32) -> Option<NonNull<ProfileEntry>> {
        if signature >= INLINE {
            return None;
        }
        // SAFETY: one place for each number.
        let place = unsafe { self.entries?.add(signature as usize).as_ptr() };
        // SAFETY: as above.
        match unsafe { *place } {
            None if self.full => None,
            None => {
                let entry = self.next(signature);
                // SAFETY: as above.
                unsafe { *place = entry };
                entry
            }
            entry => entry,
        }
    }

    #[cold]
    #[inline(never)]
    fn next(&mut self, signature: u32) -> Option<NonNull<ProfileEntry>> {
        let room = self.page.map_or(0, |page| page.body::<ProfileEntry>().1);
        if self.used == room {
            shared::guard(|| {
                let output = shared::output()?;
                self.turn(output, FIRST << self.pages.min(4));
                Some(())
            });
        }
        let (first, room) = self.page?.body::<ProfileEntry>();
        if self.used == room {
            return None;
        }
        // SAFETY: `used` is below what the page holds.
        let entry = unsafe { first.add(self.used) };
        self.used += 1;
        // SAFETY: fresh memory of a page. The signature says that the entry is in use, so it goes last; the counts
        // are zeros already.
        unsafe { (*entry.as_ptr()).signature = signature };
        Some(entry)
    }

    /// Takes a page. The one before stays mapped: its entries go on counting.
    fn turn(&mut self, output: &Output, bytes: usize) {
        let header = PageHeader { thread: self.thread, sequence: self.pages, base: self.begin, ..NO_PAGE };
        match output.take(header, PageKind::Profile, bytes, UNIT) {
            Ok(page) => {
                self.pages += 1;
                (self.page, self.used) = (Some(page), 0);
            }
            Err(_) => self.full = true,
        }
    }
}

fn known(bytes: u64) -> u64 {
    if bytes == UNKNOWN_BYTES { 0 } else { bytes }
}
