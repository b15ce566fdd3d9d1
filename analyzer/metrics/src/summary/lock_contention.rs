//! The finding on ranks that wait for the lock of a window while another rank has it.

use std::collections::BTreeMap;

use super::lateness::LateActivity;
use super::used_sites::named;
use super::{Finding, FindingKind, LEAST_SHARE_OF_RUN};
use crate::words::{ranks_in_words, site_in_words, upper, verb};
use model::matching::WaitState;
use model::origins::Activity;
use model::roles::CallSite;
use model::sums::{Grow, Total};

const NEXT: &str = "Compute before MPI_Win_lock or after MPI_Win_unlock, and hold the lock for the access alone. If ranks access the \
                    window by MPI_Accumulate and the like alone, MPI_LOCK_SHARED is enough: each element is updated atomically.";

/// The finding on ranks that work one after another under a lock, and wait elsewhere: some libraries get the lock only with the access.
pub fn in_turn(place: &str) -> Finding {
    let headline = format!("The ranks work one after another {place}, where each holds the lock of a window.");
    Finding::new(FindingKind::LockContention, "waits", headline).next(NEXT)
}

pub fn finding(late: &LateActivity) -> Finding {
    let lock = late.main_wait().map(|wait| late.site_of(wait.waiter));
    let lock_call = lock.map(site_in_words).unwrap_or_default();
    let culprits = late.world_ranks(late.culprits());
    let takes_turns = 2 * culprits.len() > late.known.ranks();
    let (who, they) = match culprits.len() {
        _ if takes_turns => ("another rank has".to_string(), "It"),
        1 => (format!("{} has", ranks_in_words(&culprits)), "It"),
        _ => (format!("{} have", ranks_in_words(&culprits)), "They"),
    };
    let costs = late.costs();
    let (at_lock, elsewhere) = waits_of(late);
    let own = costs.min(late.known.mean(at_lock));
    let headline = format!("Ranks wait in {lock_call} while {who} the lock.");
    let does = match (late.activity, they) {
        (Activity::Between(..), "It") => "computes",
        (Activity::Between(..), _) => "compute",
        (_, "It") => "is",
        _ => "are",
    };
    let detail = format!("{they} {does} {} meanwhile.{}", late.place(), in_words(late, &elsewhere, costs - own));
    let ranks = if takes_turns { Vec::new() } else { culprits };
    let sites = lock.and_then(CallSite::line).into_iter().chain(late.sites());
    let finding = Finding::new(FindingKind::LockContention, "waits", headline).detail(detail).next(NEXT);
    finding.costs(costs).ranks(ranks).sites(sites.collect())
}

/// Time of all waits for locks, nanoseconds, and of the other waits by place and rank.
fn waits_of(late: &LateActivity) -> (i64, BTreeMap<usize, BTreeMap<u32, i64>>) {
    let (mut at_lock, mut elsewhere) = (0i64, BTreeMap::<usize, BTreeMap<u32, i64>>::new());
    for (key, sum) in late.known.account().into_iter().flat_map(|account| &account.waits.sums) {
        if key.state == WaitState::LockContention {
            at_lock.grow(sum.time);
        } else {
            let of_place = elsewhere.entry(key.waiter.place.number()).or_default();
            of_place.entry(key.waiter.rank).or_default().grow(sum.time);
        }
    }
    (at_lock, elsewhere)
}

/// The sentence on the other call in which ranks wait for those that wait for the lock; `costs` are those of such waits.
fn in_words(late: &LateActivity, elsewhere: &BTreeMap<usize, BTreeMap<u32, i64>>, costs: f64) -> String {
    let sum = |ranks: &BTreeMap<u32, i64>| ranks.values().copied().total();
    let longest = elsewhere.iter().max_by_key(|(place, ranks)| (sum(ranks), std::cmp::Reverse(**place)));
    let Some((place, ranks)) = longest else { return String::new() };
    let more = costs.min(late.known.mean(sum(ranks)));
    if more < LEAST_SHARE_OF_RUN.get() * late.known.wall() {
        return String::new();
    }
    let site = &late.run().call_sites()[*place];
    let ranks = named(late.run(), ranks);
    let waits = verb(ranks.len(), "waits", "wait");
    let who = upper(&ranks_in_words(&ranks));
    format!(" {who} {waits} for that in {}: {}.", site_in_words(site), late.known.share(more))
}
