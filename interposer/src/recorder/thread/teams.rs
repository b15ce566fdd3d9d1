//! Parallel regions of OpenMP that a thread starts, kept as a run in the thread's block until something else is recorded.
//!
//! In: the start and the end of each region, and each thread's place in the team, where the thread has noted its work. A
//! region in which the thread calls MPI gets a record before the first of these calls.

use std::sync::atomic::{AtomicU64, Ordering::*};

use traces::file::WITH_TEAMS;
use traces::teams::{MOST_REGIONS, MOST_THREADS, OpenTeam, Teams};

use super::recording::Thread;
use super::team_places::{BegunTeam, PLACES, TeamPlace};
use crate::clock;
use crate::recorder::file::shared;
use recorder_core::memory;

impl Thread {
    /// True if a region that begins now can be recorded: not in a profile, nor inside MPI or another region.
    pub fn may_begin_team(&self) -> bool {
        self.may_begin() && self.team.start.get() == 0 && !self.is_over() && !self.has_profile()
    }

    /// Begins a region from a call site; `None` if there is no memory for the team's places. The recorder must be at
    /// work.
    pub fn begin_team(&self, site: u32) -> Option<BegunTeam> {
        if self.team.places.get().is_null() {
            self.prepare_for_teams()?;
        }
        if !self.block.polls().is_empty() {
            self.end_polls();
        }
        self.team.site.set(site);
        self.team.is_told.set(false);
        // A call of MPI in the region writes a record first.
        self.has_more();
        // SAFETY: memory for so many places, which is zeroed and never freed; they are atomic.
        let places = unsafe { std::slice::from_raw_parts(self.team.places.get(), PLACES) };
        let start = clock::now();
        self.team.start.set(start);
        Some(BegunTeam { start, places })
    }

    #[cold]
    #[inline(never)]
    fn prepare_for_teams(&self) -> Option<()> {
        shared::output()?.header().needs_version(WITH_TEAMS);
        self.team.places.set(memory::zeroed::<TeamPlace>(PLACES)?.as_ptr());
        Some(())
    }

    /// Ends the region, which so many threads have executed. The recorder must be at work.
    pub fn end_team(&self, begun: BegunTeam, threads: usize) {
        let end = clock::now();
        if self.team.start.replace(0) != begun.start {
            return;
        }
        let teams = account(begun, threads, self.team.site.get(), end);
        if self.team.is_told.get() && !self.block.polls().is_empty() {
            self.end_polls();
        }
        if self.team.is_told.get() || !self.join(&teams) {
            self.end_teams();
            self.begin_run(&teams);
        }
        if self.team.is_told.replace(false) {
            self.end_teams();
        }
        self.has_more();
    }

    /// Adds a region to the run in the block. `false` if it differs from those, or there is none.
    fn join(&self, teams: &Teams) -> bool {
        let run = self.block.teams();
        let (count, unknown) = (run.count.load(Relaxed), run.unknown.load(Relaxed));
        let is_same = run.site.load(Relaxed) == teams.site && run.threads.load(Relaxed) == teams.threads;
        if count == 0 || count >= MOST_REGIONS || !is_same || (unknown == 0) != (teams.unknown == 0) {
            return false;
        }
        let add = |field: &AtomicU64, by: u64| field.store(field.load(Relaxed).wrapping_add(by), Release);
        run.end.store(teams.end, Release);
        add(&run.unknown, teams.unknown);
        add(&run.inside, teams.inside);
        add(&run.work, teams.work);
        add(&run.longest, teams.longest);
        add(&run.own, teams.own);
        add(&run.barriers, teams.barriers);
        add(&run.locks, teams.locks);
        run.count.store(count + 1, Release);
        true
    }

    fn begin_run(&self, teams: &Teams) {
        let run = self.block.teams();
        run.start.store(teams.start, Release);
        run.end.store(teams.end, Release);
        run.site.store(teams.site, Release);
        run.threads.store(teams.threads, Release);
        run.unknown.store(teams.unknown, Release);
        run.inside.store(teams.inside, Release);
        run.work.store(teams.work, Release);
        run.longest.store(teams.longest, Release);
        run.own.store(teams.own, Release);
        run.barriers.store(teams.barriers, Release);
        run.locks.store(teams.locks, Release);
        run.count.store(1, Release);
    }

    /// Records the run of regions, if there is one. The recorder must be at work.
    #[inline(never)]
    pub(super) fn end_teams(&self) {
        let run = self.block.teams();
        if run.count.load(Relaxed) > 0 {
            self.write(&run.read().words(self.events.last.get()));
            run.count.store(0, Release);
        }
    }

    /// Ends the region that the thread is in, since it will not return there, and records it as unknown. The recorder must
    /// be at work.
    pub(super) fn leave_team(&self) {
        let start = self.team.start.get();
        if start != 0 {
            self.end_team(BegunTeam { start, places: &[] }, 1);
        }
        self.end_teams();
    }

    /// Records the run of regions, and the one that the thread is in, before a call in it.
    pub(super) fn tell_teams(&self) {
        self.end_teams();
        let start = self.team.start.get();
        if start != 0 && !self.team.is_told.replace(true) {
            self.write(&OpenTeam { start, site: self.team.site.get() }.words(self.events.last.get()));
        }
    }
}

/// What the threads of a team have noted.
fn account(begun: BegunTeam, threads: usize, site: u32, end: u64) -> Teams {
    let inside = end.wrapping_sub(begun.start);
    let mut all = Teams {
        start: begun.start,
        end,
        count: 1,
        site: site.into(),
        threads: (threads as u64).min(MOST_THREADS),
        inside,
        ..Teams::default()
    };
    let own = begun.places.iter().take(threads).filter(|place| place.region.load(Acquire) == begun.start);
    let mut seen = 0;
    for (at, place) in own.enumerate() {
        let (barriers, locks) = (place.barriers.load(Relaxed), place.locks.load(Relaxed));
        let work = place.busy.load(Relaxed).saturating_sub(barriers.saturating_add(locks));
        all.unknown |= place.mixed.load(Relaxed);
        all.work += work;
        all.longest = all.longest.max(work);
        all.barriers += barriers;
        all.locks += locks;
        if at == 0 {
            all.own = work;
        }
        seen += 1;
    }
    if seen == threads && all.unknown == 0 {
        return all;
    }
    Teams { unknown: 1, work: 0, longest: 0, own: 0, barriers: 0, locks: 0, ..all }
}
