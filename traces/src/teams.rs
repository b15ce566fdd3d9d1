//! Teams: the threads that together execute a parallel region of OpenMP, and what each run of such a region took.
//!
//! Teams of one region that follow each other with no call in between are one run, as polls are. A thread's block holds the
//! run since the last record. All sums are over the run's teams and their threads, in ticks.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::record::{RecordKind, bits};

/// Parallel regions that a thread has started one after another from the same call site. The run is empty if `count` is
/// 0.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Teams {
    /// Start of the first region, ticks.
    pub start: u64,
    /// End of the last region, ticks.
    pub end: u64,
    /// The number of regions.
    pub count: u64,
    /// The number of the call site that starts the regions.
    pub site: u64,
    /// Threads of each team.
    pub threads: u64,
    /// Regions that had tasks or teams inside, or threads without a place of their own: how long their threads worked is
    /// unknown, and no sum but `inside` has them.
    pub unknown: u64,
    /// Time from the regions' starts to their ends.
    pub inside: u64,
    /// Time in which threads executed a region, without `barriers` and `locks`.
    pub work: u64,
    /// The work of the thread that worked longest, of each region.
    pub longest: u64,
    /// The work of the thread that started the regions.
    pub own: u64,
    /// Time of threads in barriers, also in those at the end of loops, sections and single blocks.
    pub barriers: u64,
    /// Time of threads in waits for critical sections, locks and their turn.
    pub locks: u64,
}

impl Teams {
    /// Time that the threads had in the regions whose work is known: each team's threads times its time. Known only
    /// where all regions of the run are.
    pub fn is_known(&self) -> bool {
        self.unknown == 0
    }

    /// The words of a record, which counts from the end of the last one.
    pub const fn words(&self, last: u64) -> [u64; 10] {
        [
            RecordKind::Teams.word() | bits!(Teams.threads).put(self.threads) | bits!(Teams.count).put(self.count),
            bits!(Teams.site).put(self.site) | bits!(Teams.unknown).put(self.unknown),
            self.start.wrapping_sub(last),
            self.end.wrapping_sub(self.start),
            self.inside,
            self.work,
            self.longest,
            self.own,
            self.barriers,
            self.locks,
        ]
    }

    /// Decodes [`words`](Self::words). `last` is the end of the record before.
    pub const fn from_words(words: [u64; 10], last: u64) -> Teams {
        let [first, second, gap, span, inside, work, longest, own, barriers, locks] = words;
        let start = last.wrapping_add(gap);
        Teams {
            start,
            end: start.wrapping_add(span),
            count: bits!(Teams.count).get(first),
            site: bits!(Teams.site).get(second),
            threads: bits!(Teams.threads).get(first),
            unknown: bits!(Teams.unknown).get(second),
            inside,
            work,
            longest,
            own,
            barriers,
            locks,
        }
    }
}

/// The most threads that a record can say; larger teams are said as this large.
pub const MOST_THREADS: u64 = (1 << bits!(Teams.threads).width) - 1;
/// The most regions of a run.
pub const MOST_REGIONS: u64 = (1 << bits!(Teams.unknown).width) - 1;

/// A region in which the thread has called MPI, and which has not ended: where its calls begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenTeam {
    /// Start of the region, ticks.
    pub start: u64,
    /// The number of the call site that started it.
    pub site: u32,
}

impl OpenTeam {
    /// The words of a record, which counts from the end of the last one.
    pub const fn words(self, last: u64) -> [u64; 2] {
        let first = RecordKind::OpenTeam.word() | bits!(OpenTeam.site).put(self.site as u64);
        [first, self.start.wrapping_sub(last)]
    }

    /// Decodes [`words`](Self::words).
    pub const fn from_words(words: [u64; 2], last: u64) -> OpenTeam {
        let [first, gap] = words;
        OpenTeam { start: last.wrapping_add(gap), site: bits!(OpenTeam.site).get(first) as u32 }
    }
}
