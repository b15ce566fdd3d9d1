//! The finding on requests that were pending while nothing entered the progress engine.

use super::{Evidence, Finding, FindingKind};
use crate::engine;
use model::Rank;
use tables::Value;

/// Times below this share of the run are not reported.
const LEAST_SHARE: f64 = 0.01;

pub fn finding(known: &Evidence) -> Option<Finding> {
    let rows = engine::starved(known.run, known.engines).rows;
    // A program that polls at one place does what it can.
    let row = rows.iter().find(|row| row.from != row.to)?;
    let wall = known.run.asked().map(Rank::wall).fold(0.0, f64::max);
    let text = format!(
        "Requests of rank {} were pending up to {} while nothing entered the progress engine, {} times, between {} and {}.",
        row.rank,
        Value::Seconds(row.longest),
        row.times,
        row.from,
        row.to
    );
    let next = "Call MPI_Test now and then in that computation, or turn on the MPI library's progress thread.";
    (row.longest >= LEAST_SHARE * wall).then(|| Finding::new(FindingKind::Unprogressed, "progress", text).next(next))
}
