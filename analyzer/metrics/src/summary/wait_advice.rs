//! Advice on the call in which ranks wait for late ones: to work first, to begin with what has come, or to wait for fewer ranks.

use model::habits::SiteHabits;
use model::matching::WaitKey;
use model::objects::Objects;
use model::origins::Activity;
use model::roles::CallPart;
use model::sums::{Grow, Total};
use rustc_hash::{FxHashMap, FxHashSet};
use traces::calls::{Call, Class};

use super::finding::LEAST_SHARE_OF_JITTER;
use super::lateness::LateActivity;
use super::limits::limits;
use super::wrong_order;
use crate::totals::seconds;
use crate::words::{ranks_in_words, site_in_words, upper, verb};
use tables::Value;

limits! {
    /// Work behind a wait may take its place if it is as long as this part of the wait: less of it hides little.
    LEAST_BEHIND = 0.5, Least, "of the wait", Convention;
    /// If less than this share of the waiting is for ranks of other groups, those of one group wait for each other, too.
    LEAST_ACROSS = 0.9, Least, "of the waits", Convention;
}

/// Advice, with more of it behind it where there is more to say.
pub fn after(advice: &str, more: Option<String>) -> String {
    match more {
        Some(more) => format!("{advice} {more}"),
        None => advice.to_string(),
    }
}

/// Advice on messages that are waited for before work that may not need them.
pub fn work_first(late: &LateActivity) -> Option<String> {
    let wait = late.main_wait()?;
    let at = late.site_of(wait.waiter);
    let call = at.call().filter(|call| call.waits_for_requests())?;
    let site = wait.waiter.place.number() as u32;
    let mut waiters: FxHashSet<u32> = FxHashSet::default();
    let mut waited = 0i64;
    for (wait, time) in waits_at(late, site) {
        waiters.insert(wait.waiter.rank);
        waited.grow(time);
    }
    let (mut behind, mut count) = (0i64, 0u64);
    for ((rank, activity), times) in &late.known.walk?.origins.activities {
        if matches!(activity, Activity::Between(from, _) if *from == site) && waiters.contains(rank) {
            behind.grow(times.total);
            count.grow(times.count);
        }
    }
    if (behind as f64) < LEAST_BEHIND.get() * waited as f64 {
        return None;
    }
    let each = Value::Seconds(seconds(behind) / count.max(1) as f64);
    Some(format!(
        "Behind {} a rank computes {each} on average: do what does not need these messages before {}.",
        site_in_words(at),
        call.mpi_name()
    ))
}

/// Advice on work that begins when all messages of a call are there, or when the next one in an order is.
pub fn first_come(late: &LateActivity) -> Option<String> {
    let Activity::Between(from, _) = late.activity else { return None };
    let at = &late.run().call_sites()[from as usize];
    match at.call()? {
        Call::Waitall => until_all_are_there(late, from),
        _ => in_an_order(late, from),
    }
}

fn in_an_order(late: &LateActivity, from: u32) -> Option<String> {
    let saved = late.culprits().iter().map(|(rank, _)| wrong_order::saved(late.known, *rank, from)).fold(0.0, f64::max);
    if saved < LEAST_SHARE_OF_JITTER.get() * late.known.wall() {
        return None;
    }
    let who = upper(&ranks_in_words(&late.world_ranks(late.culprits())));
    let waits = verb(late.culprits().len(), "waits", "wait");
    let (at, saved) = (site_in_words(&late.run().call_sites()[from as usize]), Value::Seconds(saved));
    Some(format!(
        "{who} {waits} in {at} for one message while another is there: taken as they come, such as by MPI_ANY_SOURCE, up to {saved} \
         of that work begins sooner."
    ))
}

