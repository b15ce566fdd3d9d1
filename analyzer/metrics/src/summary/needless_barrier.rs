//! The finding on barriers at which every rank waits its share: without them steps could run apart.

use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::words::plural;
use model::matching::scenario::RunChange;
use model::matching::{Account, WaitState};
use model::roles::{CallPart, Flow};
use model::sums::{Grow, Total};
use rustc_hash::FxHashMap;
use traces::calls::Class;

limits! {
    /// If more other calls than this share of the barriers hold all ranks, those would wait in place of the barriers.
    MOST_OTHERS = 0.5, Most, "of the barriers", Convention;
    /// If less than this share of the waiting is common to all ranks, late ranks are to blame.
    LEAST_COMMON = 0.5, Least, "of the waits", Convention;
}

pub fn findings(known: &Evidence, all: &[UsedSite]) -> Vec<Finding> {
    let Some(account) = known.account() else { return Vec::new() };
    let waits = waits(account);
    all.iter().filter_map(|used| finding(used, all, &waits)).collect()
}

fn holds_all(used: &UsedSite) -> bool {
    let Some((_, first)) = used.ranks.first() else { return false };
    let CallPart::Collective { flow, .. } = first.part else { return false };
    matches!(flow, Flow::Barrier | Flow::All | Flow::Fence | Flow::Create)
}

fn finding(used: &UsedSite, all: &[UsedSite], waits: &BarrierWaits) -> Option<Finding> {
    let known = used.known;
    let (_, first) = used.ranks.first()?;
    let is_barrier = used.call().is_some_and(|call| call.class() == Class::Collective)
        && matches!(first.part, CallPart::Collective { flow: Flow::Barrier, .. })
        && !first.starts;
    let guards: u64 = used.ranks.iter().map(|(_, habits)| habits.guards).sum();
    if !is_barrier || guards > 0 || used.ranks.len() < known.ranks() {
        return None;
    }
    let others = all.iter().filter(|other| other.number != used.number && holds_all(other));
    if others.map(UsedSite::count).total() as f64 > MOST_OTHERS.get() * used.count() as f64 {
        return None;
    }
    let waits: Vec<i64> =
        used.ranks.iter().map(|(rank, _)| waits.get(&(used.number, *rank)).copied().unwrap_or(0)).collect();
    let (least, sum) = (waits.iter().copied().min()?, waits.iter().copied().total());
    let mean = sum as f64 / waits.len() as f64;
    if (least as f64) < LEAST_COMMON.get() * mean {
        return None;
    }
    // Without the barrier the rank that has most to do, and waits least, still takes its time: what others wait beyond that is
    // for late ranks.
    let costs = crate::totals::seconds(least);
    let headline =
        format!("Every rank waits in {}, {}, and none is always late.", used.place(), plural(first.count, "time"));
    let detail = "Ranks are late in turn, so without the barrier what one loses in a step it could win back in another. No window \
                  or file is used beside it; what else needs it, such as a clock that is read behind it, is not in the calls.";
    let next =
        "Remove the barrier unless the algorithm needs it: messages and collective calls wait for what they need.";
    let finding = Finding::new(FindingKind::NeedlessBarrier, "waits", headline).detail(detail).next(next);
    Some(finding.costs(costs).changes(vec![RunChange::Without(vec![used.number])]).sites(used.sites()))
}

/// Nanoseconds that each rank waits for the last one, by barrier and rank.
type BarrierWaits = FxHashMap<(u32, u32), i64>;

fn waits(account: &Account) -> BarrierWaits {
    let mut waits = BarrierWaits::default();
    for (key, sum) in &account.waits.sums {
        if key.state == WaitState::WaitAtBarrier {
            waits.entry((key.waiter.place.number() as u32, key.waiter.rank)).or_default().grow(sum.time);
        }
    }
    waits
}
