//! Calls that are interrupted by a signal handler that calls MPI while the recorder is at work, and calls that never
//! return, because an exception or longjmp has passed them or their thread has ended.
//!
//! Each wrapper notes the address of its frame. A wrapper that begins finds out if the open ones are still on its
//! stack, or on [another](super::stack_switch).

use std::sync::atomic::{Ordering::*, compiler_fence};

use traces::calls::Call;
use traces::file::Level;

use super::current;
use super::recording::{NO_FRAME, Thread};
use crate::clock;
use crate::recorder::file::entry::Change;
use crate::recorder::file::shared::WarningOnce;
use crate::recorder::file::totals::{self, CountedCalls};
use crate::recorder::guard::spent;
use crate::recorder::process::recorded;
use crate::signals::put_off;

static LEFT: WarningOnce = WarningOnce::new(
    "calls were left by an exception or longjmp, or their thread ended inside them: they count for as long as something is \
     known to have happened in them",
);

/// The calling function's stack pointer, which identifies its frame.
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
    /// Marks the recorder as at work, in a wrapper with this frame that the program has called.
    #[inline(always)]
    pub fn work_from(&self, frame: usize) {
        self.work(true);
        self.frame.set(frame);
    }

    /// Like [`work_from`](Self::work_from), with the frame of the wrapper that this is inlined into. In assembly, since
    /// the wrapper's arguments take all registers.
    #[inline(always)]
    pub fn work_from_here(&self) {
        #[cfg(target_arch = "x86_64")]
        {
            self.work(true);
            // SAFETY: writes a word of this thread, which is in a cell.
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

    /// Ends the recorder's work in a wrapper.
    #[inline(always)]
    pub fn rest(&self) {
        if self.nested() {
            self.work(false);
        } else {
            self.rest_outside();
        }
    }

    /// Ends the recorder's work in a wrapper that is not inside another call.
    #[inline(always)]
    pub fn rest_outside(&self) {
        self.frame.set(NO_FRAME);
        self.work(false);
    }

    /// Sets whether the recorder is at work, or has left the thread to MPI or the program.
    #[inline(always)]
    pub fn work(&self, at_work: bool) {
        // For signal handlers: earlier writes come before the flag, later ones after it.
        compiler_fence(SeqCst);
        self.at_rest.set(!at_work);
        compiler_fence(SeqCst);
    }

    #[inline(always)]
    pub fn is_at_work(&self) -> bool {
        !self.at_rest.get()
    }

    /// True if a call comes from a signal handler that has interrupted the recorder at work. `false` in a forked child,
    /// where the frame is zeroed.
    fn is_interrupted(&self) -> bool {
        self.frame.get() != 0 && self.is_at_work()
    }

    /// Closes the calls that are still open inside a call that returns at nesting level `depth`: they will never
    /// return.
    #[inline(always)]
    pub fn returns_to(&self, depth: u32) {
        if self.depth.get() > depth + 1 {
            self.abandon(depth + 1);
        }
    }

    /// Closes all open calls, which will not return.
    pub(super) fn leave_behind(&self) {
        spent::abandon();
        put_off::abandon();
        self.abandon(0);
        self.engine.leave_all();
        self.are_none_open();
    }

    /// Notes that the thread is in no call.
    pub(super) fn are_none_open(&self) {
        self.depth.set(0);
        self.block.close();
        self.frame.set(NO_FRAME);
    }

    /// Records the open calls beyond the outermost `keep` as left: they will never return. Their end is unknown, so
    /// they end with the last event inside them.
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

    /// Records the innermost open call as ended at `end`, in ticks. Returns its signature.
    pub(super) fn close_innermost(&self, end: u64) -> u32 {
        let Level { start, signature } = self.block.level(self.depth.get());
        let signature = signature as u32;
        // Readers count a request for the record of such a call.
        let takes_request = self.takes_request(signature);
        self.leave(signature, start, start.max(end));
        if takes_request {
            self.number_request();
        }
        signature
    }
}

/// Makes a call that is not recorded. If it has interrupted the recorder, the totals count it by its function.
#[inline(always)]
pub fn aside<R>(call: Call, make: impl FnOnce() -> R) -> R {
    let since = interrupting(call);
    let result = make();
    if let Some(since) = since {
        totals::count(
            CountedCalls::of(call.number(), 0),
            &Change { calls: 1, duration: clock::now() - since, ..Change::default() },
        );
    }
    result
}

#[cold]
#[inline(never)]
fn interrupting(call: Call) -> Option<u64> {
    let is_interrupted = current::thread().is_some_and(|thread| thread.is_interrupted());
    (is_interrupted && recorded::records(call)).then(clock::now)
}
