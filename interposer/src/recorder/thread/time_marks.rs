//! Records of moments between calls.

use traces::progress;

use super::recording::Thread;
use crate::clock;

impl Thread {
    /// Writes a record of the current time; `record` gets the ticks since the last record.
    pub(super) fn mark<const N: usize>(&self, record: impl FnOnce(u64) -> [u64; N]) {
        let now = clock::now();
        self.end_polls();
        self.end_teams();
        self.tell_accesses();
        let (skip, gap) = progress::skip(self.events.last.get(), now);
        if let Some(word) = skip {
            self.write(&[word]);
            self.events.last.set(now);
        }
        if self.write(&record(gap)) {
            self.events.last.set(now);
        }
    }
}
