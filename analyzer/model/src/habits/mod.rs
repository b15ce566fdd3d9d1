//! Finds each rank's habits at each call site: calls in a row, calls to all others in turn, and calls in vain.
//!
//! In: all ranks' calls and the waits found for them. Out: for each call site of each rank a [`SiteHabits`]. Only first threads count.

mod call_rows;
mod epochs;
mod fans;
mod over_run;
mod poll_runs;
mod reader;
mod successions;

use rustc_hash::FxHashMap;

use super::roles::CallPart;
use super::sums::Grow;
pub use epochs::EpochSums;
pub use fans::FanTimes;
pub use over_run::{CallsOverRun, Growth, TenthOfCalls};
pub use reader::HabitReader;
pub use successions::Succession;

/// A rank's calls at one site. Times in nanoseconds.
#[derive(Clone, Default, Debug)]
pub struct SiteHabits {
    /// The function's id.
    pub function: u16,
    pub part: CallPart,
    /// The calls begin operations that others complete.
    pub starts: bool,
    /// The calls receive from MPI_ANY_SOURCE.
    pub from_any: bool,
    pub count: u64,
    /// Time inside the calls.
    pub time: i64,
    /// Part of `time` in waits that were found.
    pub waited: i64,
    /// Bytes handed out or posted to receive, whichever is more.
    pub bytes: u64,
    /// Pieces that these bytes lie in, and the bytes of those calls; 0 where all lie side by side, or nobody knows.
    pub pieces: u64,
    pub bytes_in_pieces: u64,
    /// Calls that continue a row: messages to the same rank, one soon after the other, with nothing received between; collective
    /// calls of one function with little computation between.
    pub repeated: u64,
    /// Time of pauses before calls that would continue a row but for them.
    pub paused: i64,
    /// Waits of calls that continue a row, each no longer than the longest pause in a row.
    pub waited_briefly: i64,
    /// Calls directly behind another one of their function with the same ranks.
    pub behind: Succession,
    /// Messages that went to all other ranks in turn, or came from each.
    pub fans: FanTimes,
    /// Calls that found something new: a probe finds the same message again until that is received.
    pub found: u64,
    /// Tests that found nothing.
    pub in_vain: u64,
    pub in_vain_time: i64,
    /// Time outside MPI between tests that found nothing.
    pub between_tests: i64,
    /// Tests that found nothing, each directly before one at another site that found nothing, either.
    pub in_turn: u64,
    /// Part of `in_vain_time` and `between_tests` in runs of tests that ended with one that found something.
    pub awaited: i64,
    /// Part of `awaited` by the rank at the other end of what was found, if known.
    pub awaited_of: FxHashMap<u32, i64>,
    /// Tests that found something after one that had found nothing: the time between the two, in which it may have come.
    pub looks: Looks,
    /// Calls directly before or after one that uses a window or a file.
    pub guards: u64,
    /// Epochs of windows that the calls ended.
    pub epochs: EpochSums,
    /// Part of the time without waits in calls with ranks that have no records here: they may be waited for.
    pub with_unseen: i64,
    /// The calls by tenth of the run.
    pub over_run: CallsOverRun,
}

/// Times between two looks of which the second one found something. Nanoseconds.
#[derive(Clone, Default, Debug)]
pub struct Looks {
    pub count: u64,
    pub time: i64,
    /// Part of `time` by the rank at the other end of what was found, if known.
    pub time_of: FxHashMap<u32, i64>,
}

impl Looks {
    fn add(&mut self, time: i64, rank: Option<u32>) {
        self.count.grow(1);
        self.time.grow(time);
        if let Some(rank) = rank {
            self.time_of.entry(rank).or_default().grow(time);
        }
    }
}

impl SiteHabits {
    /// Time inside the calls, without the waits for others.
    pub fn own(&self) -> i64 {
        (self.time - self.waited).max(0)
    }
}
