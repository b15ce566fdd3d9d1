//! The time of the recorder's own steps when MPI was initialized and finalized.

use traces::definitions::StepKind;

use super::median::median;
use super::words::rank_in_words;
use model::{Rank, Run};
use tables::scale::Scale;

/// Steps shorter than this share of all are not named.
const NAMED: f64 = 0.05;

/// The recorder's part of MPI_Init and of MPI_Finalize, in words. `None` in runs of older recorders, and for
/// MPI_Finalize if no rank reached it.
pub fn in_words(run: &Run) -> [Option<String>; 2] {
    let (end, start): (Vec<_>, Vec<_>) =
        StepKind::ALL.into_iter().partition(|kind| *kind == StepKind::ClocksAtFinalize);
    [(start, "MPI_Init"), (end, "MPI_Finalize")].map(|(kinds, call)| of_call(run, &kinds, call))
}

fn of_call(run: &Run, kinds: &[StepKind], call: &str) -> Option<String> {
    let with_steps: Vec<(&Rank, f64)> = run
        .ranks
        .iter()
        .filter(|rank| rank.steps.iter().any(|step| kinds.contains(&step.kind)))
        .map(|rank| (rank, kinds.iter().map(|kind| seconds(rank, *kind)).sum()))
        .collect();
    let (slowest, longest) = with_steps.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let middle = median(with_steps.iter().map(|(_, seconds)| *seconds))?;
    let scale = Scale::of(*longest).in_words();
    let mut named: Vec<String> = Vec::new();
    for kind in kinds {
        let of_rank = median(with_steps.iter().map(|(rank, _)| seconds(rank, *kind))).unwrap_or(0.0);
        if of_rank >= NAMED * middle {
            named.push(format!("{} to {}", scale.text(of_rank), kind.in_words()));
        }
    }
    Some(format!(
        "{} in {call} (median of ranks; {} in {}): {}",
        scale.text(middle),
        scale.text(*longest),
        rank_in_words(slowest),
        named.join(", ")
    ))
}

fn seconds(rank: &Rank, kind: StepKind) -> f64 {
    let ticks = rank.steps.iter().filter(|step| step.kind == kind).map(|step| step.ticks).sum();
    rank.clock.seconds(ticks)
}
