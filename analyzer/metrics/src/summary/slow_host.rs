//! The finding on a host whose ranks all compute longer than those of the other hosts.
//!
//! In: each rank's time outside MPI. With one rank per host, or uneven ranks on a host, the rank is the cause and not the
//! host.

use super::limits::limits;
use super::{Evidence, Finding, FindingKind};
use crate::scheduling::{by_host, undelayed_computation};
use crate::words::plural;
use model::Rank;
use model::matching::scenario::RunChange;
use tables::{Value, WorldRank};

limits! {
    /// The host's quickest rank computes at least this much longer than the slowest of the others.
    LEAST_LONGER = 0.05, Least, "of their mean", Convention;
    /// The gap between the two sets of ranks is at least this part of the difference of their means.
    /// Less is what uneven ranks would look like.
    LEAST_APART = 0.5, Least, "of the difference", Convention;
}

/// A host and the seconds for which each of its ranks was outside MPI and not kept from running.
struct Computing<'r> {
    host: &'r str,
    ranks: Vec<&'r Rank>,
    seconds: Vec<f64>,
}

impl<'r> Computing<'r> {
    fn of((host, ranks): (&'r str, Vec<&'r Rank>)) -> Computing<'r> {
        let seconds = ranks.iter().map(|rank| undelayed_computation(rank)).collect();
        Computing { host, ranks, seconds }
    }

    fn least(&self) -> f64 {
        self.seconds.iter().copied().fold(f64::MAX, f64::min)
    }

    fn most(&self) -> f64 {
        self.seconds.iter().copied().fold(0.0, f64::max)
    }

    fn mean(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.seconds.len() as f64
    }
}

pub fn finding(known: &Evidence) -> Option<Finding> {
    let mut hosts: Vec<Computing> = by_host(known.run).into_iter().map(Computing::of).collect();
    if hosts.len() < 2 || hosts.iter().any(|host| host.ranks.len() < 2) {
        return None;
    }
    hosts.sort_by(|a, b| b.mean().total_cmp(&a.mean()));
    let (slow, others) = hosts.split_first()?;
    let most = others.iter().map(Computing::most).fold(0.0, f64::max);
    let count = others.iter().map(|host| host.ranks.len()).sum::<usize>() as f64;
    let mean = others.iter().flat_map(|host| &host.seconds).sum::<f64>() / count;
    let (apart, longer) = (slow.least() - most, slow.mean() - mean);
    if mean <= 0.0 || apart < LEAST_LONGER.get() * mean || apart < LEAST_APART.get() * longer {
        return None;
    }
    let (host, ranks) = (slow.host, plural(slow.ranks.len() as u64, "rank"));
    let [own, theirs] = [slow.mean(), mean].map(Value::Seconds);
    let headline = format!(
        "All {ranks} of {host} compute {:.0} % longer than those of the other hosts: {own}, not {theirs}.",
        100.0 * longer / mean
    );
    let numbers = slow.ranks.iter().map(|rank| WorldRank { world: rank.header.world, number: rank.number() }).collect();
    let next =
        format!("If they have no more work than the others, {host} is slower: compare its cores, clock and load.");
    let costs = longer * count / known.ranks() as f64;
    let places =
        slow.ranks.iter().filter_map(|rank| known.run.ranks.iter().position(|other| std::ptr::eq(other, *rank)));
    let changes = vec![RunChange::Ranks(places.map(|place| place as u32).collect(), mean / slow.mean())];
    let finding = Finding::new(FindingKind::SlowHost, "hosts", headline).changes(changes);
    Some(finding.costs(costs).ranks(numbers).next(next))
}
