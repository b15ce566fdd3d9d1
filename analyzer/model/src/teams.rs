//! The parallel regions of OpenMP that a rank's threads started, and what the threads of their teams did meanwhile.
//!
//! In: a rank's records. Out: for each thread that started regions, their sums by call site, and its time in MPI with no region
//! around: there the other threads of its team have nothing to do.

use std::collections::BTreeMap;

use traces::file::WITH_TEAMS;
use traces::progress::Polls;
use traces::read::{ThreadPages, Visitor, walk_thread};
use traces::signature::NESTED;
use traces::teams::{OpenTeam, Teams};

use super::Rank;
use super::selection::{Cursor, LEFT_OUT};
use super::sums::Grow;

/// Regions of one call site, all times in ticks of the rank's clock.
#[derive(Clone, Copy, Default, Debug)]
pub struct TeamSums {
    pub count: u64,
    /// Threads of the largest team.
    pub threads: u64,
    /// Time from the regions' starts to their ends.
    pub inside: u64,
    /// The part of `inside` of regions with tasks or teams inside: who worked how long is unknown, so no other sum has them.
    pub unknown: u64,
    /// The number of these regions.
    pub unknown_count: u64,
    /// The threads' time in the other regions: each region's time for each of its threads.
    pub offered: u64,
    /// The threads' work, without waits.
    pub work: u64,
    /// The work of the longest thread of each region.
    pub longest: u64,
    /// The work of a region's threads on average, over all regions.
    pub mean: u64,
    pub barriers: u64,
    pub locks: u64,
}

impl TeamSums {
    fn add(&mut self, teams: &Teams) {
        self.count.grow(teams.count);
        self.threads = self.threads.max(teams.threads);
        self.inside.grow(teams.inside);
        if !teams.is_known() {
            self.unknown.grow(teams.inside);
            self.unknown_count.grow(teams.count);
            return;
        }
        self.offered.grow(teams.inside.saturating_mul(teams.threads));
        self.work.grow(teams.work);
        self.longest.grow(teams.longest);
        self.mean.grow(teams.work / teams.threads.max(1));
        self.barriers.grow(teams.barriers);
        self.locks.grow(teams.locks);
    }

    pub fn merge(&mut self, other: &TeamSums) {
        self.threads = self.threads.max(other.threads);
        for (own, more) in [
            (&mut self.count, other.count),
            (&mut self.inside, other.inside),
            (&mut self.unknown, other.unknown),
            (&mut self.unknown_count, other.unknown_count),
            (&mut self.offered, other.offered),
            (&mut self.work, other.work),
            (&mut self.longest, other.longest),
            (&mut self.mean, other.mean),
            (&mut self.barriers, other.barriers),
            (&mut self.locks, other.locks),
        ] {
            own.grow(more);
        }
    }

    /// Time for which threads had no work left, or had not begun, while their region lasted.
    pub fn idle(&self) -> u64 {
        self.offered.saturating_sub(self.work).saturating_sub(self.barriers).saturating_sub(self.locks)
    }
}

/// The parallel regions that one thread of a rank started. Times in ticks.
#[derive(Default, Debug)]
pub struct ThreadTeams {
    /// The thread's number.
    pub thread: u32,
    /// Its selected time.
    pub time: u64,
    /// Regions by call site.
    pub sites: BTreeMap<u32, TeamSums>,
    /// Time in MPI with no region around, by function and call site.
    pub mpi: BTreeMap<(u16, u32), u64>,
    /// Time in MPI inside regions.
    pub mpi_inside: u64,
}

impl ThreadTeams {
    /// All its regions.
    pub fn all(&self) -> TeamSums {
        let mut all = TeamSums::default();
        for sums in self.sites.values() {
            all.merge(sums);
        }
        all
    }

    /// Time in MPI with no region around.
    pub fn alone_in_mpi(&self) -> u64 {
        self.mpi.values().fold(0, |sum: u64, time| sum.saturating_add(*time))
    }

    /// Time neither in MPI nor in a region: the program's serial part.
    pub fn serial(&self) -> u64 {
        self.time.saturating_sub(self.alone_in_mpi()).saturating_sub(self.all().inside)
    }
}

/// True if some rank started parallel regions that the recorder saw.
pub fn has_teams(ranks: &[Rank]) -> bool {
    ranks.iter().any(|rank| rank.header.version >= WITH_TEAMS)
}

/// The threads of a rank that started regions.
pub fn of_rank(rank: &Rank) -> Vec<ThreadTeams> {
    if rank.header.version < WITH_TEAMS {
        return Vec::new();
    }
    let contents = rank.contents();
    let of_thread = |thread: &ThreadPages<'_>| {
        let keys = thread.signatures.by_number(None, |signature, _| {
            (signature.flags & NESTED == 0).then_some((signature.call, signature.site))
        });
        let cursor = Cursor::new(rank.stretches(thread.number));
        let mut reader = Reader { keys, cursor, is_inside: false, found: ThreadTeams::default() };
        walk_thread(thread, &mut reader);
        let (from, until) = rank.selected_ends();
        let time = rank.selection.as_ref().map_or(until - from, |selection| selection.time_of(thread.number));
        ThreadTeams { thread: thread.number, time, ..reader.found }
    };
    contents.threads.iter().map(of_thread).filter(|found| !found.sites.is_empty()).collect()
}

struct Reader<'a> {
    /// Function and call site by signature number.
    keys: Vec<Option<(u16, u32)>>,
    cursor: Cursor<'a>,
    /// True among the calls of a region that has not ended.
    is_inside: bool,
    found: ThreadTeams,
}

impl Reader<'_> {
    fn spent(&mut self, signature: u32, start: u64, time: u64) {
        let Some(key) = self.keys.get(signature as usize).copied().flatten() else { return };
        if self.cursor.part_at(start) == LEFT_OUT {
            return;
        }
        let sum = if self.is_inside { &mut self.found.mpi_inside } else { self.found.mpi.entry(key).or_default() };
        sum.grow(time);
    }
}

impl Visitor for Reader<'_> {
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        self.spent(signature, start, duration);
    }

    fn polls(&mut self, polls: &Polls) {
        self.spent(polls.signature as u32, polls.start, polls.total);
    }

    fn open_team(&mut self, _team: OpenTeam) {
        self.is_inside = true;
    }

    fn teams(&mut self, teams: &Teams) {
        self.is_inside = false;
        if self.cursor.part_at(teams.start) != LEFT_OUT {
            self.found.sites.entry(teams.site as u32).or_default().add(teams);
        }
    }
}
