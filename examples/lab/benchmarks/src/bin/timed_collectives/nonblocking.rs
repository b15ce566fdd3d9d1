//! Measures nonblocking operations: the times of beginning, testing and waiting, and the hidden part of the operation, as in
//! section 4.1.

use std::time::Instant;

use benchmarks::statistics::{mean, median};
use benchmarks::{test, wait};

use crate::calls::{Buffers, Group};
use crate::clock::Clock;
use crate::computation;
use crate::functions::Function;
use crate::windows;

/// Fills the time between the begin and the wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Computation for as long as the operation takes alone.
    Time,
    /// A workload that takes as long alone; it shows what the operation takes from the processor outside its calls, too.
    Work,
}

/// Settings of a measurement.
#[derive(Clone, Copy)]
pub struct Plan {
    pub scheme: Scheme,
    /// Bytes between two tests; 0 for none.
    pub every: u64,
    pub runs: usize,
    pub is_plain: bool,
}

impl Plan {
    /// The number of tests in a message of this many bytes.
    pub fn tests(&self, bytes: usize) -> u64 {
        if self.every > 0 { (bytes as u64).div_ceil(self.every) + 1 } else { 0 }
    }
}

/// One rank's part in one operation, seconds.
#[derive(Clone, Copy)]
pub struct Part {
    pub begin: f64,
    pub test: f64,
    pub wait: f64,
    pub whole: f64,
    /// Time of the workload alone; if it is given as a time, the time computed.
    pub computed: f64,
}

impl Part {
    /// Time that the operation cost the program: all but the computation.
    pub fn overhead(&self, scheme: Scheme) -> f64 {
        match scheme {
            Scheme::Time => self.begin + self.test + self.wait,
            Scheme::Work => self.whole - self.computed,
        }
    }
}

/// Results, on rank 0.
pub struct Measured {
    /// t_b, the slowest rank's.
    pub blocking: f64,
    /// Times of all ranks and runs.
    pub alone: Vec<f64>,
    /// By rank, one run after the other.
    pub parts: Vec<Part>,
    /// Windows that a rank was late for.
    pub missed: usize,
    /// All windows.
    pub windows: usize,
}

/// All ranks of the group call it.
pub fn measure(clock: &Clock, group: Group, function: &Function, buffers: &mut Buffers, plan: Plan) -> Measured {
    let runs = if plan.is_plain { 1 } else { plan.runs };
    let mut own = Vec::new();
    windows::run(clock, group, runs, || own.push(function.complete(buffers, group)));
    let own = own.split_off(windows::WARM_UP);
    let blocking = group.most(if plan.is_plain { mean(&own) } else { median(&own) });
    let alone = group.gather(&own);
    let units = match plan.scheme {
        Scheme::Time => 0,
        Scheme::Work => group.most(computation::units_of(blocking) as f64) as u64,
    };
    let computed = if units > 0 { computation::time_of(units) } else { blocking };
    let mut parts = Vec::new();
    let windows = windows::run(clock, group, plan.runs, || {
        parts.push(overlapped(function, buffers, group, plan, units, computed));
    });
    let (missed, windows) = (windows.iter().filter(|window| window.is_missed).count(), windows.len());
    let parts = parts.split_off(windows::WARM_UP);
    let flat: Vec<f64> =
        parts.iter().flat_map(|part| [part.begin, part.test, part.wait, part.whole, part.computed]).collect();
    let all = group.gather(&flat);
    let part = |figures: &[f64]| Part {
        begin: figures[0],
        test: figures[1],
        wait: figures[2],
        whole: figures[3],
        computed: figures[4],
    };
    Measured { blocking, alone, parts: all.chunks_exact(5).map(part).collect(), missed, windows }
}

/// Begins, computes, with tests at the begin, the end and between, and waits.
fn overlapped(function: &Function, buffers: &mut Buffers, group: Group, plan: Plan, units: u64, seconds: f64) -> Part {
    let tests = plan.tests(buffers.message_bytes());
    let begin = Instant::now();
    // SAFETY: the buffers stay until the request is complete, below.
    let mut request = unsafe { function.begin(buffers, group) };
    let begun = begin.elapsed().as_secs_f64();
    let (mut testing, mut is_complete, pieces) = (0.0, false, tests.saturating_sub(1).max(1));
    for piece in 0..=pieces {
        if tests > 0 && !is_complete {
            let before = Instant::now();
            is_complete = test(&mut request);
            testing += before.elapsed().as_secs_f64();
        }
        if piece == pieces {
            break;
        }
        match plan.scheme {
            Scheme::Time => computation::for_seconds(seconds / pieces as f64),
            Scheme::Work => computation::work(units * (piece + 1) / pieces - units * piece / pieces),
        }
    }
    let before = Instant::now();
    wait(&mut request);
    let waited = before.elapsed().as_secs_f64();
    Part { begin: begun, test: testing, wait: waited, whole: begin.elapsed().as_secs_f64(), computed: seconds }
}
