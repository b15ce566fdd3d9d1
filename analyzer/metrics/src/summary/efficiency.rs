//! The finding on the factor by which the run loses most of its efficiency.

use super::{Evidence, Finding};

/// A more efficient run needs no finding.
const ENOUGH: f64 = 0.95;

pub fn finding(known: &Evidence) -> Option<Finding> {
    let efficiency = known.efficiency?;
    let factors = [
        (efficiency.load_balance(), "load balance", "some ranks have less to do than the busiest"),
        (
            efficiency.serialization(),
            "serialization",
            "ranks wait for each other, as they would on the fastest network",
        ),
        (efficiency.transfer(), "transfer", "the network and the MPI library take their time"),
    ];
    let parallel = efficiency.parallel();
    let (factor, name, meaning) = factors.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let percent = |factor: f64| format!("{:.1} %", 100.0 * factor);
    let text = format!(
        "Parallel efficiency is {}. The run loses most by {name} ({}): {meaning}.",
        percent(parallel),
        percent(factor)
    );
    (parallel < ENOUGH && factor.is_finite()).then(|| Finding::new("pop", text))
}
