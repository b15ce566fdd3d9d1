//! Calls that never return: an exception or longjmp goes past them, or their thread ends inside.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

use traces::definitions::Definition;
use traces::file::{LEVELS, Level};

use super::shared;
use super::thread::Thread;
use crate::regions;

impl Thread {
    /// The thread ends. The one that goes on with its recording is in no call.
    pub fn end(&mut self) {
        self.abandon();
        regions::leave_all(self);
        self.engine.leave_all();
    }

    /// Records the calls the thread is in, which will not return. How long they took is not known; as long as the last
    /// thing that happened inside them.
    #[cold]
    #[inline(never)]
    fn abandon(&mut self) {
        // SAFETY: the block is mapped as long as the process lives, and written by this thread only.
        let open = unsafe { AtomicU32::from_ptr(&raw mut (*self.block.as_ptr()).depth).load(Relaxed) };
        self.depth = open;
        while self.depth > 0 {
            // SAFETY: as above; there are so many levels, and those below the depth are written.
            let Level { start, signature } =
                unsafe { (*self.block.as_ptr()).levels[(self.depth as usize).min(LEVELS) - 1] };
            let last = [self.events.last, self.empty_run().end].into_iter().max().unwrap_or(start);
            self.leave(signature as u32, start, start.max(last));
        }
        if open > 0 {
            abandoned();
        }
    }
}

#[cold]
fn abandoned() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Relaxed) {
        let warning = "calls were left by an exception or longjmp, or their thread ended inside them: they count for as \
                       long as something is known to have happened in them";
        shared::guard(|| shared::define(&Definition::Warning(warning.into())));
    }
}
