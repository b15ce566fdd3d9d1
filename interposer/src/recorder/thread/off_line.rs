//! Splits the ticks off the straight line, of the thread that starts and ends MPI, into those of starting and ending
//! and the rest.

use std::sync::atomic::Ordering::Relaxed;

use super::recording::Thread;
use crate::recorder::guard::spent;

impl Thread {
    /// Ticks off the straight line so far, without those of starting and ending MPI.
    pub fn off_line_between(&self) -> u64 {
        match self.block.starting() {
            0 => 0,
            starting => self.listed.off_line.load(Relaxed).wrapping_sub(starting),
        }
    }

    /// Charges all ticks off the straight line, except those `between`, to the start and the end of MPI.
    pub fn charge_start_and_end(&self, between: u64) {
        self.block.set_starting(self.listed.off_line.load(Relaxed).wrapping_sub(between), spent::waited());
    }
}
