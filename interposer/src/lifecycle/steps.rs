//! The time of the recorder's own steps when MPI is initialized and finalized, with waiting for other ranks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use traces::definitions::{Definition, Step, StepKind};

use crate::clock;
use crate::recorder::file::shared;

/// Ticks of each step that are not in the file yet.
static TICKS: [AtomicU64; StepKind::ALL.len()] = [const { AtomicU64::new(0) }; _];

pub fn timed<R>(kind: StepKind, work: impl FnOnce() -> R) -> R {
    let began = clock::now();
    let result = work();
    ended(kind, began);
    result
}

/// Notes that a step ends now.
pub fn ended(kind: StepKind, began: u64) {
    if let Some(ticks) = TICKS.get(kind as usize) {
        ticks.fetch_add(clock::now().wrapping_sub(began), Relaxed);
    }
}

/// Writes the steps since the last call.
pub fn define() {
    let step = |(kind, ticks): (&StepKind, &AtomicU64)| Step { kind: *kind, ticks: ticks.swap(0, Relaxed) };
    let steps: Vec<Step> = StepKind::ALL.iter().zip(&TICKS).map(step).filter(|step| step.ticks > 0).collect();
    if !steps.is_empty() {
        shared::define(&Definition::Steps(steps));
    }
}
