//! Memory that the calls on one stack need while they run. It never moves, since MPI writes to some of it; a suspended
//! call keeps its memory while other calls run.

use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;

use traces::file::{LEVELS, Level};
use traces::record::{Content, UNNUMBERED};
use traces::signature::Signature;

use super::at_work::AtWork;
use super::draft::Draft;
use super::request::Scratch;
use recorder_core::dictionary::Key;
use recorder_core::memory;

pub struct CallRoom {
    /// The status that MPI fills for calls that ignore theirs.
    status: UnsafeCell<[u64; 4]>,
    /// Handles and statuses of calls of many requests.
    pub scratch: AtWork<Scratch>,
    /// The draft of a call whose arguments are new.
    draft: UnsafeCell<MaybeUninit<Draft>>,
    /// Checksums of buffers that the open call overwrites.
    pub contents: AtWork<Vec<Content>>,
    /// Signatures of the open calls that got no number, by nesting level.
    pub unnumbered: [Cell<Signature>; LEVELS],
    /// The open calls, while they are suspended.
    pub suspended: AtWork<OpenCalls>,
}

/// The open calls of one stack.
#[derive(Clone, Copy)]
pub struct OpenCalls {
    /// The frame of the outermost call's wrapper.
    pub frame: usize,
    /// Number of calls.
    pub depth: u32,
    pub levels: [Level; LEVELS],
}

impl OpenCalls {
    pub const NONE: OpenCalls = OpenCalls { frame: 0, depth: 0, levels: [Level { start: 0, signature: 0 }; LEVELS] };
}

/// A signature with nothing filled in.
pub const NO_SIGNATURE: Signature = Key::EMPTY.signature(UNNUMBERED, 0);

impl CallRoom {
    /// Memory for a stack; `None` if memory ran out.
    pub fn new() -> Option<&'static CallRoom> {
        let room = memory::zeroed::<CallRoom>(1)?;
        // SAFETY: memory for one room, never freed.
        unsafe {
            room.as_ptr().write(CallRoom {
                status: UnsafeCell::new([0; 4]),
                scratch: AtWork::new(Scratch::new()),
                draft: UnsafeCell::new(MaybeUninit::uninit()),
                contents: AtWork::new(Vec::new()),
                unnumbered: [const { Cell::new(NO_SIGNATURE) }; LEVELS],
                suspended: AtWork::new(OpenCalls::NONE),
            });
            Some(room.as_ref())
        }
    }

    /// Empties the draft.
    ///
    /// # Safety
    /// Only the outermost call on the stack may use the draft, until that call ends.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn draft(&self) -> &mut Draft {
        // SAFETY: a stack has one outermost call, which alone uses the draft.
        unsafe { (*self.draft.get()).write(Draft::new()) }
    }

    /// The address that MPI gets for a status that the program ignores.
    #[inline(always)]
    pub fn status(&self) -> usize {
        self.status.get() as usize
    }
}
