//! Ticks off the straight line, of the thread that starts and ends MPI: those of starting and ending apart from the rest.

use std::sync::atomic::Ordering::Relaxed;

use super::recording::Thread;
use crate::recorder::guard::spent;

impl Thread {
    /// Ticks off the straight line that neither starting nor ending MPI took, so far.
    pub fn off_line_between(&self) -> u64 {
        match self.block.starting() {
            0 => 0,
            starting => self.listed.off_line.load(Relaxed).wrapping_sub(starting),
        }
    }

    /// Charges the start and the end of MPI with all ticks off the straight line but those `between`.
    pub fn charge_start_and_end(&self, between: u64) {
        self.block.set_starting(self.listed.off_line.load(Relaxed).wrapping_sub(between), spent::waited());
    }
}
