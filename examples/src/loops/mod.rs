//! Loops of published benchmarks, written anew in `tests/programs/loops`: whether traces say what the loops print of the same run.
//!
//! In: a library. Out: [`Comparison`]s, a figure each, with what three runs without the recorder print: where those differ from
//! each other by more than the goal, no analysis of a fourth run can be held to it.

mod figures;
mod printed;
mod programs;

use std::collections::BTreeMap;

pub use figures::Goal;
use printed::Printed;
pub use programs::{LOOPS, Loop, LoopSizes};

use crate::mpi::Mpi;

/// A figure that a loop prints, and what the trace of the same run says of it.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The loop's name, as `osu_latency`.
    pub of: String,
    /// Bytes of a message, or of what is reduced.
    pub bytes: u64,
    /// The figure's name, as the loop prints it.
    pub figure: String,
    /// By how much the two may differ.
    pub goal: Goal,
    /// What the loop printed.
    pub printed: f64,
    /// What the trace says, where it says something.
    pub said: Option<f64>,
    /// What the loop printed without the recorder, each time.
    pub plain: Vec<f64>,
}

impl Comparison {
    /// Whether the trace says what was printed.
    pub fn is_within(&self) -> bool {
        self.said.is_some_and(|said| self.goal.holds(self.printed, said))
    }

    /// Whether the loop agrees with itself from run to run.
    pub fn is_repeatable(&self) -> bool {
        let (least, most) =
            self.plain.iter().fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(*value), most.max(*value)));
        self.plain.len() < 2 || self.goal.holds(least, most)
    }
}

/// Runs a loop so many times without the recorder, and once with it. Panics where it does not end well.
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
