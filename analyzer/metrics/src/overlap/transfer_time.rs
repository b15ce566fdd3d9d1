//! The time of transfers that nothing overlaps, and bounds of the hidden part of others.
//!
//! The time at which the transfer was known to be over bounds it from above (Shet, Sadayappan, Bernholdt, CLUSTER
//! 2008). The time of equal requests that nothing overlaps bounds it on both sides: the part of that time not spent in
//! MPI was hidden. If there are no equal requests, the next smaller and the next larger ones bound it.

use super::means::{BatchesByRank, FirstRequests, LifeMeans};
use crate::mean::Mean;
use crate::median::{interval, median};
use model::overlap::{BoundRule, RequestLife};
use rustc_hash::FxHashMap;

/// Transfer times of requests of one size, in nanoseconds.
#[derive(Clone, Debug)]
pub struct TransferTime {
    pub median: f64,
    /// The 95 % confidence interval of the median.
    pub between: Option<(f64, f64)>,
    /// The first and the ninth decile.
    pub most_take: (f64, f64),
    /// The gap between two calls of a request, which is mostly recording.
    pub between_calls: f64,
    /// The gap between the end of a request and the next call: recording, and short work between two consecutive calls,
    /// such as reading clocks. If the program does something else there, the time that recording a call takes.
    pub beside: f64,
    /// True if the program makes its next call at once.
    is_followed: bool,
    /// The time that recording a call adds, as measured at the start.
    pub recording: f64,
    /// True if all of the requests have other MPI calls between post and wait.
    pub has_others: bool,
    /// Means over ranks, including the gaps between calls.
    pub means: LifeMeans,
    /// The means of the pass that a benchmark would print.
    pub printed: LifeMeans,
    /// The printed means of each rank, with its first requests.
    by_rank: FxHashMap<u32, LifeMeans>,
}

/// A program that does nothing in between makes its next call within this many nanoseconds.
const NEXT_CALL: f64 = 1_000.0;
/// Or within this share of the time before, which has emptied the caches if it is long.
const SHARE_OF_CALL: f64 = 0.05;
/// Requests whose wait was interrupted have other calls between post and wait that take little of their life: those that spend at least
/// this share of the typical time there are like the others.
const SHARE_OF_OTHERS: f64 = 0.25;

/// True if a program that makes its next call after `gap`, behind `time`, does nothing in between. Nanoseconds.
pub fn is_followed_at_once(gap: f64, time: f64) -> bool {
    gap < NEXT_CALL.max(SHARE_OF_CALL * time)
}

impl TransferTime {
    /// From the lives of requests that were waited for right after the post, the gaps after them, and their batches: of all, and of the
    /// pass that a benchmark would print.
    pub fn of<'a>(
        direct: impl Iterator<Item = &'a RequestLife> + Clone,
        behind: impl Iterator<Item = &'a u64>,
        [all, printed]: [&BatchesByRank; 2],
    ) -> Option<TransferTime> {
        let elsewhere = direct.clone().filter(|life| life.has_others()).map(|life| life.elsewhere as f64);
        let typical = median(elsewhere).unwrap_or(f64::INFINITY);
        let is_with_others =
            move |life: &RequestLife| life.has_others() || life.elsewhere as f64 >= SHARE_OF_OTHERS * typical;
        let has_others = direct.clone().all(is_with_others);
        let direct = direct.filter(move |life| has_others || !is_with_others(life));
        let gaps = direct.clone().filter_map(|life| life.between_calls()).map(|gap| gap as f64);
        let between_calls = median(gaps).unwrap_or(0.0);
        let whole = median(direct.clone().map(|life| life.whole as f64))?;
        let behind = median(behind.map(|behind| *behind as f64)).filter(|behind| is_followed_at_once(*behind, whole));
        let recording = direct.clone().map(|life| life.recording).max()? as f64;
        let mut times: Vec<f64> = direct.map(|life| life.transfer() as f64).collect();
        times.sort_by(f64::total_cmp);
        Some(TransferTime {
            median: median(times.iter().copied())?,
            between: interval(&times),
            most_take: (times[times.len() / 10], times[times.len() - 1 - times.len() / 10]),
            between_calls,
            beside: behind.unwrap_or(recording),
            is_followed: behind.is_some(),
            recording,
            has_others,
            means: LifeMeans::of(all, FirstRequests::LeftOut, true),
            printed: LifeMeans::of(printed, FirstRequests::LeftOut, true),
            by_rank: printed.iter().map(|(rank, batches)| (*rank, LifeMeans::of_rank(batches))).collect(),
        })
    }

    /// The mean of the ranks' means, without the gaps between calls.
    pub fn mean(&self) -> Option<Mean> {
        let gaps = self.between_calls * (self.means.calls - 1.0).max(0.0);
        let mean = self.means.whole?;
        let without = |time: f64| (time - gaps).max(0.0);
        let between = mean.between.map(|(least, most)| (without(least), without(most)));
        Some(Mean { value: without(mean.value), between })
    }

    /// The means that a benchmark would print of a rank with its first requests; of all ranks if it has none.
    pub fn printed_of(&self, rank: u32) -> &LifeMeans {
        self.by_rank.get(&rank).unwrap_or(&self.printed)
    }

    /// The mean that a timer from before the post to after the wait would show: it stops right before the next call.
    pub fn timed(&self, means: &LifeMeans) -> Option<f64> {
        Some(means.whole?.value + means.turning + self.behind(means))
    }

    /// The time from the end of the wait until that timer stops.
    pub fn behind(&self, means: &LifeMeans) -> f64 {
        if self.is_followed { means.behind } else { self.recording }
    }

    /// The 95 % confidence interval of the median, or the deciles if there are too few transfers.
    pub fn bounds(&self) -> (f64, f64) {
        self.between.unwrap_or(self.most_take)
    }
}

