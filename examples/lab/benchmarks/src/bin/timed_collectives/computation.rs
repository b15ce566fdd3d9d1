//! Computation that leaves memory alone: for a time, or of an amount.

use std::hint::black_box;
use std::time::Instant;

pub fn work(units: u64) {
    let mut state = 1u64;
    for _ in 0..units {
        state = black_box(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
    black_box(state);
}

/// Computes for a number of seconds.
pub fn for_seconds(seconds: f64) {
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < seconds {
        work(16);
    }
}

/// The least number of units, by twentieths, that takes this many seconds, as the document finds its workload.
pub fn units_of(seconds: f64) -> u64 {
    const ENOUGH: u64 = 1 << 36;
    let mut units = 16u64;
    while units < ENOUGH && time_of(units) < seconds {
        units += (units / 20).max(1);
    }
    units
}

/// Seconds for `units` of work: the least of three, since interruptions only add.
pub fn time_of(units: u64) -> f64 {
    let time = || {
        let begin = Instant::now();
        work(units);
        begin.elapsed().as_secs_f64()
    };
    (0..3).map(|_| time()).fold(f64::INFINITY, f64::min)
}
