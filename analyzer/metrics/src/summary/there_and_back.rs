//! The finding on what goes to a root and back from it: a reduction or a gather, and directly behind it a broadcast.

use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::words::plural;
use model::matching::scenario::RunChange;
use model::origins::Activity;
use model::roles::{CallPart, Flow};
use rustc_hash::FxHashMap;
use tables::Value;
use traces::calls::Call;

limits! {
    /// The broadcast is the next call after so many of the calls that bring together.
    LEAST_FOLLOWED = 0.9, Least, "of the calls", Convention;
}

/// The findings, by the line that brings together.
pub fn findings(known: &Evidence, sites: &[UsedSite]) -> Vec<Finding> {
    let Some(walk) = known.walk else { return Vec::new() };
    let mut followed: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    for ((_, activity), times) in &walk.origins.activities {
        if let Activity::Between(from, to) = activity {
            *followed.entry((*from, *to)).or_default() += times.count;
        }
    }
    let there = sites.iter().filter(|used| is_blocking(used, Flow::ToRoot));
    let back = |there: &&UsedSite| {
        let least = LEAST_FOLLOWED.get() * there.count() as f64;
        let is_behind = |back: u32| followed.get(&(there.number, back)).is_some_and(|count| *count as f64 >= least);
        let is_broadcast = |used: &UsedSite| used.call() == Some(Call::Bcast) && is_blocking(used, Flow::FromRoot);
        sites.iter().find(|used| is_broadcast(used) && is_behind(used.number) && is_same(there, used))
    };
    there.filter_map(|there| Some(finding(there, back(&there)?))).collect()
}

fn is_blocking(used: &UsedSite, flow: Flow) -> bool {
    let first = used.ranks.first();
    first.is_some_and(|(_, habits)| {
        !habits.starts && matches!(habits.part, CallPart::Collective { flow: of, .. } if of == flow)
    }) && used.ranks.len() == used.known.ranks()
}

/// True if as many bytes come back as one rank, or all of them, sent there.
fn is_same(there: &UsedSite, back: &UsedSite) -> bool {
    let sizes = |used: &UsedSite| -> Vec<u64> {
        used.ranks.iter().map(|(_, habits)| habits.bytes / habits.count.max(1)).collect()
    };
    let (sent, got) = (sizes(there), sizes(back));
    let [Some(least), Some(most), Some(back)] = [sent.iter().min(), sent.iter().max(), got.iter().min()] else {
        return false;
    };
    *back > 0 && (back == least || back == most)
}

fn finding(there: &UsedSite, back: &UsedSite) -> Finding {
    let ranks = there.ranks.len().max(1) as u64;
    let (times, size) = (plural(there.count() / ranks, "time"), back.bytes() / back.count().max(1));
    let headline = format!(
        "{} hands back what {} brings together, {times}, {} each.",
        back.place(),
        there.place(),
        Value::Bytes(size)
    );
    let detail = "The root is a detour: all wait for it, and the data goes through it.";
    let next = if there.call() == Some(Call::Reduce) {
        "Call MPI_Allreduce in place of both."
    } else {
        "Call MPI_Allgather in place of both, or MPI_Allreduce where the root adds up what it gets."
    };
    let costs = there.known.mean(back.own());
    let finding = Finding::new(FindingKind::CollectiveByHand, "sites", headline).detail(detail).next(next);
    let mut places = there.sites();
    places.extend(back.sites());
    finding.costs(costs).changes(vec![RunChange::Calls(vec![back.number], 0.0)]).sites(places)
}
