//! The table of collective operations: one row for each place, root and size. Figures are medians, since one
//! interruption may outlast many operations.

use super::gathered_operations::{GatheredOperations, OperationPlace};
use crate::mean::Mean;
use crate::meaning;
use crate::median::{beyond_interval, median};
use crate::overlap::{RequestSize, is_followed_at_once};
use model::batches::Batches;
use model::matching::{OperationSpans, OperationSum, OperationTimes, TimeSpan};
use tables::{Column, Row, Table};

/// Operations of one place, root and size. Times in seconds.
pub struct OperationRow {
    pub place: OperationPlace,
    pub root: Option<u32>,
    pub size: RequestSize,
    operations: u64,
    total: f64,
    pub spans: [SpanFigure; 4],
    /// The 95 % interval of the median of the first span, widened by the clocks' error.
    pub between: Option<(f64, f64)>,
    /// The times of the ranks with the least, in the middle, and with the most.
    pub least: f64,
    pub median: f64,
    pub most: f64,
    root_time: Option<f64>,
    others_time: Option<f64>,
    /// The mean time of a rank, without the first operations.
    mean: Option<Mean>,
    whole_mean: Option<Mean>,
    timed: Option<TimedMeans>,
}

/// The means that timers around the calls would show, in seconds, if the program makes its next call at once. Such
/// timers stop right before that call, so they include the recording of this one.
struct TimedMeans {
    mean: f64,
    /// The mean of the rank with the least mean.
    fastest: Option<f64>,
    /// The mean of the rank with the largest mean.
    slowest: Option<f64>,
    /// The part of the mean that is not the call: recording, and reading the clock.
    recording: f64,
}

/// A time between ranks and its error by the clocks, in seconds. The time is `None` if it is shorter than its error.
#[derive(Clone, Copy, Default)]
pub struct SpanFigure {
    pub time: Option<f64>,
    pub error: Option<f64>,
}

