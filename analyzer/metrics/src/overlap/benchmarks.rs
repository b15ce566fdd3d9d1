//! The figures that the OSU benchmarks and IMB-NBC print for nonblocking operations: means, taken by a timer in the
//! program.
//!
//! In: means of requests that were waited for right after the post, and of the others. Out: the benchmarks' own
//! figures. Their timers include recording and their own cost, which the trace's times leave out; the time between two
//! consecutive calls shows how much that is.
//!
//! The figures that Sandia's mpi_overhead prints for its loop: base, overhead, availability.
//!
//! In: the levels of a loop that works longer from level to level. Everything in an iteration counts, such as a barrier
//! before the post, so the base is longer than a transfer. Availability is 1 - overhead / base; it is negative if the
//! last level was disturbed. The rank at the other end has the same levels without work, of which no figure follows.

use super::means::{BatchesByRank, FirstRequests, LifeMeans, tells};
use super::transfer_time::{TransferTime, hidden};
use model::overlap::{LevelLoop, WorkLevel};

/// The figures of the OSU benchmarks. Times in nanoseconds, overlap in percent.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct OsuFigures {
    /// The operation alone, mean over ranks.
    pub pure: f64,
    /// The operation with computation, mean over ranks.
    pub overall: f64,
    /// The call that begins the operation, and the call that waits for it.
    pub init: f64,
    pub wait: f64,
    /// 100 - (overall - computation) / pure, at least 0.
    pub overlap: f64,
    /// The 95 % interval of the overlap, widened so that it holds with and without the cost around the calls.
    pub between: Option<(f64, f64)>,
}

/// The figures of IMB-NBC, all of the rank whose operations take longest on average. Times in nanoseconds, overlap in
/// percent.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct ImbFigures {
    pub pure: f64,
    pub overlapped: f64,
    pub computation: f64,
    /// (pure + computation - overlapped) / the larger of pure and computation, from 0 to 100.
    pub overlap: f64,
}

/// Number of gaps between two consecutive calls that lie between OSU's timers but outside the computation that it times,
/// in addition to the gaps between post and wait: its loop reads the clock six times there, IMB's reads it twice.
const OSU_OUTSIDE_COMPUTATION: f64 = 4.0;
const IMB_OUTSIDE_COMPUTATION: f64 = 2.0;

/// Why requests have no figures of these benchmarks.
pub const NEVER_ALONE: &str = "none of this size was waited for right after its post, so the time alone is not known";
pub const NEVER_LATER: &str = "all were waited for right after their post";
const LITTLE_COMPUTATION: &str = "too little was computed between post and wait";
const TOO_FEW: &str = "too few requests";

/// The figures of both benchmarks, or the reason for none.
pub fn figures(later: &BatchesByRank, transfer: &TransferTime) -> Result<(OsuFigures, ImbFigures), &'static str> {
    let means = LifeMeans::of(later, FirstRequests::LeftOut, true);
    let (pure, computing) = transfer.printed.whole.zip(means.computing).ok_or(TOO_FEW)?;
    if !tells(computing.value, pure.value) {
        return Err(LITTLE_COMPUTATION);
    }
    osu(&means, transfer).zip(imb(later, transfer)).ok_or(TOO_FEW)
}

/// The gaps between a request's calls that its timer includes, mean in nanoseconds.
fn between(means: &LifeMeans, transfer: &TransferTime) -> f64 {
    transfer.between_calls * (means.calls - 1.0).max(0.0)
}

fn osu(means: &LifeMeans, transfer: &TransferTime) -> Option<OsuFigures> {
    let overhead = means.overhead?;
    let (beside, between) = (transfer.beside, between(means, transfer));
    let seen = between + OSU_OUTSIDE_COMPUTATION * beside + means.turning;
    let (timed, overall) = (transfer.timed(&transfer.printed)?, transfer.timed(means)? + beside);
    let bounds = || {
        let (pure, overhead) = (transfer.mean()?.between?, overhead.between?);
        Some((hidden(pure.0 + beside, overhead.1 + seen), hidden(pure.1, overhead.0)))
    };
    let [post, _, wait] = means.parts;
    Some(OsuFigures {
        pure: timed,
        overall,
        init: post?.value + transfer.between_calls + 0.75 * beside,
        wait: wait?.value + transfer.behind(means),
        overlap: hidden(timed, overhead.value + seen),
        between: bounds(),
    })
}

fn imb(later: &BatchesByRank, transfer: &TransferTime) -> Option<ImbFigures> {
    let of_ranks = later.iter().filter_map(|(rank, batches)| {
        let means = LifeMeans::of_rank(batches);
        Some((*rank, means, transfer.timed(&means)?))
    });
    let (rank, means, overlapped) = of_ranks.max_by(|one, other| one.2.total_cmp(&other.2))?;
    let pure = transfer.timed(transfer.printed_of(rank))?;
    let seen = between(&means, transfer) + IMB_OUTSIDE_COMPUTATION * transfer.beside + means.turning;
    let computation = (overlapped - means.overhead?.value - seen).max(0.0);
    let overlap = 100.0 * ((pure + computation - overlapped) / pure.max(computation)).clamp(0.0, 1.0);
    Some(ImbFigures { pure, overlapped, computation, overlap })
}

