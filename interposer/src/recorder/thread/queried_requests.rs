//! Pending requests that the recorder queries before and after each call of the program, if the user enables that: a
//! request's completion is then known to lie in one call, or between two.
//!
//! The query makes no progress in MPI. The recorder queries a request only while it is in the thread's table, which it
//! leaves when it is completed or freed.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use recorder_core::memory;

static ON: AtomicBool = AtomicBool::new(false);

/// Begins to query requests. [`completion::learn`](crate::abi::completion::learn) must have found a way.
pub fn begin() {
    ON.store(true, Relaxed);
}

#[inline(always)]
pub fn is_on() -> bool {
    ON.load(Relaxed)
}

/// Limit on the requests of a thread that are kept here. Requests that begin while there is no room are never queried.
const KEPT: usize = 256;
/// The recorder queries this many of them, the oldest.
pub const OLDEST: usize = 8;

/// A request's handle and number.
pub type PendingRequest = (u64, u64);

pub struct AskedRequests {
    room: &'static mut [PendingRequest],
    count: usize,
}

impl AskedRequests {
    /// An empty list; its memory is allocated when it is first used.
    pub const fn new() -> AskedRequests {
        AskedRequests { room: &mut [], count: 0 }
    }

    pub fn add(&mut self, request: PendingRequest) {
        if self.room.is_empty()
            && let Some(room) = memory::zeroed::<PendingRequest>(KEPT)
        {
            // SAFETY: fresh memory for `KEPT` requests, which zeros are valid for and nothing else uses.
            self.room = unsafe { std::slice::from_raw_parts_mut(room.as_ptr(), KEPT) };
        }
        if let Some(place) = self.room.get_mut(self.count) {
            *place = request;
            self.count += 1;
        }
    }

    /// The request at an index, the oldest first.
    pub fn get(&self, at: usize) -> Option<PendingRequest> {
        self.room.get(..self.count)?.get(at).copied()
    }

    pub fn remove(&mut self, at: usize) {
        if at < self.count {
            self.room.copy_within(at + 1..self.count, at);
            self.count -= 1;
        }
    }
}
