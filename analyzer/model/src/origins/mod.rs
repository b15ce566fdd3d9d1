//! Origins of waiting: each wait followed back to the rank, and to the part of the program, that caused the delay itself.
//!
//! In: the waits of a run, one by one, and all ranks' calls. Out: for each [`Activity`] of each rank, its times and the time that
//! others waited meanwhile. At each moment of a wait the awaited rank computes, is in a call, or waits itself; in the last case the
//! moment counts for the rank that it waits for, and so on (propagation and root causes of wait states after Böhme, Geimer, Wolf,
//! Arnold: "Identifying the root causes of wait states in large-scale parallel applications", 2010). Only first threads count.

mod activities;
mod chase;
mod duration_bins;

use rustc_hash::FxHashMap;

use super::matching::WaitKey;
use super::sums::Grow;
pub use activities::ActivityReader;
pub use chase::{BlamedTime, Chase, ChasedPart, OwnWait};
pub use duration_bins::DurationBins;

/// A part of the program, by the numbers of its calls' sites.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Activity {
    /// Computation between two calls.
    Between(u32, u32),
    /// A call, without the time that it waited for others.
    In(u32),
}

impl Activity {
    pub fn is_call(self) -> bool {
        matches!(self, Activity::In(_))
    }
}

/// One rank's times in an activity. Nanoseconds.
#[derive(Clone, Default, Debug)]
pub struct ActivityTimes {
    pub count: u64,
    pub total: i64,
    pub bins: DurationBins,
    /// Waiting time of other ranks meanwhile, summed over these ranks.
    pub blamed: i64,
    /// The part of `blamed` that reached this rank through others that waited, too.
    pub indirect: i64,
    /// Time in which at least one rank waited.
    pub waited_for: i64,
    /// Time in which at least four fifths of the other ranks waited.
    pub alone: i64,
    /// Cases in which others waited meanwhile.
    pub late: u64,
    /// Number of stretches of cases, one after another, in which others waited.
    pub stretches: u64,
    /// Others waited in the last case.
    pub is_late: bool,
    /// `blamed` by the wait that led here.
    pub waits: FxHashMap<WaitKey, i64>,
}

/// All waits of a run, by the activity that caused them.
#[derive(Clone)]
pub struct WaitOrigins {
    /// By the rank's place in [`Run::ranks`](super::Run::ranks).
    pub activities: FxHashMap<(u32, Activity), ActivityTimes>,
    /// Time of waits for which no single rank is to blame.
    pub unknown: i64,
}

impl ActivityTimes {
    pub fn add(&mut self, time: i64) {
        self.count.grow(1);
        self.total.grow(time);
        self.bins.add(time);
    }
}
