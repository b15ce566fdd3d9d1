//! The figures that Sandia's mpi_overhead prints for its loop: base, overhead, availability.
//!
//! In: the levels of a loop that works longer from level to level. Everything in an iteration counts, such as a barrier
//! before the post, so the base is longer than a transfer. Availability is 1 - overhead / base; it is negative if the
//! last level was disturbed.

use model::overlap::{LevelLoop, WorkLevel};

/// Times in nanoseconds, availability in percent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SmbFigures {
    /// The number of levels of work, and of iterations in each.
    pub levels: u64,
    pub iterations: u64,
    /// The time of an iteration that no work has lengthened.
    pub base: f64,
    /// The time of an iteration of the last level beyond its work.
    pub overhead: f64,
    pub availability: f64,
    /// Whether the work was timed alone, after the loop; if not, the computation in the last level takes its place.
    pub is_alone: bool,
}

/// A level joins the base if it is shorter than this many times the average so far.
const BASE: f64 = 1.02;
/// The time after the loop is that of its work alone if it lies between these shares of the computation in the loop:
/// two processors that share a core work by half faster alone.
const ALONE: (f64, f64) = (0.5, 1.5);
/// The tolerance of that comparison in nanoseconds, since clocks are read there, too.
const CLOCKS: f64 = 100.0;

impl SmbFigures {
    /// The figures of a loop; `tick` is the length of a tick in nanoseconds.
    pub fn of(found: &LevelLoop, tick: f64) -> Option<SmbFigures> {
        let last = found.levels.last()?;
        let (alone, computed) = (last.behind as f64 / last.rounds as f64, last.work());
        let clocks = CLOCKS / tick;
        let is_alone = (ALONE.0 * computed - clocks..=ALONE.1 * computed + clocks).contains(&alone) && alone > 0.0;
        let work = if is_alone { alone } else { computed };
        let (base, overhead) = (base(&found.levels), last.round() - work);
        Some(SmbFigures {
            levels: found.levels.len() as u64,
            iterations: last.rounds,
            base: base * tick,
            overhead: overhead * tick,
            availability: 100.0 * (1.0 - overhead / base),
            is_alone,
        })
    }
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
