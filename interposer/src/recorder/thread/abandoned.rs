//! Calls that are interrupted: by a signal handler that calls MPI while the recorder is at work, and for good by an
//! exception or longjmp that goes past them, or by the end of their thread.
//!
//! Wrappers say where their stack is. One that begins no deeper than one that is open has found it left behind; of one that
//! begins deeper, the [stack](super::stack) says whether the open one is still on it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*, compiler_fence};

use traces::calls::Call;
use traces::definitions::Definition;
use traces::file::{LEVELS, Level};

use super::current;
use super::recording::{NO_FRAME, Thread};
use super::stack::{self, SignalStack};
use crate::clock;
use crate::recorder::file::shared;
use crate::recorder::file::totals::{self, Change};
use crate::recorder::guard;
use crate::recorder::guard::spent;
use crate::recorder::process::recorded;

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
    pub fn work_from(&mut self, frame: usize) {
        self.work(true);
        self.frame = frame;
    }

    /// A wrapper is done.
    #[inline(always)]
    pub fn rest(&mut self) {
        if self.depth == 0 {
            self.frame = NO_FRAME;
        }
        self.work(false);
    }

    /// The recorder works, or leaves the thread to MPI or the program.
    #[inline(always)]
    pub fn work(&mut self, at_work: bool) {
        // A handler sees what was written before, and nothing of what is written after.
        compiler_fence(SeqCst);
        self.at_rest = !at_work;
        compiler_fence(SeqCst);
    }

    /// Whether the recorder is at work.
    #[inline(always)]
    pub fn is_at_work(&self) -> bool {
        !self.at_rest
    }

    /// Whether a wrapper that begins may record.
    #[inline(always)]
    pub fn may_work(&mut self, frame: usize) -> bool {
        (self.depth == 0 && self.at_rest) || self.may_work_inside(frame)
    }

    #[cold]
    #[inline(never)]
    fn may_work_inside(&mut self, frame: usize) -> bool {
        // No wrapper ends there: these are the zeros that a forked child finds.
        if self.frame == 0 {
            return false;
        }
        let signals = SignalStack::of_thread();
        if (frame >= self.frame && !signals.is_used) || stack::is_open(self.frame, frame, &signals) == Some(false) {
            self.end();
        }
        self.at_rest
    }

    /// Whether a call that may not be recorded comes from a signal handler that has interrupted the recorder at work. To a forked
    /// child, which finds zeros, no wrapper ends anywhere.
    fn is_interrupted(&self) -> bool {
        self.frame != 0 && !self.at_rest
    }

    /// The thread ends, or has left all calls it was in. Whoever goes on with its recording is in none.
    pub fn end(&mut self) {
        spent::abandon();
        self.abandon(0);
        self.leave_regions();
        self.engine.leave_all();
        self.rest();
    }

    /// A call that so many others are around ends: calls inside it that are open will not return.
    #[inline(always)]
    pub fn returns_to(&mut self, depth: u32) {
        if self.depth > depth + 1 {
            self.abandon(depth + 1);
        }
    }

    /// Records the calls the thread is in, but for the outermost so many, which will not return. How long they took is not
    /// known; as long as the last thing that happened inside them.
    #[cold]
    #[inline(never)]
    pub(super) fn abandon(&mut self, keep: u32) {
        // SAFETY: the block is mapped as long as the process lives, and written by this thread only.
        let open = unsafe { AtomicU32::from_ptr(&raw mut (*self.block.as_ptr()).depth).load(Relaxed) };
        self.depth = open;
        while self.depth > keep {
            // SAFETY: as above; there are so many levels, and those below the depth are written.
            let Level { start, signature } =
                unsafe { (*self.block.as_ptr()).levels[(self.depth as usize).min(LEVELS) - 1] };
            let last = self.events.last.max(self.engine.last);
            // Whoever counts requests by records counts one for it.
            let requests = u64::from(self.takes_request(signature as u32));
            self.leave(signature as u32, start, start.max(last));
            self.events.started += requests;
            self.call_left(signature as u32);
        }
        if open > keep {
            abandoned();
        }
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

#[cold]
fn abandoned() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Relaxed) {
        let warning = "calls were left by an exception or longjmp, or their thread ended inside them: they count for as \
                       long as something is known to have happened in them";
        guard::run(|| shared::define(&Definition::Warning(warning.into())));
    }
}
