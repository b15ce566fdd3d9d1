//! The time of transfers that nothing overlaps.

use super::means::{BatchesByRank, FirstRequests, LifeMeans};
use crate::mean::Mean;
use crate::median::{interval, median};
use model::overlap::RequestLife;

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
    /// The gap between the end of a request and the next call: recording, and whatever a program does between two
    /// consecutive calls, such as reading clocks. If the program does something else there, the time that recording a
    /// call takes.
    pub beside: f64,
    /// Whether the program makes its next call at once.
    is_followed: bool,
    /// The time that recording a call adds, as measured at the start.
    pub recording: f64,
    /// Whether all of the requests have other MPI calls between post and wait.
    pub has_others: bool,
    /// Means over ranks, including the gaps between calls.
    pub means: LifeMeans,
    /// The means of each rank, with its first requests.
    by_rank: Vec<(u32, LifeMeans)>,
}

/// A program that does nothing in between makes its next call within this many nanoseconds.
const NEXT_CALL: f64 = 1_000.0;

impl TransferTime {
    /// From the lives of requests that were waited for right after the post, the gaps after them, and their batches.
    pub fn of<'a>(
        direct: impl Iterator<Item = &'a RequestLife> + Clone,
        behind: impl Iterator<Item = &'a u64>,
        batches: &BatchesByRank,
    ) -> Option<TransferTime> {
        let has_others = direct.clone().all(RequestLife::has_others);
        let direct = direct.filter(|life| has_others || !life.has_others());
        let gaps = direct.clone().filter_map(|life| life.between_calls()).map(|gap| gap as f64);
        let between_calls = median(gaps).unwrap_or(0.0);
        let behind = median(behind.map(|behind| *behind as f64)).filter(|behind| *behind < NEXT_CALL);
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
            means: LifeMeans::of(batches, FirstRequests::LeftOut, true),
            by_rank: batches.iter().map(|(rank, batches)| (*rank, LifeMeans::of_rank(batches))).collect(),
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

    /// The means of a rank with its first requests, or those of all ranks if it has none.
    pub fn means_of(&self, rank: u32) -> &LifeMeans {
        let own = self.by_rank.iter().find(|(other, _)| *other == rank);
        own.map_or(&self.means, |(_, means)| means)
    }

    /// The mean that a timer from before the post to after the wait would show: it stops right before the next call.
    pub fn timed(&self, means: &LifeMeans) -> Option<f64> {
        let behind = if self.is_followed { means.behind } else { self.recording };
        Some(means.whole?.value + means.turning + behind)
    }

    /// The 95 % confidence interval of the median, or the deciles if there are too few transfers.
    pub fn bounds(&self) -> (f64, f64) {
        self.between.unwrap_or(self.most_take)
    }
}
