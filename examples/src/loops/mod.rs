//! Loops of published benchmarks, rewritten in `tests/programs/loops`, to compare their own figures with a trace of the
//! same run.
//!
//! In: a library. Out: [`Comparison`]s, one per figure, with the figures of three runs without the recorder: if those
//! differ from each other by more than the goal, no fourth run can meet it.

mod figures;
mod loop_programs;

use std::collections::BTreeMap;

pub use figures::{Goal, INTERVAL};
use loop_programs::Printed;
pub use loop_programs::{LOOPS, Loop, LoopSizes};

use crate::mpi::Mpi;

/// A printed figure next to the trace's.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The loop's name, as `osu_latency`.
    pub of: String,
    /// Size of a message, or of the reduced data.
    pub bytes: u64,
    /// The figure's name, as the loop prints it.
    pub figure: String,
    /// Allowed difference between the two.
    pub goal: Goal,
    pub printed: f64,
    /// The trace's figure, if it has one.
    pub said: Option<f64>,
    /// Printed figures of the runs without the recorder.
    pub plain: Vec<f64>,
}

impl Comparison {
    /// True if the trace agrees with the printed figure.
    pub fn is_within(&self) -> bool {
        self.said.is_some_and(|said| self.goal.holds(self.printed, said))
    }

    /// True if the runs without the recorder agree with each other.
    pub fn is_repeatable(&self) -> bool {
        let (least, most) =
            self.plain.iter().fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(*value), most.max(*value)));
        self.plain.len() < 2 || self.goal.holds(least, most)
    }
}

/// Runs a loop `plain_runs` times without the recorder, and once with it. Panics if a run fails.
pub fn compare(
    of: &Loop,
    mpi: &Mpi,
    variables: &[(&str, &str)],
    sizes: &LoopSizes,
    plain_runs: usize,
) -> Vec<Comparison> {
    let case = variables.iter().fold(of.case(mpi, sizes), |case, (name, value)| case.with(name, value));
    let mut plain: BTreeMap<(String, u64, String), Vec<f64>> = BTreeMap::new();
    for _ in 0..plain_runs {
        let output = case.plain();
        assert_eq!(output.status, 0, "{} under {}: {}", of.program, mpi.name, output.stderr);
        for row in Printed::rows(&output.stdout) {
            for (figure, value) in row.figures {
                plain.entry((row.of.clone(), row.bytes, figure)).or_default().push(value);
            }
        }
    }
    let (output, run) = case.recorded(of.program);
    assert_eq!(output.status, 0, "{} under {}: {}", of.program, mpi.name, output.stderr);
    let answers = figures::Answers::of(&run, of);
    let mut comparisons = Vec::new();
    for row in Printed::rows(&output.stdout) {
        for (figure, goal, said) in answers.of_row(&row) {
            let (name, _) = figure.split_once(' ').unwrap_or((figure, ""));
            let key = (row.of.clone(), row.bytes, name.to_string());
            let printed = if goal == Goal::Width { 0.0 } else { row.figure(name) };
            comparisons.push(Comparison {
                of: row.of.clone(),
                bytes: row.bytes,
                figure: figure.into(),
                goal,
                printed,
                said,
                plain: plain.get(&key).cloned().unwrap_or_default(),
            });
        }
    }
    assert!(!comparisons.is_empty(), "{} under {} prints nothing: {}", of.program, mpi.name, output.stdout);
    comparisons
}