/// Bounds in percent of the transfer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HiddenBounds {
    /// `None` if no transfer of this or a smaller size is known.
    pub least: Option<f64>,
    pub most: f64,
    /// The rule behind the upper bound.
    pub rule: &'static str,
}

/// Transfers of the same kind: of the nearest size that is not larger, and of the nearest that is not smaller.
#[derive(Clone, Copy, Default)]
pub struct NearTransfers<'a> {
    pub smaller: Option<&'a TransferTime>,
    pub larger: Option<&'a TransferTime>,
}

impl<'a> From<&'a TransferTime> for NearTransfers<'a> {
    fn from(own: &'a TransferTime) -> NearTransfers<'a> {
        NearTransfers { smaller: Some(own), larger: Some(own) }
    }
}

impl HiddenBounds {
    /// The bounds for typical requests. `host` is the overhead of a request in nanoseconds; `near` is the transfer time by which their
    /// availability is told, if there is one; `rule` says how the end of a transfer is known.
    pub fn of(
        lives: &[&RequestLife],
        host: impl Fn(&RequestLife) -> f64,
        near: NearTransfers<'_>,
        rule: BoundRule,
    ) -> Option<HiddenBounds> {
        let mut overheads: Vec<f64> = lives.iter().map(|life| host(life)).collect();
        overheads.sort_by(f64::total_cmp);
        let middle = median(overheads.iter().copied())?;
        let overhead = interval(&overheads).unwrap_or((middle, middle));
        let by_end = median(lives.iter().map(|life| hidden(life.over as f64, host(life))))?;
        let computing = median(lives.iter().map(|life| life.computing() as f64))?;
        let least = near.smaller.map(|transfer| hidden(transfer.bounds().0, overhead.1));
        let by_equals = near.larger.map(|transfer| {
            let shortest = near.smaller.map_or(0.0, |transfer| transfer.bounds().0);
            hidden(transfer.bounds().1, overhead.0).min(100.0 * computing / shortest)
        });
        let (most, rule) = match by_equals {
            Some(most) if most < by_end => (most, "equal"),
            _ => (by_end, rule.name()),
        };
        Some(HiddenBounds { least: least.map(|least| least.min(most)), most, rule })
    }
}

/// The share of a transfer that its overhead leaves, in percent.
pub fn hidden(transfer: f64, overhead: f64) -> f64 {
    (100.0 * (1.0 - overhead / transfer)).clamp(0.0, 100.0)
}

/// The median share that their overhead leaves of transfers that take `transfer`, or less if they were over sooner.
pub fn hidden_by_each(lives: &[&RequestLife], transfer: f64, host: impl Fn(&RequestLife) -> f64) -> Option<f64> {
    median(lives.iter().map(|life| hidden(transfer.min(life.over as f64), host(life))))
}
