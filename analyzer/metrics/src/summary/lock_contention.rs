//! The finding on ranks that wait for the lock of a window while another rank has it.

use super::lateness::LateActivity;
use super::{Finding, FindingKind};
use crate::words::{numbers_of, site_in_words};
use model::origins::Activity;

pub fn finding(late: &LateActivity) -> Finding {
    let lock = late.main_wait().and_then(|wait| late.site_of_wait(wait.waiter.place.number()));
    let lock_call = lock.map(site_in_words).unwrap_or_default();
    let culprits = late.world_ranks(late.culprits());
    let takes_turns = 2 * culprits.len() > late.known.ranks();
    let (who, they) = match culprits.len() {
        _ if takes_turns => ("another rank has".to_string(), "It"),
        1 => (format!("{} has", numbers_of(&culprits)), "It"),
        _ => (format!("{} have", numbers_of(&culprits)), "They"),
    };
    let costs = late.costs();
    let headline = format!("Ranks wait in {lock_call} while {who} the lock: {}.", late.known.cost(costs));
    let does = match (late.activity, they) {
        (Activity::Between(..), "It") => "computes",
        (Activity::Between(..), _) => "compute",
        (_, "It") => "is",
        _ => "are",
    };
    let detail = format!("{they} {does} {} meanwhile.", late.place());
    let next = "Compute before MPI_Win_lock or after MPI_Win_unlock, and hold the lock for the access alone. If ranks access the \
                window by MPI_Accumulate and the like alone, MPI_LOCK_SHARED is enough: each element is updated atomically.";
    let ranks = if takes_turns { Vec::new() } else { culprits };
    let sites = lock.map(|lock| lock.site.clone()).filter(|site| !site.is_empty()).into_iter().chain(late.sites());
    let finding = Finding::new(FindingKind::LockContention, "waits", headline).detail(detail).next(next);
    finding.costs(costs).ranks(ranks).sites(sites.collect())
}