impl Row for OperationRow {
    const TABLE: &'static str = "operations";
    fn columns() -> Vec<Column<Self>> {
        let span =
            |at: usize, key: &'static str, heading| Column::seconds(key, heading, move |row: &Self| row.spans[at].time);
        let error = |at: usize, key: &'static str, heading| {
            Column::seconds(key, heading, move |row: &Self| row.spans[at].error).means(meaning::THAT_ERROR_S)
        };
        vec![
            Column::text("function", "function", |row: &Self| row.place.function.clone())
                .means(meaning::FUNCTION)
                .name(),
            Column::text("site", "call site", |row: &Self| row.place.site.clone()).means(meaning::SITE).name(),
            Column::text("communicator", "", |row: &Self| row.place.communicator.clone())
                .means(meaning::COMMUNICATOR)
                .name(),
            Column::count("communicator_size", "ranks", |row: &Self| row.place.processes)
                .means(meaning::COMMUNICATOR_SIZE)
                .name()
                .spare(5),
            Column::number("root", "root", |row: &Self| row.root.map(u64::from))
                .means("The root, of operations that have one.")
                .name()
                .spare(6),
            Column::bytes("size_bytes", "size", |row: &Self| row.size.bytes).means(meaning::SIZE_BYTES).name(),
            Column::bytes("size_below_bytes", "below", |row: &Self| row.size.below)
                .means(meaning::SIZE_BELOW_BYTES)
                .name()
                .silent_empty()
                .spare(4),
            Column::count("operations", "calls", |row: &Self| row.operations).means("How many operations.").spare(2),
            span(WHOLE, "first_to_last_s", "all").means("From the first rank's begin to the last rank's end, median."),
            error(WHOLE, "first_to_last_error_s", "±").spare(5),
            Column::seconds("first_to_last_least_s", "", |row: &Self| row.between.map(|between| between.0))
                .means(meaning::MEDIAN_LEAST),
            Column::seconds("first_to_last_most_s", "", |row: &Self| row.between.map(|between| between.1))
                .means(meaning::MEDIAN_MOST),
            Column::seconds("first_to_last_total_s", "", |row: &Self| row.total)
                .means("The same time of all operations together."),
            span(SKEW, "skew_s", "skew").means("From the first rank's begin to the last rank's, median."),
            error(SKEW, "skew_error_s", ""),
            span(AFTER, "after_last_s", "after")
                .means("From the last rank's begin to the last rank's end, median: what the operation itself takes."),
            error(AFTER, "after_last_error_s", ""),
            span(ROOT_LATE, "root_late_s", "").means("From the first rank's begin to the root's, median."),
            error(ROOT_LATE, "root_late_error_s", ""),
            Column::seconds("rank_min_s", "", |row: &Self| row.least)
                .means("Time of the rank with the least, median of the operations."),
            Column::seconds("rank_median_s", "rank", |row: &Self| row.median)
                .means("Time of the median rank, median of the operations.")
                .spare(3),
            Column::seconds("rank_max_s", "", |row: &Self| row.most)
                .means("Time of the rank with the most, median of the operations."),
            Column::seconds("mean_s", "mean", |row: &Self| row.mean.map(|mean| mean.value))
                .means("Time of a rank, mean over ranks and operations but the first ones, as benchmarks have it.")
                .spare(1),
            Column::seconds("mean_least_s", "", |row: &Self| Some(row.mean?.between?.0)).means(meaning::LEAST),
            Column::seconds("mean_most_s", "", |row: &Self| Some(row.mean?.between?.1)).means(meaning::MOST),
            Column::seconds("first_to_last_mean_s", "", |row: &Self| row.whole_mean.map(|mean| mean.value)).means(
                "From the first rank's begin to the last rank's end, mean of the operations but the first ones.",
            ),
            Column::seconds("osu_mean_s", "", |row: &Self| row.timed.as_ref().map(|timed| timed.mean)).means(
                "The mean that a timer around the call shows, as in the OSU benchmarks: the mean with what \
                 recording adds; empty where programs do not make their next call right behind.",
            ),
            Column::seconds("osu_min_s", "", |row: &Self| row.timed.as_ref()?.fastest)
                .means("The same of the rank whose mean is least."),
            Column::seconds("osu_max_s", "", |row: &Self| row.timed.as_ref()?.slowest)
                .means("The same of the rank whose mean is largest."),
            Column::seconds("recording_s", "", |row: &Self| row.timed.as_ref().map(|timed| timed.recording))
                .means("The part of that which is not the call: recording, and reading the clock; mean."),
            Column::seconds("root_s", "", |row: &Self| row.root_time).means("Time of the root, median."),
            Column::seconds("others_s", "", |row: &Self| row.others_time).means("Mean time of the others, median."),
        ]
    }
}

/// Indices of a row's spans.
const WHOLE: usize = 0;
const SKEW: usize = 1;
const AFTER: usize = 2;
const ROOT_LATE: usize = 3;

/// One row for each place, root and size, the one with the largest total time first.
pub fn operations(all: &GatheredOperations) -> Table<OperationRow> {
    let row = |((place, root, size), sum): (&(OperationPlace, _, _), &OperationSum)| {
        OperationRow::of(place.clone(), *root, *size, sum)
    };
    let mut rows: Vec<_> = all.sums.iter().map(row).collect();
    rows.sort_by(|one, other| other.total.total_cmp(&one.total));
    let title = "collective calls (medians): from first in to last out; skew; after the last was in; time of a rank";
    Table::new(title, rows)
}

impl OperationRow {
    fn of(place: OperationPlace, root: Option<u32>, size: RequestSize, sum: &OperationSum) -> OperationRow {
        let times: Vec<&OperationTimes> = sum.times.values().collect();
        let of_spans = |span: fn(&OperationSpans) -> Option<TimeSpan>| {
            times.iter().filter_map(|times| span(times.spans.as_ref()?)).collect::<Vec<TimeSpan>>()
        };
        let wholes = of_spans(|spans| Some(spans.whole));
        let spans = [
            SpanFigure::of(&wholes),
            SpanFigure::of(&of_spans(|spans| Some(spans.skew))),
            SpanFigure::of(&of_spans(|spans| Some(spans.after))),
            SpanFigure::of(&of_spans(|spans| spans.root_late)),
        ];
        let of_ranks =
            |time: fn(&OperationTimes) -> u64| median(times.iter().map(|times| seconds(time(times)))).unwrap_or(0.0);
        let of_some = |time: fn(&OperationTimes) -> Option<u64>| {
            median(times.iter().filter_map(|times| time(times)).map(seconds))
        };
        OperationRow {
            place,
            root,
            size,
            operations: sum.operations,
            total: seconds(sum.total),
            spans,
            between: between(&wholes),
            least: of_ranks(|times| times.least),
            median: of_ranks(|times| times.median),
            most: of_ranks(|times| times.most),
            root_time: of_some(|times| times.root),
            others_time: of_some(|times| times.others),
            mean: mean(sum, RANK),
            whole_mean: mean(sum, FIRST_TO_LAST).filter(|_| sum.lacking == 0),
            timed: TimedMeans::of(sum, &times),
        }
    }
}

