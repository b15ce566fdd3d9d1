//! Counts and times per signature, for when there is no room for every call, or no wish for it.
//!
//! Totals stay exact whatever happens to the room: a signature without an entry of its own counts in the entry of
//! its function, and a function without one in the thread's first entry.

use std::ptr::NonNull;

use traces::calls::Call;
use traces::file::{PageHeader, PageKind, ProfileEntry, Stop};
use traces::progress::Entries;
use traces::record::INLINE;
use traces::signature::UNKNOWN_BYTES;
use zerocopy::FromZeros;

use super::control;
use super::memory;
use super::pages::{NO_PAGE, Output, Page};
use super::shared;
use crate::clock;

/// See the module.
pub struct Profile {
    page: Page,
    used: usize,
    /// The page after this one, taken before this one is full.
    next: Option<Page>,
    pages: u32,
    thread: u32,
    begin: u64,
    /// No page is to be had any more: the entries left are for functions.
    full: bool,
    by_signature: NonNull<Option<NonNull<ProfileEntry>>>,
    by_call: NonNull<Option<NonNull<ProfileEntry>>>,
    rest: NonNull<ProfileEntry>,
}

/// The call number of the entry for whatever has no other.
const ANY_CALL: u16 = 0;

/// Entries that functions find in the last page, whatever signatures take.
const FOR_FUNCTIONS: usize = 32;

impl Profile {
    /// An empty profile that counts from now.
    pub fn begin(output: &Output, thread: u32) -> Result<Profile, Stop> {
        let begin = clock::now();
        let page = take(output, thread, 0, begin)?;
        let mut profile = Profile {
            page,
            used: 0,
            next: None,
            pages: 1,
            thread,
            begin,
            full: false,
            by_signature: memory::zeroed(INLINE as usize).ok_or(Stop::NoMemory)?,
            by_call: memory::zeroed(Call::LIMIT).ok_or(Stop::NoMemory)?,
            rest: page.body().0,
        };
        profile.rest = profile.next(INLINE, ANY_CALL).ok_or(Stop::NoMemory)?;
        Ok(profile)
    }

    /// A call ended.
    pub fn add(&mut self, signature: u32, call: u16, duration: u64, moves: (u64, u64)) {
        if !control::is_on() {
            return;
        }
        // SAFETY: entries live as long as the process, and belong to this thread.
        let entry = unsafe { self.entry(signature, call).as_mut() };
        entry.count += 1;
        entry.total += duration;
        entry.min = if entry.count == 1 { duration } else { entry.min.min(duration) };
        entry.max = entry.max.max(duration);
        entry.sent += moves.0;
        entry.received += moves.1;
        entry.histogram[ProfileEntry::class(duration)] += 1;
    }

    /// The call started a persistent request.
    pub fn started(&mut self, signature: u32, call: u16, moves: (u64, u64)) {
        if !control::is_on() {
            return;
        }
        // SAFETY: as in `add`.
        let entry = unsafe { self.entry(signature, call).as_mut() };
        entry.sent += moves.0;
        entry.received += moves.1;
    }

    /// Of the bytes that the signature posted, so many came.
    pub fn arrived(&mut self, signature: u32, call: u16, posted: u64, came: u64) {
        // SAFETY: as in `add`.
        let entry = unsafe { self.entry(signature, call).as_mut() };
        entry.received = entry.received.wrapping_sub(known(posted)).wrapping_add(known(came));
    }

    /// What the progress engine did during the call.
    pub fn engine(&mut self, signature: u32, call: u16, during: Entries) {
        if !control::is_on() {
            return;
        }
        // SAFETY: as in `add`.
        unsafe { self.entry(signature, call).as_mut() }.engine += during;
    }

    /// A call did not succeed: its bytes did not move.
    pub fn failed(&mut self, signature: u32, call: u16, moves: (u64, u64)) {
        if !control::is_on() {
            return;
        }
        // SAFETY: as in `add`.
        let entry = unsafe { self.entry(signature, call).as_mut() };
        entry.failed += 1;
        entry.sent -= moves.0;
        entry.received -= moves.1;
    }

    /// Calls counted so far.
    pub fn calls(&self) -> u64 {
        // SAFETY: entries live as long as the process; one that is being changed is read before or after.
        self.entries().map(|entry| unsafe { entry.as_ref() }.count).sum()
    }

    /// Sets all back to nothing. A call that another thread is in may still count.
    pub fn forget(&self) {
        for entry in self.entries() {
            // SAFETY: as above; what says which calls they are stays.
            unsafe {
                let ProfileEntry { signature, call, .. } = entry.read();
                entry.write(ProfileEntry { signature, call, ..ProfileEntry::new_zeroed() });
            }
        }
    }

    fn entries(&self) -> impl Iterator<Item = NonNull<ProfileEntry>> {
        // SAFETY: the tables have so many places.
        let signatures = (0..INLINE as usize).map(|at| unsafe { *self.by_signature.add(at).as_ptr() });
        // SAFETY: as above.
        let calls = (0..Call::LIMIT).map(|at| unsafe { *self.by_call.add(at).as_ptr() });
        signatures.chain(calls).flatten().chain([self.rest])
    }

    fn entry(&mut self, signature: u32, call: u16) -> NonNull<ProfileEntry> {
        if signature < INLINE {
            // SAFETY: one place for each number.
            let place = unsafe { self.by_signature.add(signature as usize).as_ptr() };
            if let Some(entry) = self.find_or_make(place, signature, 0) {
                return entry;
            }
        }
        // SAFETY: one place for each call.
        let place = unsafe { self.by_call.add(call as usize).as_ptr() };
        self.find_or_make(place, INLINE, call).unwrap_or(self.rest)
    }

    #[inline(always)]
    fn find_or_make(
        &mut self,
        place: *mut Option<NonNull<ProfileEntry>>,
        signature: u32,
        call: u16,
    ) -> Option<NonNull<ProfileEntry>> {
        // SAFETY: the place is in one of the two tables.
        unsafe {
            if (*place).is_none() {
                *place = self.next(signature, call);
            }
            *place
        }
    }

    #[cold]
    fn next(&mut self, signature: u32, call: u16) -> Option<NonNull<ProfileEntry>> {
        let room = self.page.body::<ProfileEntry>().1;
        if self.used == room {
            (self.page, self.used) = (self.next.take()?, 0);
        } else if room - self.used <= FOR_FUNCTIONS && self.next.is_none() && !self.full {
            // The page before stays mapped: its entries go on counting.
            let page = shared::guard(|| take(shared::output()?, self.thread, self.pages, self.begin).ok());
            self.next = page.flatten();
            self.full = self.next.is_none();
            self.pages += 1;
        }
        if self.full && signature != INLINE {
            return None;
        }
        // SAFETY: `used` is below what the page holds.
        let entry = unsafe { self.page.body::<ProfileEntry>().0.add(self.used) };
        self.used += 1;
        // SAFETY: fresh memory of a page. The signature says that the entry is in use, so it goes last; the counts
        // are zeros already.
        unsafe {
            (*entry.as_ptr()).call = call as u64;
            (*entry.as_ptr()).signature = signature;
        }
        Some(entry)
    }
}

fn take(output: &Output, thread: u32, sequence: u32, base: u64) -> Result<Page, Stop> {
    let header = PageHeader { thread, sequence, base, ..NO_PAGE };
    output.take(header, PageKind::Profile, (8 * output.unit) << sequence.min(1))
}

fn known(bytes: u64) -> u64 {
    if bytes == UNKNOWN_BYTES { 0 } else { bytes }
}