fn until_all_are_there(late: &LateActivity, from: u32) -> Option<String> {
    let at = &late.run().call_sites()[from as usize];
    let known = late.known;
    let (walk, account) = (known.walk?, known.account()?);
    let is_culprit = |rank: u32| late.culprits().iter().any(|(one, _)| *one == rank);
    let here = |wait: &WaitKey| wait.waiter.place.number() as u32 == from && is_culprit(wait.waiter.rank);
    let waited: i64 = account.waits.sums.iter().filter(|(wait, _)| here(wait)).map(|(_, sum)| sum.time).total();
    let each = seconds(waited) / late.culprits().len().max(1) as f64;
    let count = |counts: &dyn Fn(u32, &SiteHabits) -> bool| {
        let of_culprits =
            walk.habits.iter().filter(|((rank, site), habits)| is_culprit(*rank) && counts(*site, habits));
        of_culprits.map(|(_, habits)| habits.count).total()
    };
    let posts = count(&|_, habits| habits.starts && matches!(habits.part, CallPart::Message { receives: true, .. }));
    let calls = count(&|site, _| site == from);
    if posts < 2 * calls || each < LEAST_SHARE_OF_JITTER.get() * known.wall() {
        return None;
    }
    let who = upper(&ranks_in_words(&late.world_ranks(late.culprits())));
    let [waits, its] = [["waits", "wait"], ["its", "their"]].map(|[one, many]| verb(late.culprits().len(), one, many));
    let it = verb(late.culprits().len(), "it begins", "they begin");
    Some(format!(
        "{who} {waits} {} in {} until all of {its} messages are there: with MPI_Waitany {it} when the first one is.",
        Value::Seconds(each),
        site_in_words(at)
    ))
}

/// Advice on a collective call of more ranks than wait for each other within their own communicators.
pub fn fewer_ranks(late: &LateActivity) -> Option<String> {
    let wait = late.main_wait()?;
    let at = late.site_of(wait.waiter);
    let call = at.call().filter(|call| call.class() == Class::Collective)?;
    let groups = Groups::of(late)?;
    let (mut all, mut across) = (0i64, 0i64);
    for (wait, time) in waits_at(late, wait.waiter.place.number() as u32) {
        all.grow(time);
        if !groups.are_together(wait.waiter.rank, wait.cause.rank) {
            across.grow(time);
        }
    }
    if (across as f64) < LEAST_ACROSS.get() * all as f64 {
        return None;
    }
    Some(format!(
        "Ranks that share a smaller communicator come there together: if they alone need the result of {}, call it on theirs.",
        call.mpi_name()
    ))
}

/// The waits at one site that led to the late ranks.
fn waits_at<'l>(late: &'l LateActivity, site: u32) -> impl Iterator<Item = (WaitKey, i64)> + 'l {
    let waits = late.ranks.iter().flat_map(|(_, times)| &times.waits);
    waits.filter(move |(wait, _)| wait.waiter.place.number() as u32 == site).map(|(wait, time)| (*wait, *time))
}

/// For each rank the ranks of its first communicator of some but not all ranks.
struct Groups(FxHashMap<u32, FxHashSet<u32>>);

impl Groups {
    /// `None` if a rank has no such communicator.
    fn of(late: &LateActivity) -> Option<Groups> {
        let objects = Objects::of(late.run());
        let all = late.run().ranks.len() as u64;
        let of_rank = |(at, rank): (u32, &model::Rank)| {
            let is_communicator = |own: u32| !rank.objects.contains_key(&own);
            let mut numbers: Vec<(u32, u32)> = objects.numbers(at as usize).collect();
            numbers.sort_unstable();
            let mut groups = numbers.into_iter().filter(|(own, _)| is_communicator(*own));
            let group = groups.find_map(|(_, number)| {
                let group = &objects.groups[number as usize];
                (!group.is_inter() && group.size() > 1 && group.size() < all).then_some(group)
            });
            Some((at, group?.here().collect()))
        };
        (0..).zip(&late.run().ranks).map(of_rank).collect::<Option<_>>().map(Groups)
    }

    fn are_together(&self, one: u32, other: u32) -> bool {
        self.0.get(&one).is_some_and(|group| group.contains(&other))
    }
}
