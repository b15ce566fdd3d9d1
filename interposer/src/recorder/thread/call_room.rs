//! What the calls on one stack need while they run. MPI fills some of it, so it stays where it is; a call that is suspended
//! keeps its own while others are made.

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

/// See the module.
pub struct CallRoom {
    /// A status that MPI fills for calls that were given none.
    status: UnsafeCell<[u64; 4]>,
    /// Room for what a call of many requests needs.
    pub scratch: AtWork<Scratch>,
    /// The draft of a call whose arguments are new.
    draft: UnsafeCell<MaybeUninit<Draft>>,
    /// What the call under way overwrites, where checksums are taken.
    pub contents: AtWork<Vec<Content>>,
    /// Signatures of the open calls that found no number, by how deep.
    pub unnumbered: [Cell<Signature>; LEVELS],
    /// The open calls, while they are suspended.
    pub suspended: AtWork<OpenCalls>,
}

/// Calls that have begun on one stack and have not ended.
#[derive(Clone, Copy)]
pub struct OpenCalls {
    /// Where the stack of the outermost one's wrapper ends.
    pub frame: usize,
    /// How many.
    pub depth: u32,
    pub levels: [Level; LEVELS],
}

impl OpenCalls {
    /// None.
    pub const NONE: OpenCalls = OpenCalls { frame: 0, depth: 0, levels: [Level { start: 0, signature: 0 }; LEVELS] };
}

/// The signature of no call.
pub const NO_SIGNATURE: Signature = Key::EMPTY.signature(UNNUMBERED, 0);

impl CallRoom {
    /// Room for a stack; `None` where memory ran out.
    pub fn new() -> Option<&'static CallRoom> {
        let room = memory::zeroed::<CallRoom>(1)?;
        // SAFETY: memory for one, never freed.
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

    /// The draft, empty.
    ///
    /// # Safety
    /// For a call that no other on its stack is around, until it ends.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn draft(&self) -> &mut Draft {
        // SAFETY: of the calls on a stack one is not inside another, and this is the one that has the draft.
        unsafe { (*self.draft.get()).write(Draft::new()) }
    }

    /// Where MPI is to put the status of a call that was given none.
    #[inline(always)]
    pub fn status(&self) -> usize {
        self.status.get() as usize
    }
}
