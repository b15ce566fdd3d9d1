//! The finding on barriers that cost every rank its share, in waits or by their number: without them steps could run apart.

use super::limits::limits;
use super::transfer::slowest;
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::words::plural;
use model::habits::SiteHabits;
use model::matching::scenario::RunChange;
use model::roles::{CallPart, Flow};
use model::sums::{Grow, Total};
use rustc_hash::FxHashMap;
use tables::Value;
use traces::calls::Class;

limits! {
    /// If more other calls than this share of the barriers hold all ranks, those would wait in place of the barriers.
    MOST_OTHERS = 0.5, Most, "of the barriers", Convention;
    /// If less than this share of the time in the barriers is common to all ranks, late ranks are to blame.
    LEAST_COMMON = 0.5, Least, "of the time", Convention;
}

/// The finding on the barriers that could all go.
pub fn finding(known: &Evidence, all: &[UsedSite]) -> Option<Finding> {
    known.account()?;
    let others = all.iter().filter(|used| holds_all(used) && !may_go(used)).map(UsedSite::count).total();
    let is_bare = |used: &&UsedSite| others as f64 <= MOST_OTHERS.get() * used.count() as f64;
    let mut barriers: Vec<&UsedSite> = all.iter().filter(|used| may_go(used)).filter(is_bare).collect();
    let time = |used: &UsedSite| used.total(|habits| habits.time);
    barriers.sort_by_key(|used| std::cmp::Reverse(time(used)));
    // A barrier that is called now and then, or once at the begin, is another matter.
    let often = barriers.first()?.count();
    barriers.retain(|used| 2 * used.count() >= often);
    let main = barriers.first()?;
    // What a barrier takes longer than on a slow network has another cause.
    let longest = (1e9 * slowest(known.ranks(), 0)) as i64;
    let in_barrier = |habits: &SiteHabits| {
        let own = habits.time - habits.waited - habits.with_unseen;
        habits.waited.saturating_add(own.min(longest.saturating_mul(habits.count as i64)))
    };
    let mut times: FxHashMap<u32, i64> = FxHashMap::default();
    for (rank, habits) in barriers.iter().flat_map(|used| &used.ranks) {
        times.entry(*rank).or_default().grow(in_barrier(habits));
    }
    let (least, sum) = (times.values().copied().min()?, times.values().copied().total());
    let mean = sum as f64 / times.len() as f64;
    if (least as f64) < LEAST_COMMON.get() * mean {
        return None;
    }
    // Without the barriers the rank that has most to do, and is in them least, still takes its time: what others wait beyond that is
    // for late ranks.
    let costs = crate::totals::seconds(least);
    let times = plural(main.ranks.first()?.1.count, "time");
    let (more, them) = match barriers.len() {
        1 => (String::new(), "the barrier"),
        2 => (", and in another barrier".into(), "the barriers"),
        count => (format!(", and in {} more barriers", count - 1), "the barriers"),
    };
    let waited: i64 = barriers.iter().flat_map(|used| &used.ranks).map(|(_, habits)| habits.waited).total();
    let place = main.place();
    let (headline, why) = if 2 * waited >= sum {
        let why =
            format!("Ranks are late in turn, so without {them} what one loses in a step it could win back in another.");
        (format!("Every rank waits in {place}, {times}{more}, and none is always late."), why)
    } else {
        let each = Value::Seconds(
            crate::totals::seconds(sum) / barriers.iter().map(|used| used.count()).total().max(1) as f64,
        );
        let why = format!("A barrier moves no data, and takes its steps from rank to rank: {each} here, {times}.");
        (format!("Every rank is in {place} {times}{more}, and none is late."), why)
    };
    let detail = format!(
        "{why} No window or file is used beside it; what else needs it, such as a clock that is read behind it, is not in the calls."
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
