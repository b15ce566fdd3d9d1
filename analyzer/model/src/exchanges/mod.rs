//! Exchanges between two ranks: one message each way, again and again, with nothing between.
//!
//! In: each rank's calls. Out: [`Exchanges`], runs of equal exchanges with their time, ping-pong told from ping-ping. What a rank
//! saw is found on its own clock ([`reader`], [`windows`]); clocks are compared only to find the same run on the other rank ([`pairs`]).

mod pairs;
mod reader;
mod streak;
mod windows;

use crate::Run;
use crate::batches::Batches;
use crate::common_clock::CommonClock;
use crate::objects::Objects;
use crate::parallel;
use crate::roles::CallSites;

pub use streak::{ExchangeCalls, SendStreak, Streak, WindowShape, WindowSide, WindowStreak};

/// Outside of MPI, for each call: reading a clock, a turn of a loop, what the recorder does beside it.
const NOTHING: i64 = 300;
/// Or so much of all.
const LITTLE: i64 = 20;

/// Whether time outside of MPI, around so many calls and out of so much, is not worth naming.
fn is_little(outside: i64, calls: i64, of: i64) -> bool {
    outside <= (calls * NOTHING).max(of / LITTLE)
}

/// Exchanges of one size and kind, one behind the other. Nanoseconds.
#[derive(Clone, Debug)]
pub struct Exchanges {
    /// The ranks' places in the run; where the exchanges are ordered, the one that sends first.
    pub ranks: (u32, u32),
    /// One sends when it has received: ping-pong.
    pub is_ordered: bool,
    /// What the two call.
    pub calls: (ExchangeCalls, ExchangeCalls),
    /// Bytes of each message.
    pub bytes: u64,
    /// How many.
    pub count: u64,
    /// What all of them took the rank that took longer.
    pub time: i64,
    /// What each but the first took it, in batches.
    pub times: Batches<1>,
}

/// Equal windows of messages, one behind the other, as the rank saw them that took longer. Nanoseconds.
#[derive(Clone, Debug)]
pub struct MessageWindows {
    /// The ranks' places in the run; the one that sends more first.
    pub ranks: (u32, u32),
    /// What each of the two does in a window.
    pub shapes: (WindowShape, WindowShape),
    /// How many windows.
    pub count: u64,
    /// What each took, in batches.
    pub times: Batches<1>,
}

/// All that ranks did two by two.
#[derive(Default)]
pub struct RunExchanges {
    /// Runs of exchanges that both ranks tell the same of.
    pub exchanges: Vec<Exchanges>,
    /// Windows of messages that both ranks tell the same of.
    pub windows: Vec<MessageWindows>,
    /// Messages sent one behind the other with nothing received between.
    pub sends: Vec<SendStreak>,
    /// Exchanges that one rank tells and the other does not.
    pub unpaired: u64,
    /// Ranks of which no more could be kept.
    pub full: u64,
}

/// Reads the calls of the ranks that are asked about.
pub fn exchanges(run: &Run, common_clock: &CommonClock) -> RunExchanges {
    let (objects, places) = (Objects::of(run), CallSites::default());
    let ranks = parallel::map(run.ranks.len(), |at| reader::of_rank(run, common_clock, &objects, &places, at));
    let mut all = RunExchanges { full: ranks.iter().filter(|rank| rank.is_full).count() as u64, ..Default::default() };
    let streaks: Vec<Vec<Streak>> = ranks.iter().map(|rank| rank.streaks.clone()).collect();
    (all.exchanges, all.unpaired) = pairs::paired(&streaks, common_clock);
    let windows: Vec<Vec<WindowStreak>> = ranks.iter().map(|rank| rank.windows.clone()).collect();
    all.windows = pairs::paired_windows(&windows, common_clock);
    all.sends = ranks.into_iter().flat_map(|rank| rank.sends).collect();
    all
}
