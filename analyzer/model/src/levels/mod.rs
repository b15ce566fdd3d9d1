//! A run at any level of detail: time per function in bins of time, and the single calls.
//!
//! In: a rank's pages, and the waits that matching found. Out: [`RankBins`], from which coarser levels are made by merging
//! neighbors ([`RankBins::folded`]), and single calls in the order of time ([`RankCalls`]). Both cover the same calls as reports
//! do. Memory grows with the number of bins, not with the length of the run.

mod bins;
mod class;
mod region_spans;
mod samples;
mod single_calls;
mod ticks;

use super::Run;
use super::common_clock::{ClockLine, CommonClock};
use super::matching::WaitSpan;
use super::rank::Rank;
use crate::parallel;

pub use bins::{BinCell, FunctionTime, RankBins};
pub use class::TimeClass;
pub use region_spans::{RegionSpan, regions};
pub use samples::{PlacedSample, samples};
pub use single_calls::{PlacedCall, RankCalls, SingleCall, SingleCalls};

/// Time cut into equal bins. Nanoseconds on the run's common clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    pub from: i64,
    pub width: i64,
    pub count: usize,
    /// Time outside counts in the first and the last bin.
    pub keeps_outside: bool,
}

/// Lifetime of a rank. Nanoseconds on the run's common clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Life {
    /// Begin of the counted time.
    pub begin: i64,
    /// End of the counted time.
    pub end: i64,
    /// Selected times whose calls are recorded one by one, in order.
    pub spans: Vec<(i64, i64)>,
    /// Calls that threads have not returned from, each with its function and begin.
    pub open: Vec<(u16, i64)>,
}

impl Grid {
    /// A grid of at least `count` bins over a time.
    pub fn over(from: i64, to: i64, count: usize) -> Grid {
        let length = to.saturating_sub(from).max(1);
        let width = (length as u64).div_ceil(count.max(1) as u64).max(1) as i64;
        Grid { from, width, count: count.max(1), keeps_outside: false }
    }

    pub fn end(&self) -> i64 {
        self.from.saturating_add(self.width.saturating_mul(self.count as i64))
    }

    /// Bin of a time; -1 before the first, `count` behind the last.
    pub fn bin_at(&self, at: i64) -> i64 {
        at.saturating_sub(self.from).div_euclid(self.width).clamp(-1, self.count as i64)
    }

    /// This grid with bins of twice the width.
    pub fn folded(&self) -> Grid {
        Grid { width: self.width.saturating_mul(2), count: self.count.div_ceil(2), ..*self }
    }
}

/// Divides the time of each selected rank into bins, with its waits.
pub fn bins(run: &Run, common_clock: &CommonClock, grid: &Grid, waits: &[Vec<WaitSpan>]) -> Vec<RankBins> {
    parallel::map(run.ranks.len(), |at| {
        let rank = &run.ranks[at];
        let waits = waits.get(at).map_or(&[][..], Vec::as_slice);
        if rank.is_asked { RankBins::of(rank, &common_clock.lines[at], grid, waits) } else { RankBins::default() }
    })
}

pub fn lives(run: &Run, common_clock: &CommonClock) -> Vec<Life> {
    run.ranks.iter().zip(&common_clock.lines).map(|(rank, line)| life(rank, line)).collect()
}

/// Maximum number of spans of a rank; beyond it, only the first begin and the last end are kept.
const SPANS: usize = 1000;

fn life(rank: &Rank, line: &ClockLine) -> Life {
    // Nothing is known of the time whose records were dropped.
    let begin = line.nanoseconds_at(rank.kept_from.unwrap_or(rank.header.begin.ticks));
    let end = line.nanoseconds_at(rank.until).max(begin);
    let open = rank.open_calls().map(|call| (call.signature.call, line.nanoseconds_at(call.start)));
    let stopped = || line.nanoseconds_at(rank.header.stopped_at).clamp(begin, end);
    let known_until = match rank.header.has_profile() {
        true if rank.header.stopped_at > 0 => stopped(),
        true => begin,
        false => end,
    };
    let selected = line.selected(rank, rank.first_thread()).into_iter();
    let known = selected.map(|(from, to)| (from.max(begin), to.min(known_until)));
    let mut spans: Vec<(i64, i64)> = known.filter(|(from, to)| from < to).collect();
    if let ([first, .., last], true) = (spans.as_slice(), spans.len() > SPANS) {
        spans = vec![(first.0, last.1)];
    }
    let begin = spans.first().map_or(begin, |span| span.0);
    // Unknown time belongs to the rank, unselected time does not.
    let end = match rank.active().and_then(|active| active.end) {
        _ if rank.is_part() => spans.last().map_or(begin, |span| span.1),
        Some(active) => end.min(line.nanoseconds_at(active)).max(begin),
        None => end,
    };
    Life { begin, end, spans, open: open.filter(|(_, since)| *since <= end).collect() }
}
