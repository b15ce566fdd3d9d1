//! What is known of a request and of a probed message, and room for calls of many requests.

use std::ptr::null_mut;

use crate::abi::Family;
use recorder_core::dictionary::Key;
use recorder_core::memory;

/// A request that is not complete, or a persistent one.
#[derive(Clone, Copy)]
pub struct Request {
    /// The number its start gave it, and the thread whose number that is.
    pub number: u64,
    pub thread: u32,
    pub flags: u32,
    /// The number its creation took, for a persistent one.
    pub created: u64,
    /// What the call that began it posted; `None` where there was no room for its signature.
    pub posted: Option<&'static Key>,
    pub signature: u32,
    /// Whether a profile has counted it, as [`counted`](crate::recorder::process::counted) says.
    pub counted: u32,
}

/// The request will be filled by a message, so its status tells something.
pub const RECEIVES: u32 = 1;
/// The request stays when it is complete.
pub const PERSISTENT: u32 = 2;
/// It is under way.
pub const ACTIVE: u32 = 4;
/// It is to be cancelled.
pub const CANCELLED: u32 = 8;
/// What it fills or hands out is in [`pending`](crate::recorder::content::pending).
pub const CHECKED: u32 = 16;

/// A message that was probed for and not received yet.
#[derive(Clone, Copy)]
pub struct Message {
    /// Number of the communicator.
    pub object: u32,
    /// Where it comes from.
    pub source: i32,
    /// Its tag.
    pub tag: i32,
}

/// Room for what a call of many requests needs while it runs.
pub struct Scratch {
    handles: *mut u64,
    statuses: *mut u8,
    room: usize,
}

/// Requests that room is taken for at first.
const FIRST_ROOM: usize = 256;
/// Bytes of the largest status of any ABI.
const STATUS: usize = 32;

impl Scratch {
    /// No room yet.
    pub const fn new() -> Scratch {
        Scratch { handles: null_mut(), statuses: null_mut(), room: 0 }
    }

    /// Copies `count` handles away, since MPI will overwrite them. `false` where memory ran out.
    #[inline(always)]
    pub fn copy(&mut self, family: &Family, requests: usize, count: usize) -> bool {
        if count > self.room && !self.grow(count) {
            return false;
        }
        for at in 0..count {
            // SAFETY: the program passes this many requests, and there is room for as many.
            unsafe { *self.handles.add(at) = family.handle_at(requests + at * family.handle_size) };
        }
        true
    }

    /// Room for as many statuses as handles were copied.
    #[inline(always)]
    pub fn statuses(&self) -> usize {
        self.statuses as usize
    }

    #[cold]
    fn grow(&mut self, count: usize) -> bool {
        // The memory it had is lost; it doubles, so that is no more than it takes.
        let room = count.next_power_of_two().max(FIRST_ROOM);
        let (Some(handles), Some(statuses)) = (memory::zeroed(room), memory::zeroed(room * STATUS)) else {
            return false;
        };
        (self.handles, self.statuses, self.room) = (handles.as_ptr(), statuses.as_ptr(), room);
        true
    }

    /// The handle that was copied from this place.
    #[inline(always)]
    pub fn handle(&self, at: usize) -> u64 {
        // SAFETY: only asked for what was copied.
        unsafe { *self.handles.add(at) }
    }
}
