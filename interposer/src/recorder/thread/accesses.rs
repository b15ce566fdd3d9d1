//! A thread's accesses to files since its last call of MPI, and its sleeps: a run for each operation, file and call site, until the call
//! ends.

use std::ptr::NonNull;

use traces::file::WITH_ACCESSES;

use super::kept_accesses::{KeptRun, KeptRuns, LibraryAccess, place};
use super::recording::Thread;
use crate::recorder::file::shared;
use crate::recorder::guard;
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

    /// Records an access from a call site with this address. The recorder must be at work.
    pub fn accessed(&self, access: &LibraryAccess, address: u64) {
        let Some(kept) = NonNull::new(self.kept_accesses.get()).or_else(|| self.prepare_for_accesses()) else { return };
        self.has_more();
        if access.end.wrapping_sub(access.start) >= LONG {
            self.write(&access.run(site_number(address)).words(self.events.last.get()));
            return;
        }
        // SAFETY: memory of this thread, which is never freed; the recorder is at work, so nobody else uses it.
        let kept = unsafe { &mut *kept.as_ptr() };
        let at = place(address, access);
        let Some(run) = kept.runs.get_mut(at) else { return };
        if run.join(address, &access.run(0)) {
            return;
        }
        self.tell(run);
        *run = KeptRun { address, accesses: access.run(site_number(address)) };
        kept.used |= 1 << at;
    }

    /// Records a sleep, which may have ended with a lock of the program: it joins the runs that are kept, without a lock, a record
    /// or a name for its call site until these are told. Where all places are taken, it is lost.
    pub fn slept_for_lock(&self, sleep: &LibraryAccess, address: u64) {
        let Some(kept) = NonNull::new(self.kept_accesses.get()).or_else(|| self.prepare_for_accesses()) else { return };
        self.has_more();
        // SAFETY: as above.
        unsafe { &mut *kept.as_ptr() }.add(address, sleep);
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
                self.tell(run);
                run.accesses.count = 0;
            }
        }
    }

    /// Records a run, if it is one.
    fn tell(&self, run: &mut KeptRun) {
        if run.accesses.count > 0 {
            if run.accesses.site == 0 {
                run.accesses.site = site_number(run.address);
            }
            self.write(&run.accesses.words(self.events.last.get()));
        }
    }
}

fn site_number(address: u64) -> u32 {
    shared::known_site(address).unwrap_or_else(|| new_site(address))
}

#[cold]
#[inline(never)]
fn new_site(address: u64) -> u32 {
    let define = || {
        let mut shared = shared::lock();
        shared::known_site(address).unwrap_or_else(|| shared.add_site(address, |_| None))
    };
    if address == 0 { 0 } else { guard::run(define).unwrap_or(0) }
}
