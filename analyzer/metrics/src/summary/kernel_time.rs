//! The finding on time that every rank spends in the kernel between its calls: none waits for another because of it.

use super::late_reason::{FRESH_PAGES, LONGEST_FAULT};
use super::limits::limits;
use super::{Evidence, Finding, FindingKind};
use crate::totals::seconds;
use crate::words::plural;
use model::attribution::{RankTimes, Spent};
use model::matching::scenario::RunChange;
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
    let finding = Finding::new(FindingKind::KernelTime, "why", headline).costs(time);
    let faults = faults(known).filter(|faults| time <= LONGEST_FAULT.get() * *faults as f64);
    Some(match faults {
        Some(faults) => {
            let faults = plural(faults, "page fault");
            let detail = format!("A rank has {faults}: the kernel clears each page that is touched first.");
            finding.detail(detail).next(FRESH_PAGES).changes(without(known, time))
        }
        None => finding.next("See which system calls the ranks make there, by strace -c -f or perf trace."),
    })
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
