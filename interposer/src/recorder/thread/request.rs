//! A request, a probed message, and memory for calls of many requests.

use std::ptr::null_mut;

use crate::abi::Family;
use recorder_core::dictionary::Key;
use recorder_core::memory;

/// A request that is not complete, or a persistent one.
#[derive(Clone, Copy)]
pub struct Request {
    /// The request's number, counted by `thread`; a persistent one gets a new number at each start.
    pub number: u64,
    pub thread: u32,
    pub flags: u32,
    /// The number of a persistent request at its creation; that of others is `number`.
    pub created: u64,
    /// The key of the call that posted it; `None` if there was no room for its signature.
    pub posted: Option<&'static Key>,
    pub signature: u32,
    /// Stamp of [`counted`](crate::recorder::process::counted) when it was started.
    pub counted: u32,
}

/// The request receives a message, so its status has source, tag and bytes.
pub const RECEIVES: u32 = 1;
/// The request stays when it is complete.
pub const PERSISTENT: u32 = 2;
/// The request was started, and is not known to be complete.
pub const ACTIVE: u32 = 4;
/// The program has asked to cancel the request.
pub const CANCELLED: u32 = 8;
/// The request's buffers are in [`pending`](crate::recorder::content::pending).
pub const CHECKED: u32 = 16;

/// A message that was probed for and not received yet.
#[derive(Clone, Copy)]
pub struct Message {
    /// The communicator's number.
    pub object: u32,
    pub source: i32,
    pub tag: i32,
}

/// Memory for the handles and statuses of a call of many requests.
pub struct Scratch {
    handles: *mut u64,
    statuses: *mut u8,
    room: usize,
}

/// Requests that the first allocation has room for.
const FIRST_ROOM: usize = 256;
/// Bytes of the largest status of any ABI.
const STATUS: usize = 32;

impl Scratch {
    pub const fn new() -> Scratch {
        Scratch { handles: null_mut(), statuses: null_mut(), room: 0 }
    }

    /// Copies `count` handles, since MPI will overwrite them. `false` if memory ran out.
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

    /// Address for as many statuses as handles were copied.
    #[inline(always)]
    pub fn statuses(&self) -> usize {
        self.statuses as usize
    }

    #[cold]
    fn grow(&mut self, count: usize) -> bool {
        // The old memory is leaked; since it doubles, that is at most as much as is in use.
        let room = count.next_power_of_two().max(FIRST_ROOM);
        let (Some(handles), Some(statuses)) = (memory::zeroed(room), memory::zeroed(room * STATUS)) else {
            return false;
        };
        (self.handles, self.statuses, self.room) = (handles.as_ptr(), statuses.as_ptr(), room);
        true
    }

    #[inline(always)]
    pub fn handle(&self, at: usize) -> u64 {
        // SAFETY: callers ask only for handles that were copied.
        unsafe { *self.handles.add(at) }
    }
}
