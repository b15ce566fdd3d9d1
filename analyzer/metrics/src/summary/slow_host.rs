//! The finding on a host whose ranks all compute longer than those of the other hosts.
//!
//! In: each rank's time outside MPI. With one rank per host, or uneven ranks on a host, the rank is the cause and not the
//! host.

use super::limits::limits;
use super::{Evidence, Finding, FindingKind};
use crate::scheduling::{by_host, undelayed_computation};
use crate::totals::world_rank;
use crate::words::plural;
use model::Rank;
use model::matching::scenario::RunChange;
use tables::Value;

limits! {
    /// The gap between the host's quickest rank and the slowest of the others is at least this part of the difference of their means. Less is what uneven
    /// ranks would look like.
    LEAST_APART = 0.5, Least, "of the difference", Convention;
}

pub fn finding(known: &Evidence) -> Option<Finding> {
    let mut hosts = by_host(known.run);
    if hosts.len() < 2 || hosts.iter().any(|(_, ranks)| ranks.len() < 2) {
        return None;
    }
    let times = |ranks: &[&Rank]| -> Vec<f64> { ranks.iter().map(|rank| undelayed_computation(rank)).collect() };
    let mean = |ranks: &[&Rank]| times(ranks).iter().sum::<f64>() / ranks.len() as f64;
    hosts.sort_by(|(_, a), (_, b)| mean(b).total_cmp(&mean(a)));
    let ((host, slow), others) = hosts.split_first()?;
    let others: Vec<&Rank> = others.iter().flat_map(|(_, ranks)| ranks).copied().collect();
    let (own, theirs) = (mean(slow), mean(&others));
    let least = times(slow).into_iter().fold(f64::MAX, f64::min);
    let most = times(&others).into_iter().fold(0.0, f64::max);
    let longer = own - theirs;
    if theirs <= 0.0 || longer <= 0.0 || least - most < LEAST_APART.get() * longer {
        return None;
    }
    let headline = format!(
        "All {} of {host} compute {:.0} % longer than those of the other hosts: {}, not {}.",
        plural(slow.len() as u64, "rank"),
        100.0 * longer / theirs,
        Value::Seconds(own),
        Value::Seconds(theirs)
    );
    let next =
        format!("If they have no more work than the others, {host} is slower: compare its cores, clock and load.");
    let is_slow = |rank: &Rank| slow.iter().any(|one| std::ptr::eq(*one, rank));
    let places = (0..).zip(&known.run.ranks).filter(|(_, rank)| is_slow(rank)).map(|(place, _)| place).collect();
    let finding = Finding::new(FindingKind::SlowHost, "hosts", headline).next(next);
    let finding = finding.changes(vec![RunChange::Ranks(places, theirs / own)]);
    let costs = longer * others.len() as f64 / known.ranks() as f64;
    Some(finding.costs(costs).ranks(slow.iter().map(|rank| world_rank(rank)).collect()))
}
