//! What Sandia's mpi_overhead prints of its loop: base, overhead, availability.
//!
//! In: the levels of a loop that works longer from level to level. All that an iteration holds counts, as a barrier before the post: so the
//! base is longer than a transfer. Availability is 1 - overhead / base, and less than 0 where the last level was disturbed.

use model::overlap::{LevelLoop, WorkLevel};

/// Nanoseconds, and of 100.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SmbFigures {
    /// Levels of work, and iterations of each.
    pub levels: u64,
    pub iterations: u64,
    /// An iteration that no work has lengthened.
    pub base: f64,
    /// What the last level's iteration takes beyond its work.
    pub overhead: f64,
    pub availability: f64,
    /// The work was timed alone behind the loop; else what was computed in the last level stands for it.
    pub is_alone: bool,
}

/// Levels below this, in the base so far, are averaged into it.
const BASE: f64 = 1.02;
/// What follows the loop is its work alone where it takes so much of what was computed in it at least and at most: processors that share
/// a core work by half faster alone.
const ALONE: (f64, f64) = (0.5, 1.5);
/// And so many nanoseconds more or less: a clock is read there, too.
const CLOCKS: f64 = 100.0;

impl SmbFigures {
    /// Of a loop, whose ticks take so many nanoseconds.
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
