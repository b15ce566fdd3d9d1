//! The figures that the OSU benchmarks and IMB-NBC print for nonblocking operations: means, taken by a timer in the
//! program.
//!
//! In: means of requests that were waited for right after the post, and of the others. Out: the benchmarks' own
//! figures. Their timers include recording and their own cost, which the trace's times leave out; the time between two
//! consecutive calls shows how much that is.

use super::chosen::tells;
use super::means::{BatchesByRank, FirstRequests, LifeMeans};
use super::transfer::TransferTime;

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
    /// The 95 % interval of the overlap, widened so that it holds whether the cost beside the calls counts or not.
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

/// How many times the gap between two consecutive calls lies between OSU's timers but outside the computation that it
/// times, beyond the gaps that lie between post and wait anyway: its loop reads the clock six times there, IMB's reads
/// it twice.
const OSU_OUTSIDE_COMPUTATION: f64 = 4.0;
const IMB_OUTSIDE_COMPUTATION: f64 = 2.0;

/// The figures of both benchmarks, if there is enough computation to show anything.
pub fn figures(later: &BatchesByRank, transfer: &TransferTime) -> Option<(OsuFigures, ImbFigures)> {
    let means = LifeMeans::of(later, FirstRequests::LeftOut, true);
    let pure = transfer.means.whole?;
    if !tells(means.computing?.value, pure.value) {
        return None;
    }
    Some((osu(&means, transfer)?, imb(later, transfer)?))
}

/// The gaps between a request's calls that its timer includes, mean in nanoseconds.
fn between(means: &LifeMeans, transfer: &TransferTime) -> f64 {
    transfer.between_calls * (means.calls - 1.0).max(0.0)
}

fn osu(means: &LifeMeans, transfer: &TransferTime) -> Option<OsuFigures> {
    let (overhead, whole) = (means.overhead?, means.whole?);
    let (beside, between) = (transfer.beside, between(means, transfer));
    let overlap = |overhead: f64, pure: f64| (100.0 * (1.0 - overhead / pure)).clamp(0.0, 100.0);
    let seen = between + OSU_OUTSIDE_COMPUTATION * beside + means.turning;
    let (timed, overall) = (transfer.timed(&transfer.means)?, transfer.timed(means)? + beside);
    let bounds = || {
        let (pure, overhead) = (transfer.mean()?.between?, overhead.between?);
        Some((overlap(overhead.1 + seen, pure.0 + beside), overlap(overhead.0, pure.1)))
    };
    let [post, _, wait] = means.parts;
    Some(OsuFigures {
        pure: timed,
        overall,
        init: post?.value + transfer.between_calls + 0.75 * beside,
        wait: wait?.value + overall - whole.value - means.turning - beside,
        overlap: overlap(overhead.value + seen, timed),
        between: bounds(),
    })
}

fn imb(later: &BatchesByRank, transfer: &TransferTime) -> Option<ImbFigures> {
    let of_ranks = later.iter().filter_map(|(rank, batches)| {
        let means = LifeMeans::of_rank(batches);
        Some((*rank, means, transfer.timed(&means)?))
    });
    let (rank, means, overlapped) = of_ranks.max_by(|one, other| one.2.total_cmp(&other.2))?;
    let pure = transfer.timed(transfer.means_of(rank))?;
    let seen = between(&means, transfer) + IMB_OUTSIDE_COMPUTATION * transfer.beside + means.turning;
    let computation = (overlapped - means.overhead?.value - seen).max(0.0);
    let overlap = 100.0 * ((pure + computation - overlapped) / pure.max(computation)).clamp(0.0, 1.0);
    Some(ImbFigures { pure, overlapped, computation, overlap })
}
