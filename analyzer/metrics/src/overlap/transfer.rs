//! How long transfers take that nothing overlaps.

use super::means::{BatchesByRank, FirstRequests, LifeMeans};
use crate::mean::Mean;
use crate::median::{interval, median};
use model::overlap::RequestLife;

/// Of requests of one size. Nanoseconds.
#[derive(Clone, Debug)]
pub struct TransferTime {
    /// The median.
    pub median: f64,
    /// Between which it lies with 95 % confidence.
    pub between: Option<(f64, f64)>,
    /// What nine of ten take at least, and at most.
    pub most_take: (f64, f64),
    /// What lies between two calls of a request, of which recording is the greatest part.
    pub between_calls: f64,
    /// What lies between the end and the next call: recording, and what a program does between two calls that follow each other, as
    /// reading clocks. Where the program does something else there, what recording a call takes.
    pub beside: f64,
    /// The program makes its next call right behind.
    is_followed: bool,
    /// What recording a call takes beside it, as measured at the start.
    pub recording: f64,
    /// All of them have other MPI calls between post and wait.
    pub has_others: bool,
    /// Means over ranks, with what lies between calls; by rank with the first requests, too.
    pub means: LifeMeans,
    by_rank: Vec<(u32, LifeMeans)>,
}

/// A program that does nothing else makes its next call within so many nanoseconds.
const NEXT_CALL: f64 = 1_000.0;

impl TransferTime {
    /// Of the lives of requests that were waited for right after, of what lay behind them, and their batches.
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

    /// The mean of the ranks' means, without what lies between calls.
    pub fn mean(&self) -> Option<Mean> {
        let gaps = self.between_calls * (self.means.calls - 1.0).max(0.0);
        let mean = self.means.whole?;
        let without = |time: f64| (time - gaps).max(0.0);
        let between = mean.between.map(|(least, most)| (without(least), without(most)));
        Some(Mean { value: without(mean.value), between })
    }

    /// A rank's means with its first requests; of a rank that has none those of all.
    pub fn means_of(&self, rank: u32) -> &LifeMeans {
        let own = self.by_rank.iter().find(|(other, _)| *other == rank);
        own.map_or(&self.means, |(_, means)| means)
    }

    /// What a timer from before the post to behind the wait shows in the mean: it stops right before the next call.
    pub fn timed(&self, means: &LifeMeans) -> Option<f64> {
        let behind = if self.is_followed { means.behind } else { self.recording };
        Some(means.whole?.value + means.turning + behind)
    }

    /// Between which the median lies; of few what most of them take.
    pub fn bounds(&self) -> (f64, f64) {
        self.between.unwrap_or(self.most_take)
    }
}
