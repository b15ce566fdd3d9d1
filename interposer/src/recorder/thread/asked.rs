//! Pending requests that MPI is asked about before and after each call of the program, where the user wants that: when they
//! completed is then known to one call, or to the time between two.
//!
//! MPI makes no progress when it is asked. A request is asked about as long as the thread's table has it: what completes or frees
//! it takes it from there.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use recorder_core::memory;

static ON: AtomicBool = AtomicBool::new(false);

/// From here on MPI is asked. It must be known how.
pub fn begin() {
    ON.store(true, Relaxed);
}

/// Whether MPI is asked.
#[inline(always)]
pub fn is_on() -> bool {
    ON.load(Relaxed)
}

/// Requests of a thread that are kept to be asked about. What begins while there are more is not.
const KEPT: usize = 256;
/// Of these the oldest so many are asked about.
pub const OLDEST: usize = 8;

/// A request by its handle and its number.
pub type PendingRequest = (u64, u64);

/// See the module.
pub struct AskedRequests {
    room: &'static mut [PendingRequest],
    count: usize,
}

impl AskedRequests {
    /// None, and no room yet.
    pub const fn new() -> AskedRequests {
        AskedRequests { room: &mut [], count: 0 }
    }

    /// One more.
    pub fn add(&mut self, request: PendingRequest) {
        if self.room.is_empty()
            && let Some(room) = memory::zeroed::<PendingRequest>(KEPT)
        {
            // SAFETY: fresh memory for so many, which zeros are valid for and nobody else has.
            self.room = unsafe { std::slice::from_raw_parts_mut(room.as_ptr(), KEPT) };
        }
        if let Some(place) = self.room.get_mut(self.count) {
            *place = request;
            self.count += 1;
        }
    }

    /// The one at a place, the oldest first.
    pub fn get(&self, at: usize) -> Option<PendingRequest> {
        self.room.get(..self.count)?.get(at).copied()
    }

    /// Takes the one at a place away.
    pub fn remove(&mut self, at: usize) {
        if at < self.count {
            self.room.copy_within(at + 1..self.count, at);
            self.count -= 1;
        }
    }
}
