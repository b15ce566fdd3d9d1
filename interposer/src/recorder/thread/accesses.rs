//! A thread's accesses to files since its last call of MPI: a run for each operation, file and call site, until the call ends.

use std::ptr::NonNull;

use traces::file::WITH_ACCESSES;

use super::kept_accesses::{FileAccess, KeptRun, KeptRuns, place};
use super::recording::Thread;
use crate::recorder::file::shared;
use recorder_core::memory;

/// Ticks from which on an access has a record of its own: a millisecond or two.
const LONG: u64 = 1 << 22;

impl Thread {
    /// True if an access that begins or ends now can be recorded: not in a profile, nor inside MPI.
    #[inline(always)]
    pub fn may_access(&self) -> bool {
        // A profile begins where the records are over.
        self.may_begin() && !self.is_over()
    }

    /// Records an access from a call site with this address; `number` finds the site's number. The recorder must be at work.
    pub fn accessed(&self, access: &FileAccess, address: u64, number: impl FnOnce() -> u32) {
        let Some(kept) = NonNull::new(self.kept_accesses.get()).or_else(|| self.prepare_for_accesses()) else { return };
        self.has_more();
        if access.end.wrapping_sub(access.start) >= LONG {
            self.write(&access.run(number()).words(self.events.last.get()));
            return;
        }
        // SAFETY: memory of this thread, which is never freed; the recorder is at work, so nobody else uses it.
        let kept = unsafe { &mut *kept.as_ptr() };
        let at = place(address, access);
        let Some(run) = kept.runs.get_mut(at) else { return };
        let later = access.run(run.accesses.site);
        let is_same = run.address == address
            && (run.accesses.operation, run.accesses.file) == (later.operation, later.file)
            && run.accesses.count > 0;
        if is_same && run.accesses.join(&later) {
            return;
        }
        if run.accesses.count > 0 {
            self.write(&run.accesses.words(self.events.last.get()));
        }
        *run = KeptRun { address, accesses: access.run(number()) };
        kept.used |= 1 << at;
    }

    #[cold]
    #[inline(never)]
    fn prepare_for_accesses(&self) -> Option<NonNull<KeptRuns>> {
        shared::output()?.header().needs_version(WITH_ACCESSES);
        let kept = memory::zeroed::<KeptRuns>(1)?;
        self.kept_accesses.set(kept.as_ptr());
        Some(kept)
    }

    /// Records the runs of accesses, if there are any. The recorder must be at work.
    #[inline(always)]
    pub(super) fn tell_accesses(&self) {
        // SAFETY: as above.
        if let Some(kept) = unsafe { self.kept_accesses.get().as_mut() }
            && kept.used != 0
        {
            self.tell_kept(kept);
        }
    }

    #[inline(never)]
    fn tell_kept(&self, kept: &mut KeptRuns) {
        while kept.used != 0 {
            let at = kept.used.trailing_zeros() as usize;
            kept.used &= kept.used - 1;
            if let Some(run) = kept.runs.get_mut(at) {
                self.write(&run.accesses.words(self.events.last.get()));
                run.accesses.count = 0;
            }
        }
    }
}
