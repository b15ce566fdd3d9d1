//! The finding on the rank that computes longest, by totals alone: for profiles, and for waits that the clocks do not resolve.

use super::{Evidence, Finding, FindingKind};
use crate::imbalance::of_computation;
use tables::Value;

/// A smaller imbalance is not reported.
const LEAST_PERCENT: f64 = 10.0;

pub fn finding(known: &Evidence) -> Option<Finding> {
    let spread = of_computation(known.run);
    let percent = spread.percentage().filter(|percent| *percent >= LEAST_PERCENT)?;
    let costs = spread.imbalance();
    let headline = format!(
        "Rank {} computes longest, {}, an imbalance of {percent:.1} %: {}.",
        spread.most_rank,
        Value::Seconds(spread.most),
        known.cost(costs)
    );
    let next = "Spread the work more evenly.";
    let finding = Finding::new(FindingKind::UnevenTotals, "ranks", headline).costs(costs);
    Some(finding.ranks(vec![spread.most_rank]).next(next))
}
