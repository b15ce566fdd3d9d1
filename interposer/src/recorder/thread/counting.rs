//! The calls of a thread that its profile counts.

use std::sync::atomic::Ordering::Relaxed;

use traces::progress::Entries;
use traces::record::UNNUMBERED;
use traces::signature::CREATES;

use super::Thread;
use super::engine_records::ENTRIES;
use super::profile::{self, Profile};
use crate::recorder::file::entry::Change;
use crate::recorder::file::pages::Output;
use crate::recorder::file::totals::{self, CountedCalls};

impl Thread {
    /// Ends events; from here on the profile counts calls.
    pub(super) fn profile_begins(&self, output: &Output) {
        self.events.end();
        output.keep(-(self.kept.take() as i64));
        let profile = Profile::begin(output, self.listed.number, self.next_number(), self.block.totals());
        *self.profile.lend() = Some(profile);
    }

    /// True if the profile counts calls.
    #[inline(always)]
    pub(super) fn has_profile(&self) -> bool {
        self.profile.lend().is_some()
    }

    /// Reserves room in the file for the profile that takes over when events have to stop.
    pub(super) fn keep_room(&self, output: &Output) {
        let (needed, kept) = (profile::room_for(self.next_number()), self.kept.get());
        if needed > kept && !self.has_profile() {
            output.keep((needed - kept) as i64);
            self.kept.set(needed);
        }
    }

    /// Counts a call that began at `start`. It is the innermost one that is open, or a poll that had no record yet.
    #[cold]
    pub(super) fn count(&self, signature: u32, start: u64, duration: u64) {
        let (call, flags, moves) = match self.key(signature) {
            None => (self.unnumbered().call, self.unnumbered().flags, self.unnumbered().moves()),
            Some(key) => (key.call, key.flags, key.moves()),
        };
        // A persistent request moves its bytes when it is started, not when it is created.
        let moves = if flags & CREATES == 0 { moves } else { (0, 0) };
        let calls = CountedCalls::of(call, flags);
        if let Some(profile) = self.profile() {
            profile.add(signature, calls, duration, moves, |(number, count)| {
                if self.block.level(self.depth.get()).start == start {
                    self.block.set_counted(self.depth.get(), number, count);
                }
            });
            self.is_profiled();
        } else if signature == UNNUMBERED {
            totals::count(calls, &Change::of_call(duration, moves));
        }
    }

    /// Counts a call as the last one with its signature, and its entries into the engine. `false` if there is no profile, it
    /// has not counted this signature lately, or there is more to write than that.
    #[inline(always)]
    pub(super) fn count_as_before(&self, signature: u32, duration: u64) -> bool {
        let Some(profile) = self.profile() else { return false };
        let during = match self.pending.get() {
            0 => Entries::default(),
            // Entries belong to the outermost call.
            ENTRIES if self.depth.get() <= 1 => self.engine.entries().since(&self.engine.reported.get()),
            _ => return false,
        };
        let announce = |(number, count)| self.block.set_counted(self.depth.get(), number, count);
        if !profile.add_recent(signature, duration, during, announce) {
            return false;
        }
        if self.pending.get() != 0 {
            self.engine.reported.set(self.engine.entries());
            self.write_productive(u64::MAX);
            self.pending.set(0);
        }
        self.is_profiled();
        true
    }

    /// Notes that the profile has counted a call.
    #[inline(always)]
    fn is_profiled(&self) {
        self.listed.profiled.store(self.listed.profiled.load(Relaxed) + 1, Relaxed);
    }

    /// The profile, if there is one: [lent](AtWork::lend).
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub(super) fn profile(&self) -> Option<&mut Profile> {
        self.profile.lend_out().as_mut()
    }
}
