//! A recording into memory, to measure what recording costs.

use traces::file::Mode;

use super::events::Events;
use super::profile::Profile;
use super::recording::Thread;
use crate::recorder::process::sampling;
use recorder_core::memory;

/// The number of a recording that is only in memory, to measure costs.
const REHEARSAL: u32 = u32::MAX;

impl Thread {
    /// Begins a recording in memory, with room for `words` words; in profile mode they stay empty.
    pub fn rehearsal(words: usize, mode: Mode) -> Option<&'static Thread> {
        let thread = Thread::new(REHEARSAL, memory::zeroed(1)?, Events::in_memory(words)?)?;
        // SAFETY: it was just made, no other thread knows it, and it is never freed.
        let this: &'static Thread = unsafe { thread.as_ref() };
        this.samples.is_on.set(sampling::is_on());
        if mode == Mode::Profile {
            this.events.end();
            *this.profile.lend() = Some(Profile::in_memory(REHEARSAL, this.block.totals())?);
        }
        Some(this)
    }

    pub fn is_rehearsal(&self) -> bool {
        self.number() == REHEARSAL
    }
}
