//! The finding on one-sided accesses that last until their target calls MPI again.

use super::limits::limits;
use super::progress::{progress_thread, roughly};
use super::used_sites::{self, UsedSite, named};
use super::{Evidence, Finding, FindingKind};
use crate::totals::seconds;
use crate::words::{plural, ranks_in_words, verb};
use model::matching::scenario::RunChange;
use model::passive_targets::{self, DelayedAccesses};
use model::sums::{Grow, Total};
use std::collections::BTreeMap;
use tables::Value;
use traces::calls::{ArgumentKind, Class};

limits! {
    /// Where accesses need their target, nearly all that begin while it computes last until it calls MPI.
    LEAST_UNTIL_INSIDE = 0.5, Least, "of the accesses", Convention;
    /// An access that needs its target lasts mostly while that computes, between two of its calls; others end whenever they do.
    LEAST_OUTSIDE = 0.7, Least, "of their time", Convention;
    /// The walk through the run that compares accesses with their targets pays from this share of the run in such calls on, and so does the cure.
    LEAST_SHARE = 0.02, Least, "of the run", Convention;
}

pub fn finding(known: &Evidence, sites: &[UsedSite]) -> Option<Finding> {
    let has_target = |used: &&UsedSite| {
        let of_windows = used.call().filter(|call| call.class() == Class::Rma);
        of_windows.is_some_and(|call| call.has(ArgumentKind::Target))
    };
    let own = sites.iter().filter(has_target).map(UsedSite::own).total();
    if known.mean(own) < LEAST_SHARE.get() * known.wall() {
        return None;
    }
    let all = passive_targets::of(known.run, &known.settled?.common_clock);
    let mut by_site: BTreeMap<u32, DelayedAccesses> = BTreeMap::new();
    let mut by_target: BTreeMap<u32, i64> = BTreeMap::new();
    for ((site, target), delayed) in all.into_iter().filter(|(_, delayed)| needs_target(delayed)) {
        by_site.entry(site).or_default().grow(delayed);
        by_target.entry(target).or_default().grow(delayed.outside);
    }
    let most = by_site.values().map(|delayed| delayed.outside).max()?;
    let is_main = |delayed: &DelayedAccesses| 4 * delayed.outside >= most;
    let mut main: Vec<(&UsedSite, DelayedAccesses)> = by_site
        .iter()
        .filter(|(_, delayed)| is_main(delayed))
        .filter_map(|(site, delayed)| Some((used_sites::at(sites, *site)?, *delayed)))
        .collect();
    main.sort_by_key(|(_, delayed)| std::cmp::Reverse(delayed.outside));
    let (first, _) = main.first()?;
    let targets = named(known.run, &by_target);
    let who = ranks_in_words(&targets);
    let (mut sum, mut places, mut changes) = (DelayedAccesses::default(), Vec::new(), Vec::new());
    for (used, delayed) in &main {
        sum.grow(*delayed);
        places.extend(used.sites());
        let left = 1.0 - delayed.outside as f64 / used.own().max(1) as f64;
        changes.push(RunChange::Calls(vec![used.number], left.max(0.0)));
    }
    let each = seconds(sum.outside) / sum.until_inside.max(1) as f64;
    let headline = format!(
        "{} waits until {who} {} MPI again, {}.",
        first.place(),
        verb(targets.len(), "calls", "call"),
        plural(sum.until_inside, "time")
    );
    let detail = format!(
        "Meanwhile {who} {}, for {} each time: this library carries out accesses, and grants locks, only inside calls of the target.",
        verb(targets.len(), "computes", "compute"),
        Value::Seconds(each)
    );
    let next = format!(
        "Let {who} call MPI in that computation, such as MPI_Iprobe, about every {}, or let a thread of the library do it: {}.",
        roughly(each / 10.0),
        progress_thread(&known.run.first().library.name())
    );
    let finding = Finding::new(FindingKind::Unprogressed, "sites", headline).detail(detail).next(next);
    Some(finding.costs(known.mean(sum.outside)).changes(changes).ranks(targets).sites(places))
}

fn needs_target(delayed: &DelayedAccesses) -> bool {
    let time = delayed.outside.saturating_add(delayed.inside);
    delayed.until_inside as f64 >= LEAST_UNTIL_INSIDE.get() * delayed.count as f64
        && delayed.outside as f64 >= LEAST_OUTSIDE.get() * time as f64
}
