//! The share of its computation for which a rank was ready to run but had no core, between readings.
//!
//! In: the calls of each rank's first thread, and the readings of its use of the machine. Out: for each interval between two readings the
//! share of the time outside MPI that would go if the rank always had a core: at most, mostly and at least, since a reading does not tell
//! what was in MPI.

use super::reader::Outside;
use super::readings::{Interval, intervals};
use crate::common_clock::CommonClock;
use crate::matching::scenario::CoreLack;
use crate::objects::Objects;
use crate::roles::{CallPart, Roles};
use crate::stream::Stream;
use crate::{Run, parallel};

/// An interval with the time that the rank spent outside MPI in it, and in MPI.
struct Halves {
    interval: Interval,
    outside: i64,
    inside: i64,
}

/// Each rank's intervals, in order.
pub fn off_core(run: &Run, clock: &CommonClock) -> Vec<Vec<CoreLack>> {
    let objects = Objects::of(run);
    parallel::map(run.ranks.len(), |at| {
        let (rank, line) = (&run.ranks[at], &clock.lines[at]);
        let halves = |interval| Halves { interval, outside: 0, inside: 0 };
        let mut all: Vec<Halves> = intervals(rank, line).into_iter().map(halves).collect();
        let contents = rank.contents();
        let Some(thread) = contents.threads.first().filter(|_| !all.is_empty()) else { return Vec::new() };
        let mut calls = Stream::whole(thread, rank, line, Roles::of(run, &objects, run.call_sites(), at));
        let (mut last, mut current) = (None, 0);
        while let Some(call) = calls.peek() {
            let part = calls.role(call).what;
            if let Some(last) = last.filter(|_| part != CallPart::Begin) {
                add(&mut all, &mut current, (last, call.start), |halves, time| halves.outside += time);
            }
            if part == CallPart::End {
                break;
            }
            if part != CallPart::Begin {
                add(&mut all, &mut current, (call.start, call.end), |halves, time| halves.inside += time);
            }
            last = Some(call.end);
            calls.advance();
        }
        all.iter().map(Halves::lack).collect()
    })
}

/// Adds a stretch to the intervals that it lies in, from the `current` one on.
fn add(all: &mut [Halves], current: &mut usize, (from, until): (i64, i64), mut to: impl FnMut(&mut Halves, i64)) {
    while let Some(halves) = all.get_mut(*current) {
        let time = halves.interval.until.min(until) - halves.interval.from.max(from);
        if time > 0 {
            to(halves, time);
        }
        if halves.interval.until > until {
            break;
        }
        *current += 1;
    }
}

impl Halves {
    fn lack(&self) -> CoreLack {
        let Halves { interval, outside, inside } = self;
        let times = Outside::of(interval, *outside, *inside).off_core();
        let shares = times.map(|time| time as f64 / (*outside).max(1) as f64);
        CoreLack { from: interval.from, until: interval.until, shares }
    }
}
