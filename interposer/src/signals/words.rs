//! A thread's words about signals. The handlers of signals that come in between change them, so all are atomic or are written before the
//! word that shows them.

use std::cell::{Cell, UnsafeCell};
use std::mem::offset_of;
use std::ops::Range;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::thread_words::thread_words;

thread_words!("overhear_signals", 1224);

#[repr(C)]
pub struct SignalWords {
    /// Number of nested pieces of work that no handler of the program may interrupt.
    pub depth: AtomicUsize,
    /// Signals that were put off and are still to be sent again.
    pub put_off: AtomicU64,
    /// The upper end of the alternate stack that we lent the thread; 0 for none. The trampoline reads these first three words.
    pub own_stack_end: AtomicUsize,
    /// The stack pointer of the handler of samples while it runs, and 1 at its end; else 0.
    pub in_sampler: AtomicUsize,
    /// The stack pointer where the outermost piece of work began.
    pub frame: AtomicUsize,
    /// Signals that wait in the kernel, blocked for this thread until the work has ended.
    pub blocked: AtomicU64,
    /// The program's alternate stack, while ours is lent.
    pub program_stack_named: Cell<libc::stack_t>,
    /// Signals that were put off, with their information.
    pub kept: [KeptSignal; 8],
}

/// Bytes of the alternate stack that we lend.
pub const STACK_BYTES: usize = 256 << 10;

impl SignalWords {
    /// The alternate stack that we lent the thread; empty for none.
    pub fn own_stack(&self) -> Range<usize> {
        match self.own_stack_end.load(Relaxed) {
            0 => 0..0,
            end => end - STACK_BYTES..end,
        }
    }

    /// The program's alternate stack, while ours is lent; empty for none.
    pub fn program_stack(&self) -> Range<usize> {
        let stack = self.program_stack_named.get();
        if stack.ss_flags & libc::SS_DISABLE != 0 {
            return 0..0;
        }
        stack.ss_sp as usize..stack.ss_sp as usize + stack.ss_size
    }
}

const _: () = assert!(size_of::<SignalWords>() == 1224);

/// The offset of [`SignalWords::in_sampler`].
pub const IN_SAMPLER: usize = offset_of!(SignalWords, in_sampler);

#[repr(C)]
pub struct KeptSignal {
    /// The signal; 0 if the place is free, -1 while it is written.
    pub number: AtomicI32,
    pub information: UnsafeCell<Option<libc::siginfo_t>>,
}

/// The calling thread's words.
#[inline(always)]
pub fn own() -> &'static SignalWords {
    // SAFETY: this thread's words, of which zeros are valid; references to them stay in the thread.
    unsafe { &*words().cast::<SignalWords>() }
}