/// Indices of the means of all operations.
const FIRST_TO_LAST: usize = 0;
const RANK: usize = 1;
const BEHIND: usize = 2;

/// The mean in seconds, without the first operations.
fn mean(sum: &OperationSum, index: usize) -> Option<Mean> {
    Mean::of([sum.means.settled()], |batch| batch.mean(index) / 1e9)
}

impl TimedMeans {
    /// `None` if programs do something else after the call.
    fn of(sum: &OperationSum, times: &[&OperationTimes]) -> Option<TimedMeans> {
        let behind = median(times.iter().map(|times| times.behind as f64))?;
        let time = median(times.iter().map(|times| times.median as f64))?;
        if !is_followed_at_once(behind, time) {
            return None;
        }
        let timed = |batches: &Batches<2>| Mean::of([batches.settled()], |batch| (batch.mean(0) + batch.mean(1)) / 1e9);
        let of_ranks: Vec<f64> = sum.by_rank.values().filter_map(timed).map(|mean| mean.value).collect();
        let edge = |pick: fn(f64, f64) -> f64| of_ranks.iter().copied().reduce(pick);
        let recording = mean(sum, BEHIND)?.value;
        Some(TimedMeans {
            mean: mean(sum, RANK)?.value + recording,
            fastest: edge(f64::min),
            slowest: edge(f64::max),
            recording,
        })
    }
}

impl SpanFigure {
    /// The median, and the most that the clocks' errors may move it. The time is left out if the error is at least as
    /// large.
    fn of(spans: &[TimeSpan]) -> SpanFigure {
        let median_of = |time: fn(&TimeSpan) -> f64| median(spans.iter().map(time));
        let (time, least) =
            (median_of(|span| span.time as f64), median_of(|span| span.time as f64 - span.error as f64));
        let Some((time, least)) = time.zip(least) else { return SpanFigure::default() };
        let most = median_of(|span| span.time as f64 + span.error as f64).unwrap_or(time);
        let error = (most - time).max(time - least);
        let is_known = error == 0.0 || error < time;
        SpanFigure { time: is_known.then_some(time / 1e9), error: Some(error / 1e9) }
    }

    /// True if the time is left out because the clocks may be off by more.
    pub fn is_within_error(&self) -> bool {
        self.time.is_none() && self.error.is_some()
    }
}

/// The 95 % confidence interval of the median, in seconds, widened by the clocks' error.
fn between(spans: &[TimeSpan]) -> Option<(f64, f64)> {
    let aside = beyond_interval(spans.len())?;
    let mut least: Vec<u64> = spans.iter().map(|span| span.time.saturating_sub(span.error)).collect();
    let mut most: Vec<u64> = spans.iter().map(|span| span.time.saturating_add(span.error)).collect();
    least.sort_unstable();
    most.sort_unstable();
    Some((seconds(least[aside]), seconds(most[most.len() - 1 - aside])))
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_may_move_a_median_farther_down_than_up_and_the_error_is_the_larger_of_both() {
        let figure_of = |spans: [(u64, u64); 3]| {
            let figure = SpanFigure::of(&spans.map(|(time, error)| TimeSpan { time, error }));
            [figure.time, figure.error].map(|seconds| (seconds.unwrap() * 1e9).round())
        };
        // Without the errors the median is 10. With them it may be as low as 2, or as high as 19.
        assert_eq!(figure_of([(10, 9), (10, 0), (2, 0)]), [10.0, 8.0]);
        assert_eq!(figure_of([(10, 9), (10, 0), (30, 0)]), [10.0, 9.0]);
        assert_eq!(figure_of([(10, 0), (10, 0), (30, 0)]), [10.0, 0.0]);
    }
}
