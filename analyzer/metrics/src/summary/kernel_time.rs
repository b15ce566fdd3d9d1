//! The finding on time that every rank spends in the kernel between its calls: none waits for another because of it.

use super::activity_places;
use super::activity_sums::RankActivity;
use super::late_reason::{FRESH_PAGES, LONGEST_FAULT};
use super::limits::limits;
use super::{Evidence, Finding, FindingKind};
use crate::totals::seconds;
use crate::words::plural;
use model::attribution::{RankTimes, Spent};
use model::matching::scenario::RunChange;
use model::origins::Activity;
use model::sums::Total;
use tables::Value;

limits! {
    /// As much of the run in MPI is worth a look where no cause stands out.
    LEAST_IN_KERNEL = 0.1, Least, "of the run", Convention;
}

pub fn finding(known: &Evidence) -> Option<Finding> {
    let time = spent_by_each(known, Spent::InKernel)?;
    if time < LEAST_IN_KERNEL.get() * known.wall() {
        return None;
    }
    let headline = format!("Each rank spends {} in the kernel between its calls of MPI.", Value::Seconds(time));
    let mut finding = Finding::new(FindingKind::KernelTime, "why", headline).costs(time);
    if let Some(most) = most_work(known) {
        let sites = known.run.call_sites();
        finding.add(&format!("The ranks compute most {}.", activity_places::in_words(most, sites)));
        finding.sites = activity_places::lines(most, sites).collect();
    }
    let faults = faults(known).filter(|faults| time <= LONGEST_FAULT.get() * *faults as f64);
    Some(match faults {
        Some(faults) => {
            let faults = plural(faults, "page fault");
            finding.add(&format!("A rank has {faults}: the kernel clears each page that is touched first."));
            finding.next(FRESH_PAGES).changes(without(known, time))
        }
        None => finding.next("See which system calls the ranks make there, by strace -c -f or perf trace."),
    })
}

/// Where every rank computes most, for at least half of its time between calls: readings of the kernel's time know no place.
fn most_work(known: &Evidence) -> Option<Activity> {
    let of_rank = |rank: u32| {
        let RankActivity { between, most } = known.activities().of_rank(rank);
        most.filter(|(time, activity)| 2 * time >= between && matches!(activity, Activity::Between(..)))
    };
    let (_, most) = of_rank(0)?;
    let is_there = |rank| of_rank(rank).is_some_and(|(_, of)| of == most);
    (1..known.run.ranks.len() as u32).all(is_there).then_some(most)
}

/// The ranks' computation without so many seconds each.
fn without(known: &Evidence, time: f64) -> Vec<RunChange> {
    let ranks = known.walk.map_or(&[][..], |walk| &walk.attribution.ranks);
    let shorter = |(rank, times): (u32, &RankTimes)| {
        let work = seconds(times.of(|key| key.spent.is_work())).max(time);
        RunChange::Ranks(vec![rank], 1.0 - time / work)
    };
    (0..).zip(ranks).map(shorter).collect()
}

/// Seconds of this kind that each of the ranks has at least; what one has beyond that may make it late. `None` without single calls.
pub fn spent_by_each(known: &Evidence, spent: Spent) -> Option<f64> {
    let ranks = &known.walk?.attribution.ranks;
    ranks.iter().map(|times| seconds(times.of(|key| key.spent == spent))).reduce(f64::min)
}

/// Page faults of the mean rank; `None` if one's are not known.
fn faults(known: &Evidence) -> Option<u64> {
    let of_ranks = known.run.ranks.iter().map(|rank| Some(rank.main_usage()?.counters?.minor_faults));
    let all: Vec<u64> = of_ranks.collect::<Option<_>>()?;
    Some(all.iter().copied().total() / (all.len() as u64).max(1))
}
