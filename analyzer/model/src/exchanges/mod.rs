//! Finds exchanges between two ranks: one message each way, repeated, with nothing between.
//!
//! In: each rank's calls. Out: [`Exchanges`], streaks of equal exchanges with their time, ping-pong told from ping-ping. Each
//! rank's part is found on its own clock ([`reader`], [`windows`]); clocks are compared only to find the other rank's part
//! ([`pairs`]).

mod pairs;
mod reader;
mod windows;

use crate::batches::Batches;
use crate::common_clock::CommonClock;
use crate::objects::Objects;
use crate::{Run, parallel};
use rustc_hash::FxHashMap;

pub use pairs::{ExchangeCalls, SendStreak, Streak, WindowShape, WindowSide, WindowStreak};

/// Nanoseconds outside MPI allowed for each call, and for each message of a call that starts or completes several: a clock read, the
/// loop itself, the recorder.
const NOTHING: i64 = 300;
/// Alternatively, this fraction of the whole time is allowed.
const LITTLE: i64 = 20;

/// True if `outside` nanoseconds outside MPI, around `calls` calls in a time of `of`, are negligible.
fn is_little(outside: i64, calls: i64, of: i64) -> bool {
    outside <= (calls * NOTHING).max(of / LITTLE)
}

/// A streak of exchanges of one size and kind. Times in nanoseconds.
#[derive(Clone, Debug)]
pub struct Exchanges {
    /// The two ranks, by place in the run; if the exchanges are ordered, the first to send is first.
    pub ranks: (u32, u32),
    /// True for ping-pong: one rank sends after it has received.
    pub is_ordered: bool,
    /// Functions that each rank calls.
    pub calls: (ExchangeCalls, ExchangeCalls),
    pub bytes: u64,
    pub count: u64,
    /// Time of the whole streak, on the rank where it took longer.
    pub time: i64,
    /// Times of the exchanges except the first, in batches.
    pub times: Batches<1>,
}

/// A streak of equal message windows, as seen by the rank on which it took longer. Times in nanoseconds.
#[derive(Clone, Debug)]
pub struct MessageWindows {
    /// The two ranks, by place in the run; the one that sends more is first.
    pub ranks: (u32, u32),
    /// Messages of each rank in a window.
    pub shapes: (WindowShape, WindowShape),
    pub count: u64,
    pub times: Batches<1>,
}

#[derive(Default)]
pub struct RunExchanges {
    /// Exchanges that both ranks saw.
    pub exchanges: Vec<Exchanges>,
    /// Message windows that both ranks saw.
    pub windows: Vec<MessageWindows>,
    /// Successive sends with no receive between them.
    pub sends: Vec<SendStreak>,
    /// Exchanges and windows with something else between their calls.
    pub parted: PartedExchanges,
    /// Exchanges that only one rank saw.
    pub unpaired: u64,
    /// Ranks whose list of exchanges was cut off.
    pub full: u64,
}

/// Exchanges and windows between whose calls the program did something else, so that their times say nothing of the network: how many
/// each rank saw, with its own number first and its partner's second.
#[derive(Default)]
pub struct PartedExchanges {
    exchanges: FxHashMap<(u32, u32, ExchangeCalls, u64), u64>,
    windows: FxHashMap<(u32, u32, WindowShape), u64>,
}

impl PartedExchanges {
    /// Counts the exchanges like these, by the rank that saw more.
    pub fn like(&self, found: &Exchanges) -> u64 {
        let (one, other) = found.ranks;
        let seen = |rank, peer, calls| self.exchanges.get(&(rank, peer, calls, found.bytes)).copied().unwrap_or(0);
        seen(one, other, found.calls.0).max(seen(other, one, found.calls.1))
    }

    pub fn like_windows(&self, found: &MessageWindows) -> u64 {
        let (one, other) = found.ranks;
        let seen = |rank, peer, shape| self.windows.get(&(rank, peer, shape)).copied().unwrap_or(0);
        seen(one, other, found.shapes.0).max(seen(other, one, found.shapes.1))
    }
}

/// Reads the calls of the selected ranks.
pub fn exchanges(run: &Run, common_clock: &CommonClock) -> RunExchanges {
    let objects = Objects::of(run);
    let ranks = parallel::map(run.ranks.len(), |at| reader::of_rank(run, common_clock, &objects, at));
    let mut all = RunExchanges::default();
    let (mut streaks, mut windows) = (Vec::new(), Vec::new());
    for (number, rank) in (0u32..).zip(ranks) {
        let exchanges =
            rank.parted.into_iter().map(|((peer, calls, bytes), count)| ((number, peer, calls, bytes), count));
        all.parted.exchanges.extend(exchanges);
        let parted = rank.parted_windows.into_iter().map(|((peer, shape), count)| ((number, peer, shape), count));
        all.parted.windows.extend(parted);
        streaks.push(rank.streaks);
        windows.push(rank.windows);
        all.sends.extend(rank.sends);
        all.full += u64::from(rank.is_full);
    }
    (all.exchanges, all.unpaired) = pairs::paired(streaks, common_clock);
    all.windows = pairs::paired_windows(&windows, common_clock);
    all
}

#[cfg(test)]
mod tests {
    use super::is_little;

    #[test]
    fn beside_mpi_300_ns_for_each_call_or_a_twentieth_of_the_time_are_little() {
        assert!(is_little(600, 2, 1_000) && !is_little(601, 2, 1_000));
        assert!(is_little(1_000, 2, 20_000) && !is_little(1_001, 2, 20_000));
    }
}
