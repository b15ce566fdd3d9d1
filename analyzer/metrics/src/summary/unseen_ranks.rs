//! The finding on calls with ranks that have no records here: of another launch, or not recorded. How long they wait for these is unknown.

use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind, MUCH_IN_MPI};
use model::sums::Total;
use traces::calls::Call;

/// Leaves out call sites that the `others` are about.
pub fn finding(known: &Evidence, sites: &[UsedSite], others: &[Finding]) -> Option<Finding> {
    let is_named = |used: &UsedSite| {
        let of_calls = others.iter().filter(|other| other.kind.is_of_calls());
        of_calls.flat_map(|other| &other.sites).any(|site| used.site.line().as_ref() == Some(site))
    };
    let sites: Vec<&UsedSite> = sites.iter().filter(|used| !is_named(used)).collect();
    let time = sites.iter().map(|used| used.total(|habits| habits.with_unseen)).total();
    let costs = known.mean(time);
    if costs < MUCH_IN_MPI.get() * known.wall() {
        return None;
    }
    let most = sites.iter().max_by_key(|used| used.total(|habits| habits.with_unseen))?;
    let connects = most.call().is_some_and(|call| [Call::Comm_accept, Call::Comm_connect].contains(&call));
    let (headline, next) = if connects {
        (
            format!("Ranks wait in {} until the other side comes.", most.place()),
            "See when the other side calls, and compute until then.",
        )
    } else {
        (
            format!("Ranks are in {} with ranks that have no records here.", most.place()),
            "Whether they wait there or move data is not in this run: record the other ranks, too, and look at both.",
        )
    };
    let finding = Finding::new(FindingKind::UnseenRanks, "functions", headline).next(next);
    Some(finding.costs(costs).sites(most.sites()))
}
