//! Calls that are interrupted: by a signal handler that calls MPI while the recorder is at work, and for good by an
//! exception or longjmp that goes past them, or by the end of their thread.
//!
//! Wrappers say where their stack is. One that begins finds out whether those that are open are still on it, or
//! on [another](super::stack_switch).

use std::sync::atomic::{Ordering::*, compiler_fence};

use traces::calls::Call;
use traces::file::Level;

use super::current;
use super::recording::{NO_FRAME, Thread};
use crate::clock;
use crate::recorder::file::entry::Change;
use crate::recorder::file::shared::WarningOnce;
use crate::recorder::file::totals;
use crate::recorder::guard::spent;
use crate::recorder::process::recorded;

static LEFT: WarningOnce = WarningOnce::new(
    "calls were left by an exception or longjmp, or their thread ended inside them: they count for as long as something is \
     known to have happened in them",
);

/// Where the stack of the calling function ends.
#[inline(always)]
pub fn frame() -> usize {
    let frame;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a register.
    unsafe {
        std::arch::asm!("mov {}, rsp", out(reg) frame, options(nomem, nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("mov {}, sp", out(reg) frame, options(nomem, nostack, preserves_flags));
    }
    frame
}

impl Thread {
    /// The recorder begins to work, in a wrapper that is the program's own.
    #[inline(always)]
    pub fn work_from(&self, frame: usize) {
        self.work(true);
        self.frame.set(frame);
    }

    /// The same in the wrapper that this is inlined into, whose arguments have all registers.
    #[inline(always)]
    pub fn work_from_here(&self) {
        #[cfg(target_arch = "x86_64")]
        {
            self.work(true);
            // SAFETY: writes a word of this thread's own, which is in a cell.
            unsafe {
                std::arch::asm!(
                    "mov qword ptr [{thread} + {frame}], rsp",
                    thread = in(reg) self,
                    frame = const std::mem::offset_of!(Thread, frame),
                    options(nostack, preserves_flags),
                );
            }
        }
        #[cfg(target_arch = "aarch64")]
        self.work_from(frame());
    }

    /// A wrapper is done.
    #[inline(always)]
    pub fn rest(&self) {
        if self.nested() {
            self.work(false);
        } else {
            self.rest_outside();
        }
    }

    /// A wrapper is done that no call is around.
    #[inline(always)]
    pub fn rest_outside(&self) {
        self.frame.set(NO_FRAME);
        self.work(false);
    }

    /// The recorder works, or leaves the thread to MPI or the program.
    #[inline(always)]
    pub fn work(&self, at_work: bool) {
        // A handler sees what was written before, and nothing of what is written after.
        compiler_fence(SeqCst);
        self.at_rest.set(!at_work);
        compiler_fence(SeqCst);
    }

    /// Whether the recorder is at work.
    #[inline(always)]
    pub fn is_at_work(&self) -> bool {
        !self.at_rest.get()
    }

    /// Whether a call that may not be recorded comes from a signal handler that has interrupted the recorder at work. To a forked
    /// child, which finds zeros, no wrapper ends anywhere.
    fn is_interrupted(&self) -> bool {
        self.frame.get() != 0 && self.is_at_work()
    }

    /// A call that so many others are around ends: calls inside it that are open will not return.
    #[inline(always)]
    pub fn returns_to(&self, depth: u32) {
        if self.depth.get() > depth + 1 {
            self.abandon(depth + 1);
        }
    }

    /// The calls under way were left behind.
    pub(super) fn leave_behind(&self) {
        spent::abandon();
        self.abandon(0);
        self.engine.leave_all();
        self.are_none_open();
    }

    /// The thread is in no call any more.
    pub(super) fn are_none_open(&self) {
        self.depth.set(0);
        self.block.close();
        self.frame.set(NO_FRAME);
    }

    /// Records the calls the thread is in, but for the outermost so many, which will not return. How long they took is not
    /// known; as long as the last thing that happened inside them.
    #[cold]
    #[inline(never)]
    pub(super) fn abandon(&self, keep: u32) {
        let open = self.block.depth();
        self.depth.set(open);
        while self.depth.get() > keep {
            let signature = self.close_innermost(self.events.last.get().max(self.engine.last_ended()));
            self.call_left(signature);
        }
        if open > keep {
            LEFT.say();
        }
    }

    /// Records the innermost call the thread is in, which ended then. Returns its signature.
    pub(super) fn close_innermost(&self, end: u64) -> u32 {
        let Level { start, signature } = self.block.level(self.depth.get());
        let signature = signature as u32;
        // Whoever counts requests by records counts one for it.
        let takes_request = self.takes_request(signature);
        self.leave(signature, start, start.max(end));
        if takes_request {
            self.number_request();
        }
        signature
    }
}

/// Makes a call that the thread's recording has no place for. One that has interrupted the recorder counts by its function.
#[inline(always)]
pub fn aside<R>(call: Call, make: impl FnOnce() -> R) -> R {
    let since = interrupting(call);
    let result = make();
    if let Some(since) = since {
        totals::count(call.number(), &Change { calls: 1, duration: clock::now() - since, ..Change::default() });
    }
    result
}

#[cold]
#[inline(never)]
fn interrupting(call: Call) -> Option<u64> {
    let is_interrupted = current::thread().is_some_and(|thread| thread.is_interrupted());
    (is_interrupted && recorded::records(call)).then(clock::now)
}
