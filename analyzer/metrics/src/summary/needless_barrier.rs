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

/// The finding on the barriers that could all go.
pub fn finding(known: &Evidence, all: &[UsedSite]) -> Option<Finding> {
    let waits = waits(known.account()?);
    let others = all.iter().filter(|used| holds_all(used) && !may_go(used)).map(UsedSite::count).total();
    let is_bare = |used: &&UsedSite| others as f64 <= MOST_OTHERS.get() * used.count() as f64;
    let mut barriers: Vec<&UsedSite> = all.iter().filter(|used| may_go(used)).filter(is_bare).collect();
    let waited = |used: &UsedSite, rank: u32| waits.get(&(used.number, rank)).copied().unwrap_or(0);
    let in_all = |used: &UsedSite| used.ranks.iter().map(|(rank, _)| waited(used, *rank)).total();
    barriers.sort_by_key(|used| std::cmp::Reverse(in_all(used)));
    // A barrier that is called now and then, or once at the begin, is another matter.
    let often = barriers.first()?.count();
    barriers.retain(|used| 2 * used.count() >= often);
    let main = barriers.first()?;
    let of_rank = |(rank, _): &(u32, _)| barriers.iter().map(|used| waited(used, *rank)).total();
    let waits: Vec<i64> = main.ranks.iter().map(of_rank).collect();
    let (least, sum) = (waits.iter().copied().min()?, waits.iter().copied().total());
    let mean = sum as f64 / waits.len() as f64;
    if (least as f64) < LEAST_COMMON.get() * mean {
        return None;
    }
    // Without the barriers the rank that has most to do, and waits least, still takes its time: what others wait beyond that is
    // for late ranks.
    let costs = crate::totals::seconds(least);
    let times = plural(main.ranks.first()?.1.count, "time");
    let (more, them) = match barriers.len() {
        1 => (String::new(), "the barrier"),
        2 => (", and in another barrier".into(), "the barriers"),
        count => (format!(", and in {} more barriers", count - 1), "the barriers"),
    };
    let headline = format!("Every rank waits in {}, {times}{more}, and none is always late.", main.place());
    let detail = format!(
        "Ranks are late in turn, so without {them} what one loses in a step it could win back in another. No window or file is used \
         beside it; what else needs it, such as a clock that is read behind it, is not in the calls."
    );
    let next =
        format!("Remove {them} unless the algorithm needs it: messages and collective calls wait for what they need.");
    let finding = Finding::new(FindingKind::NeedlessBarrier, "waits", headline).detail(detail).next(next);
    let without = RunChange::Without(barriers.iter().map(|used| used.number).collect());
    Some(finding.costs(costs).changes(vec![without]).sites(barriers.iter().flat_map(|used| used.sites()).collect()))
}

fn holds_all(used: &UsedSite) -> bool {
    let Some((_, first)) = used.ranks.first() else { return false };
    let CallPart::Collective { flow, .. } = first.part else { return false };
    matches!(flow, Flow::Barrier | Flow::All | Flow::Fence | Flow::Create)
}

/// True of a barrier of all ranks that no window or file needs.
fn may_go(used: &UsedSite) -> bool {
    let Some((_, first)) = used.ranks.first() else { return false };
    let is_barrier = used.call().is_some_and(|call| call.class() == Class::Collective)
        && matches!(first.part, CallPart::Collective { flow: Flow::Barrier, .. })
        && !first.starts;
    let guards: u64 = used.ranks.iter().map(|(_, habits)| habits.guards).sum();
    is_barrier && guards == 0 && used.ranks.len() == used.known.ranks()
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
