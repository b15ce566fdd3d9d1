//! The findings on messages that are received in another order than they come: the library looks past those between, and the rank
//! waits for one while others are there.

use super::limits::limits;
use std::collections::BTreeMap;

use super::finding::least_share;
use super::used_sites::{UsedSite, at};
use super::{Evidence, Finding, FindingKind};
use crate::totals::{seconds, world_rank};
use crate::words::{plural, ranks_in_words, site_in_words, upper, verb};
use model::matching::{QueuedMessages, RankSite, WaitState, WaitSum};
use model::origins::{Activity, ActivityTimes};
use model::sums::{Grow, Total};
use rustc_hash::FxHashMap;
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
    let mut by_line: BTreeMap<u32, BTreeMap<u32, WaitSum>> = BTreeMap::new();
    // Ranks that wait less than a finding must cost are left alone.
    let least = least_share(false) * known.wall();
    for (at, sum) in for_another(known, |_| true).into_iter().filter(|(_, sum)| seconds(sum.time) >= least) {
        by_line.entry(at.place.number() as u32).or_default().insert(at.rank, sum);
    }
    by_line.into_iter().filter_map(|(site, ranks)| waiting(known, site, &ranks)).collect()
}

/// Time in which ranks wait, at the places that are meant, for a message while another one is there, or comes, that they receive later.
fn for_another(known: &Evidence, is_meant: impl Fn(&RankSite) -> bool) -> FxHashMap<RankSite, WaitSum> {
    let mut all: FxHashMap<RankSite, WaitSum> = FxHashMap::default();
    let Some(account) = known.account() else { return all };
    let in_wrong_order = account.waits.sums.iter().filter(|(key, _)| key.state == WaitState::WrongOrder);
    let waits = in_wrong_order.map(|(key, sum)| (&key.waiter, sum)).chain(&account.waits.could_take);
    for (at, sum) in waits.filter(|(at, _)| is_meant(at)) {
        all.entry(*at).or_default().merge(sum);
    }
    all
}

/// Seconds that a rank would wait less at a site if it took messages as they come: it works meanwhile on what came first, as it does behind
/// that site.
pub fn saved(known: &Evidence, rank: u32, site: u32) -> f64 {
    let is_here = |at: &RankSite| (at.rank, at.place.number() as u32) == (rank, site);
    let mut waits = WaitSum::default();
    for sum in for_another(known, is_here).values() {
        waits.merge(sum);
    }
    saved_of(known, rank, site, &waits)
}

fn saved_of(known: &Evidence, rank: u32, site: u32, waits: &WaitSum) -> f64 {
    let Some(walk) = known.walk else { return 0.0 };
    // Of the ways on from there, the one with the most work each time is that on a message: others take the next one at once.
    let work = |times: &ActivityTimes| seconds(times.total) / times.count.max(1) as f64;
    let activities = walk.origins.activities.iter();
    let behind = activities
        .filter(|((of, activity), _)| *of == rank && matches!(activity, Activity::Between(from, _) if *from == site));
    let each = behind.map(|(_, times)| work(times)).fold(0.0, f64::max);
    seconds(waits.time).min(each * waits.count as f64)
}

/// The finding on ranks that wait at one line, by their places in the run.
fn waiting(known: &Evidence, number: u32, ranks: &BTreeMap<u32, WaitSum>) -> Option<Finding> {
    let site = &known.run.call_sites()[number as usize];
    let saved_of: Vec<(u32, f64)> =
        ranks.iter().map(|(rank, sum)| (*rank, saved_of(known, *rank, number, sum))).collect();
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
