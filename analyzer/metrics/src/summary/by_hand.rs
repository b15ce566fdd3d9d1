//! The finding on a collective operation made of single messages: one rank sends to all others in turn, or receives from all.

use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Finding, FindingKind};
use crate::totals::seconds;
use crate::words::{plural, ranks_in_words, upper, verb};
use model::habits::FanTimes;
use model::roles::CallPart;
use tables::Value;

limits! {
    /// With fewer other ranks a tree has as many steps as there are messages.
    LEAST_OTHERS = 3, Least, "ranks", Derived;
    /// The least part of the time from the first message to the last that is in the calls.
    LEAST_IN_CALLS = 0.5, Least, "of the time", Convention;
}

pub fn finding(used: &UsedSite) -> Option<Finding> {
    let mut fans = FanTimes::default();
    for (_, habits) in &used.ranks {
        fans.merge(&habits.fans);
    }
    let roots = used.ranks.iter().filter(|(_, habits)| habits.fans.count > 0).count();
    if fans.others < LEAST_OTHERS.count() {
        return None;
    }
    let is_of_all = 2 * roots > used.known.ranks();
    let (_, first) = used.ranks.first()?;
    let CallPart::Message { sends, .. } = first.part else { return None };
    let others = fans.others as f64;
    let saved = 1.0 - (others + 1.0).log2().ceil() / others;
    let own = (fans.time - fans.waited).max(0);
    // A rank that works between the messages hands out its results as it has them.
    if !first.starts && (used.own() as f64) < LEAST_IN_CALLS.get() * own as f64 {
        return None;
    }
    // Each rank waits until the messages before its own are out: for half of them, on average.
    let others_wait = if sends { own.saturating_mul(fans.others as i64) / 2 } else { 0 };
    let blamed = if is_of_all { 0 } else { used.blamed().max(others_wait) };
    let costs = saved * used.known.mean(own.saturating_add(blamed));
    let culprits = used.culprits(|habits| habits.fans.time);
    let (does, whom, instead) = match (sends, is_of_all) {
        (_, true) => (
            verb(culprits.len(), "exchanges messages with", "exchange messages with"),
            "each other rank",
            "MPI_Alltoall or MPI_Allgather",
        ),
        (true, _) => (
            verb(culprits.len(), "sends to", "send to"),
            "each other rank in turn",
            "MPI_Bcast (MPI_Scatter, where each gets other data)",
        ),
        (false, _) => (
            verb(culprits.len(), "receives from", "receive from"),
            "each other rank in turn",
            "MPI_Gather (MPI_Reduce, where the values are added up)",
        ),
    };
    let headline = format!(
        "{} {does} {whom} in {}, {}, {} each.",
        upper(&ranks_in_words(&culprits)),
        used.place(),
        plural(fans.count, "time"),
        Value::Bytes(fans.bytes)
    );
    let once = Value::Seconds(seconds(own) / fans.count as f64);
    let detail = format!(
        "The {} take {once} one after another; a collective call lets ranks hand on what they have, in {:.0} steps.",
        plural(fans.others, "message"),
        (others + 1.0).log2().ceil()
    );
    let next = format!("Call {instead} in their place.");
    let finding = Finding::new(FindingKind::CollectiveByHand, "matrix", headline).detail(detail).next(next);
    Some(finding.costs(costs).ranks(culprits).sites(used.sites()))
}
