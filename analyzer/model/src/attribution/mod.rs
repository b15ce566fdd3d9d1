//! Attribution of time: each nanosecond of a rank between MPI_Init and MPI_Finalize lies in exactly one entry.
//!
//! In: the calls of all ranks, their waits, and the readings of their use of the machine. Out: for each rank its times by place and kind,
//! which add up to its life, and for each wait the ranks that others waited for, by what these did meanwhile.
//!
//! One order decides among what may be said of a moment: it lies inside a call or between two; inside a call it is a wait if a wait was
//! found there, else a poll that found nothing, else the call itself. Between calls it is an access to a file or a sleep if there is one; from the rest,
//! what the readings say is taken from the places of their interval in proportion: readings know no place, so time off the core is an entry
//! of the rank.

mod iterations;
mod loops;
mod off_core;
mod reader;
mod readings;
mod threads;

use rustc_hash::FxHashMap;

use super::accesses::AccessKey;
use super::matching::{WaitKey, WaitState};
use super::origins::Activity;
use super::sums::{Grow, Total};
pub use iterations::{IterationReader, RankIterations};
pub use loops::{Loop, LoopFinder, find_loop};
pub use off_core::off_core;
pub use reader::TimeReader;
pub use threads::{ThreadTimes, other_threads};

/// The kinds of a rank's time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Spent {
    /// Outside MPI, as far as no other kind takes it.
    #[default]
    Computing,
    /// Outside MPI, between polls that found nothing.
    BetweenPolls,
    /// Outside MPI, between the polls of a wait.
    WaitingByHand(WaitState),
    /// Outside MPI, in accesses to files.
    InFile,
    /// Outside MPI, in calls of the program that sleep.
    Sleeping,
    /// Outside MPI, ready to run without a core.
    OffCore,
    /// Outside MPI, not ready to run, in no call that is recorded.
    Asleep,
    /// Outside MPI, in the kernel: at least this much.
    InKernel,
    /// The recorder's own work between the end of MPI_Init and its return.
    Recording,
    /// In MPI, until another rank acted.
    Waiting(WaitState),
    /// In calls that asked and found nothing.
    Polling,
    /// In calls about files.
    Files,
    /// In other calls, with nobody to wait for.
    InCall,
    /// In calls of a thread whose waits are not followed.
    Unfollowed,
}

impl Spent {
    pub fn is_in_mpi(self) -> bool {
        use Spent::*;
        matches!(self, Waiting(_) | Polling | Files | InCall | Unfollowed)
    }

    /// True of time outside MPI in which the rank waited for nobody.
    pub fn is_work(self) -> bool {
        use Spent::*;
        matches!(self, Computing | BetweenPolls | InFile | Sleeping | OffCore | Asleep | InKernel)
    }

    /// The wait state of time in which the rank waited.
    pub fn waits(self) -> Option<WaitState> {
        if let Spent::Waiting(state) | Spent::WaitingByHand(state) = self { Some(state) } else { None }
    }

    /// True of time that may have been spent without a core, asleep or in the kernel.
    fn is_read(self) -> bool {
        matches!(self, Spent::Computing | Spent::BetweenPolls)
    }
}

/// An entry of a rank's time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TimeKey {
    /// The call, or the two calls around it, by their sites' numbers; `None` for what has no place: what only a reading knows, and time
    /// before the first call and after the last one.
    pub place: Option<Activity>,
    pub spent: Spent,
}

/// A rank's time. Nanoseconds.
#[derive(Clone, Default, Debug)]
pub struct RankTimes {
    /// Selected time of the first thread from the end of MPI_Init to the begin of MPI_Finalize, or of the calls that are recorded.
    pub life: i64,
    /// The entries, which add up to `life`.
    pub times: FxHashMap<TimeKey, i64>,
    /// The part of its time in files and in sleeps, by what was between which calls.
    pub accesses: FxHashMap<(Activity, AccessKey), i64>,
    /// Maximum errors of what was read.
    pub errors: FxHashMap<Spent, i64>,
    /// The part of `life` between readings of the use of the machine.
    pub read: i64,
    /// Its iterations, if the run has a loop.
    pub iterations: RankIterations,
}

impl RankTimes {
    pub fn of(&self, is_meant: impl Fn(&TimeKey) -> bool) -> i64 {
        self.times.iter().filter(|(key, _)| is_meant(key)).map(|(_, time)| *time).total()
    }
}

/// A place at which ranks wait, by its site's number, and why.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WaitingPlace {
    pub site: u32,
    pub state: WaitState,
}

impl From<WaitKey> for WaitingPlace {
    fn from(key: WaitKey) -> WaitingPlace {
        WaitingPlace { site: key.waiter.place.number() as u32, state: key.state }
    }
}

/// A late rank, by its place in [`Run::ranks`](super::Run::ranks), with its own entry meanwhile, and a place at which others waited for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CauseKey {
    pub rank: u32,
    /// A reading's kind has a place here, too: the moment is known in which others waited.
    pub late: TimeKey,
    pub waiting: WaitingPlace,
}

/// Time that ranks waited, summed over them. Nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CausedWait {
    pub time: i64,
    /// The part that reached the late rank through others that waited, too.
    pub indirect: i64,
}

impl CausedWait {
    pub fn grow(&mut self, more: CausedWait) {
        self.time.grow(more.time);
        self.indirect.grow(more.indirect);
    }

    /// A part of it; the parts of `whole` wholes add up.
    fn part(self, part: i64, whole: i64) -> CausedWait {
        CausedWait { time: share(self.time, part, whole), indirect: share(self.indirect, part, whole) }
    }

    fn without(self, other: CausedWait) -> CausedWait {
        CausedWait { time: self.time - other.time, indirect: self.indirect - other.indirect }
    }
}

/// The time of all ranks. "By rank" is by place in [`Run::ranks`](super::Run::ranks).
#[derive(Clone, Default, Debug)]
pub struct Attribution {
    pub ranks: Vec<RankTimes>,
    pub causes: FxHashMap<CauseKey, CausedWait>,
    /// Waits that lead to no rank's recorded time: together with `causes`, all waits in `ranks`.
    pub unresolved: FxHashMap<WaitingPlace, i64>,
    /// The loop that the run consists of, if it has one.
    pub of_loop: Option<Loop>,
}

impl Attribution {
    /// Joins what the ranks' readers have found.
    pub fn of(readers: Vec<TimeReader>) -> Attribution {
        let mut all = Attribution::default();
        for (reader, rank) in readers.into_iter().zip(0..) {
            let (times, caused) = reader.finish();
            for ((late, waiting), wait) in caused {
                all.causes.entry(CauseKey { rank, late, waiting }).or_default().grow(wait);
            }
            for (key, time) in &times.times {
                if let (Some(Activity::In(site)), Some(state)) = (key.place, key.spent.waits()) {
                    all.unresolved.entry(WaitingPlace { site, state }).or_default().grow(*time);
                }
            }
            all.ranks.push(times);
        }
        for (key, wait) in &all.causes {
            *all.unresolved.entry(key.waiting).or_default() -= wait.time;
        }
        all.unresolved.retain(|_, time| *time != 0);
        all
    }
}

/// `part / whole` of a time, rounded down.
fn share(time: i64, part: i64, whole: i64) -> i64 {
    if whole == 0 { 0 } else { (i128::from(time) * i128::from(part) / i128::from(whole)) as i64 }
}
