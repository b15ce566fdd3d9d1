//! The finding on the rank that computes longest, by totals alone: for profiles, for waits that the clocks do not resolve, and for those
//! that delays may explain.

use super::limits::limits;
use super::unknown_delays::MAY_CAUSE;
use super::{Evidence, Finding, FindingKind};
use crate::endings::unknown_time;
use crate::imbalance::{of_mean_threads, of_undelayed_computation};
use crate::totals::world_rank;
use model::Rank;
use model::matching::{Account, WaitState};
use model::sums::Total;
use tables::Value;

limits! {
    /// A smaller imbalance is not reported.
    LEAST_PERCENT = 10.0, Least, "percent", Convention;
    /// The same where ranks were kept from their cores: the part of that in computation is an estimate.
    LEAST_PERCENT_WITHOUT_DELAYS = 25.0, Least, "percent", Convention;
}

pub fn finding(known: &Evidence) -> Option<Finding> {
    let is_delayed = known.delays().is_some();
    let spread = of_mean_threads(known.run);
    let percent = spread.percentage().filter(|percent| *percent >= LEAST_PERCENT.get())?;
    // The scheduler gives ranks that share cores uneven turns.
    if is_delayed && known.shares_cores() {
        return None;
    }
    let undelayed = of_undelayed_computation(known.run);
    let least = if is_delayed { LEAST_PERCENT_WITHOUT_DELAYS.get() } else { LEAST_PERCENT.get() };
    undelayed.percentage().filter(|percent| *percent >= least)?;
    if undelayed.most_rank != spread.most_rank {
        return None;
    }
    // Ranks that do not wait for the longest one lose nothing by it, as where each draws its next task when it has done the last.
    let waited = known.account().and_then(waited_at_most).map_or(f64::INFINITY, |waited| known.mean(waited));
    let costs = spread.imbalance().min(waited);
    if costs <= unknown_time(known.run) {
        return None;
    }
    let threads = known.run.asked().find(|rank| world_rank(rank) == spread.most_rank).map_or(1, Rank::thread_count);
    let of_threads = if threads > 1 { format!(" on average of its {threads} threads") } else { String::new() };
    let headline = format!(
        "Rank {} computes longest, {}{of_threads}, an imbalance of {percent:.1} %.",
        spread.most_rank,
        Value::Seconds(spread.most)
    );
    let next = "Spread the work more evenly.";
    let mut finding = Finding::new(FindingKind::LateRank, "ranks", headline).costs(costs);
    if is_delayed {
        finding.add(MAY_CAUSE);
    }
    Some(finding.ranks(vec![spread.most_rank]).next(next))
}

/// Nanoseconds for which ranks can have waited until another one came: the waits that were found, those that the clocks do not resolve, and
/// the error of both. `None` where ranks may have waited in calls that could not be matched.
fn waited_at_most(account: &Account) -> Option<i64> {
    let has_matched = account.collectives > 0 || !account.pairs.is_empty();
    let has_unmatched = !account.rest.waiting.is_empty()
        || !account.rest.confused.is_empty()
        || account.elsewhere + account.unrecorded + account.before > 0;
    let is_for_one = |state: WaitState| !matches!(state, WaitState::NxnCompletion | WaitState::BarrierCompletion);
    let found = account.waits.sums.iter().filter(|(key, _)| is_for_one(key.state)).map(|(_, sum)| sum);
    let unresolved = account.waits.unresolved.iter().filter(|(state, _)| is_for_one(**state)).map(|(_, sum)| sum);
    let waited = || found.chain(unresolved).map(|sum| sum.time.saturating_add(sum.error)).total();
    (has_matched && !has_unmatched).then(waited)
}
