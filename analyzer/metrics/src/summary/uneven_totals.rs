//! The finding on the rank that computes longest, by totals alone: for profiles, for waits that the clocks do not resolve, and for those
//! that delays may explain.

use super::unknown_delays::MAY_CAUSE;
use super::{Evidence, Finding, FindingKind};
use crate::endings::unknown_time;
use crate::imbalance::{of_mean_threads, of_undelayed_computation};
use crate::totals::world_rank;
use model::Rank;
use tables::Value;

/// A smaller imbalance is not reported.
const LEAST_PERCENT: f64 = 10.0;
/// The same where ranks were kept from their cores: the part of that in computation is an estimate.
const LEAST_PERCENT_WITHOUT_DELAYS: f64 = 25.0;

pub fn finding(known: &Evidence) -> Option<Finding> {
    let is_delayed = known.delays().is_some();
    let spread = of_mean_threads(known.run);
    let percent = spread.percentage().filter(|percent| *percent >= LEAST_PERCENT)?;
    // The scheduler gives ranks that share cores uneven turns.
    if is_delayed && known.shares_cores() {
        return None;
    }
    let undelayed = of_undelayed_computation(known.run);
    let least = if is_delayed { LEAST_PERCENT_WITHOUT_DELAYS } else { LEAST_PERCENT };
    undelayed.percentage().filter(|percent| *percent >= least)?;
    if undelayed.most_rank != spread.most_rank {
        return None;
    }
    let costs = spread.imbalance();
    if costs <= unknown_time(known.run) {
        return None;
    }
    let threads = known.run.asked().find(|rank| world_rank(rank) == spread.most_rank).map_or(1, Rank::thread_count);
    let of_threads = if threads > 1 { format!(" in the mean of its {threads} threads") } else { String::new() };
    let headline = format!(
        "Rank {} computes longest, {}{of_threads}, an imbalance of {percent:.1} %.",
        spread.most_rank,
        Value::Seconds(spread.most)
    );
    let next = "Spread the work more evenly.";
    let mut finding = Finding::new(FindingKind::UnevenTotals, "ranks", headline).costs(costs);
    if is_delayed {
        finding.add(MAY_CAUSE);
    }
    Some(finding.ranks(vec![spread.most_rank]).next(next))
}
