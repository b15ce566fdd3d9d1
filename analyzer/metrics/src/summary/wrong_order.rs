//! The findings on messages that are received in another order than they come: the library looks past those between, and the rank
//! waits for one while others are there.

use super::limits::limits;
use std::collections::BTreeMap;

use super::used_sites::{UsedSite, at};
use super::{Evidence, Finding, FindingKind};
use crate::totals::{seconds, world_rank};
use crate::words::{plural, ranks_in_words, site_in_words, upper, verb};
use model::matching::{QueuedMessages, WaitState, WaitSum};
use model::roles::CallSite;
use model::sums::{Grow, Total};
use tables::number::whole;
use tables::{Value, WorldRank};

limits! {
    /// To pass over fewer takes no longer than the call itself: 50 entries of a list, 10 ns each, are 0.5 us.
    LEAST_PASSED_OVER = 50.0, Least, "messages", Derived;
    /// Least share of the run if ranks share cores: the scheduler changes the order in which messages come. Programs that receive in the
    /// order of the sends lost up to 9.7 % of the run in this way, programs that do not lost 28 to 40 %.
    LEAST_SHARE_OF_SHARED = 0.2, Least, "of the run", Measured;
}

/// Seconds that an entry takes at most: reading it from memory, not from a cache.
const ENTRY: f64 = 100e-9;

/// The finding on receives of one line, each of which passes over many messages.
pub fn passed_over(used: &UsedSite, sites: &[UsedSite]) -> Option<Finding> {
    let mut all = QueuedMessages::default();
    let (mut time, mut own, mut culprits) = (0.0, 0i64, Vec::new());
    for (rank, queued) in &used.queued {
        let passed_over = queued.passed_over as f64;
        if passed_over < LEAST_PASSED_OVER.get() * queued.messages as f64 {
            continue;
        }
        let completed_at = Some(queued.completed_at.number() as u32).filter(|site| *site != used.number);
        let completing = completed_at.and_then(|site| at(sites, site));
        let of_rank = [Some(used), completing].into_iter().flatten().map(|site| site.own_of(*rank)).total();
        time += seconds(of_rank).min(passed_over * ENTRY);
        own.grow(of_rank);
        all.messages.grow(queued.messages);
        all.unexpected.grow(queued.unexpected);
        all.lay.grow(queued.lay);
        all.passed_over.grow(queued.passed_over);
        culprits.push(world_rank(&used.known.run.ranks[*rank as usize]));
    }
    if culprits.is_empty() || own <= 0 {
        return None;
    }
    // Others wait for the whole call, of which this is a part.
    let blamed = seconds(used.blamed()) * (time / seconds(own)).min(1.0);
    let costs = (time + blamed) / used.known.ranks() as f64;
    culprits.sort_unstable();
    let headline = format!(
        "{} {} {} in {} in another order than they are sent, each past {:.0} others on average.",
        upper(&ranks_in_words(&culprits)),
        verb(culprits.len(), "takes", "take"),
        plural(all.messages, "message"),
        used.place(),
        all.passed_over as f64 / all.messages.max(1) as f64
    );
    let detail = if all.unexpected > 0 {
        let lay = Value::Seconds(seconds(all.lay) / all.unexpected as f64);
        let came = verb(all.unexpected, "came before its receive was", "came before their receives were");
        format!("{} {came} posted, and lay there for {lay} on average.", whole(all.unexpected))
    } else {
        "Each message that comes is compared with the receives that were posted before its own.".to_string()
    };
    let next =
        "Receive them in the order in which they are sent, or as they come, by MPI_ANY_TAG, and look at the tag then.";
    let finding = Finding::new(FindingKind::WrongOrder, "sites", headline).detail(detail).next(next);
    Some(finding.costs(costs).ranks(culprits).sites(used.sites()))
}

/// The findings on ranks that wait for a message while others are there, by line.
pub fn waits(known: &Evidence) -> Vec<Finding> {
    let Some(account) = known.account() else { return Vec::new() };
    let mut waits: BTreeMap<usize, BTreeMap<u32, WaitSum>> = BTreeMap::new();
    for (key, sum) in account.waits.sums.iter().filter(|(key, _)| key.state == WaitState::WrongOrder) {
        let of_rank = waits.entry(key.waiter.place.number()).or_default().entry(key.waiter.rank).or_default();
        of_rank.time.grow(sum.time);
        of_rank.count.grow(sum.count);
    }
    waits.into_iter().filter_map(|(site, ranks)| waiting(known, &known.run.call_sites()[site], &ranks)).collect()
}

/// The finding on ranks that wait at one line, by their places in the run.
fn waiting(known: &Evidence, site: &CallSite, ranks: &BTreeMap<u32, WaitSum>) -> Option<Finding> {
    // While it waits, a rank can do no more than all that it computes.
    let saved = |(rank, sum): (&u32, &WaitSum)| {
        let computed = known.activities().of_rank(*rank).between;
        (*rank, seconds(sum.time.min(computed)))
    };
    let saved_of: Vec<(u32, f64)> = ranks.iter().map(saved).collect();
    let costs = saved_of.iter().map(|(_, time)| *time).fold(0.0, f64::max);
    let least = if known.shares_cores() { LEAST_SHARE_OF_SHARED.get() * known.wall() } else { 0.0 };
    if costs <= least {
        return None;
    }
    let named = saved_of.iter().filter(|(_, time)| *time >= costs / 2.0);
    let mut culprits: Vec<WorldRank> = named.map(|(rank, _)| world_rank(&known.run.ranks[*rank as usize])).collect();
    culprits.sort_unstable();
    let count = ranks.values().map(|sum| sum.count).total();
    let headline = format!(
        "{} {} in {} for a message while another is there, {}.",
        upper(&ranks_in_words(&culprits)),
        verb(culprits.len(), "waits", "wait"),
        site_in_words(site),
        plural(count, "time")
    );
    let next = "Take messages as they come, by MPI_ANY_SOURCE or MPI_Waitany, and work on each when it is there.";
    let sites = site.line().into_iter().collect();
    Some(Finding::new(FindingKind::WrongOrder, "waits", headline).costs(costs).next(next).ranks(culprits).sites(sites))
}