/// A loop of Sandia's mpi_overhead. Times in nanoseconds, availability in percent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SmbLoop {
    /// The number of levels of work, and of iterations in each.
    pub levels: u64,
    pub iterations: u64,
    /// `None` if the rank's own work is not what lengthens the iterations.
    pub figures: Option<SmbFigures>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SmbFigures {
    /// The time of an iteration that no work has lengthened.
    pub base: f64,
    /// The time of an iteration of the last level beyond its work.
    pub overhead: f64,
    pub availability: f64,
    /// True if the work was timed alone, after the loop; if not, the computation in the last level takes its place.
    pub is_alone: bool,
}

/// A level joins the base if it is shorter than this many times the average so far.
const BASE: f64 = 1.02;
/// The time after the loop counts as the time of its work alone if it lies between these shares of the computation in the
/// loop: two processors that share a core run the work half as fast again when alone.
const ALONE: (f64, f64) = (0.5, 1.5);
/// Nanoseconds between two calls that are no work: the recorder's, or a clock's that the program reads.
const CLOCKS: f64 = 100.0;

impl SmbLoop {
    /// The figures of a loop; `tick` is the length of a tick in nanoseconds.
    pub fn of(found: &LevelLoop, tick: f64) -> Option<SmbLoop> {
        let last = found.levels.last()?;
        Some(SmbLoop {
            levels: found.levels.len() as u64,
            iterations: last.rounds,
            figures: found.works((CLOCKS / tick) as u64).then(|| SmbFigures::of(&found.levels, last, tick)),
        })
    }
}

impl SmbFigures {
    fn of(levels: &[WorkLevel], last: &WorkLevel, tick: f64) -> SmbFigures {
        let alone = last.alone.or_else(|| work_in_one_stretch(last, tick));
        let (base, overhead) = (base(levels), last.round() - alone.unwrap_or(last.work()));
        SmbFigures {
            base: base * tick,
            overhead: overhead * tick,
            availability: 100.0 * (1.0 - overhead / base),
            is_alone: alone.is_some(),
        }
    }
}

/// Ticks of an iteration's work, if the time without a call behind the level is about as long as its work.
fn work_in_one_stretch(level: &WorkLevel, tick: f64) -> Option<f64> {
    let (stretch, computed) = (level.behind as f64 / level.rounds as f64, level.work());
    let clocks = CLOCKS / tick;
    let is_alone = (ALONE.0 * computed - clocks..=ALONE.1 * computed + clocks).contains(&stretch) && stretch > 0.0;
    is_alone.then_some(stretch)
}

fn base(levels: &[WorkLevel]) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for level in levels {
        if count == 0.0 || level.round() < BASE * sum / count {
            sum += level.round();
            count += 1.0;
        }
    }
    sum / f64::max(count, 1.0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::overlap::means::RankBatches;
    use model::batches::Batches;
    use model::overlap::RequestLife;

    /// Twenty of these requests on one rank, each with the next call 100 ns behind its wait.
    fn many(life: RequestLife) -> BatchesByRank {
        let (mut batches, mut of_rank) = (Batches::default(), RankBatches::default());
        for number in 0..20 {
            batches.add(number, life.parts());
            batches.add_to(number, [0, 0, 0, 0, 0, 0, 0, 100]);
        }
        of_rank.add(&batches);
        BTreeMap::from([(0, of_rank)])
    }

    #[test]
    fn page_turns_of_the_recorder_are_in_the_benchmarks_timers_and_in_no_computation() {
        let alone = RequestLife { whole: 40_000, posting: 4_000, waiting: 36_000, calls: 2, ..RequestLife::default() };
        let later = RequestLife { whole: 70_000, waiting: 6_000, turning: 5_000, ..alone };
        let transfer = TransferTime::of([alone].iter(), [100].iter(), [&many(alone); 2]).unwrap();
        let (osu, imb) = figures(&many(later), &transfer).unwrap();
        assert_eq!([osu.pure, osu.overall, osu.wait], [40_100.0, 75_200.0, 6_100.0]);
        // Four gaps lie beside the computation that OSU times, and two beside IMB's.
        let beside_work = 10_000.0 + 4.0 * 100.0 + 5_000.0;
        assert!((osu.overlap - 100.0 * (1.0 - beside_work / 40_100.0)).abs() < 1e-9, "{osu:?}");
        assert_eq!([imb.overlapped, imb.computation], [75_100.0, 75_100.0 - 10_000.0 - 2.0 * 100.0 - 5_000.0]);
    }

    #[test]
    fn work_timed_alone_counts_if_it_takes_about_as_long_as_in_the_loop() {
        let is_alone = |behind, tick| {
            let level = WorkLevel {
                rounds: 1,
                lead: Some(0),
                time: 2_000,
                lives: 0,
                computed: 300,
                least_computed: 300,
                behind,
                alone: None,
            };
            let idle = WorkLevel { least_computed: 0, ..level };
            let figures = SmbLoop::of(&LevelLoop { levels: vec![idle, level] }, tick).unwrap().figures;
            figures.is_some_and(|figures| figures.is_alone)
        };
        // From half to half as much again, and 100 ns for the clocks.
        assert_eq!([40, 60, 540, 560].map(|behind| is_alone(behind, 1.0)), [false, true, true, false]);
        assert_eq!([60, 110, 490, 540].map(|behind| is_alone(behind, 2.0)), [false, true, true, false]);
        assert!(!is_alone(0, 0.1));
    }
}
