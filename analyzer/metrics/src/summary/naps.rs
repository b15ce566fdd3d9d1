//! The finding on ranks that sleep between two looks for a message, and so see it late.
//!
//! In: for each line of tests and probes, the times between a look that found nothing and the next one, which did. Out: a finding where the
//! ranks sleep meanwhile and somebody waits for them. What came did so at some time between the two looks, so their distance is the most
//! that it lay there.

use std::collections::BTreeSet;

use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::totals::{seconds, world_rank};
use crate::words::{plural, ranks_in_words, upper};
use model::attribution::Spent;
use model::habits::Looks;
use model::matching::scenario::{PassChange, RunChange};
use model::origins::Activity;
use model::sums::Total;
use tables::{Value, WorldRank};
use traces::calls::{Call, Class};

/// The finding on the looks at one line.
pub fn finding(used: &UsedSite) -> Option<Finding> {
    let call = used.call().filter(|call| call.polls())?;
    let known = used.known;
    let ranks: Vec<(u32, &Looks)> = used
        .ranks
        .iter()
        .map(|(rank, habits)| (*rank, &habits.looks))
        .filter(|(rank, _)| sleeps(known, *rank))
        .collect();
    let costs = known.mean(ranks.iter().map(|(rank, looks)| looks.time.min(waited_for(known, *rank))).total());
    if costs <= 0.0 {
        return None;
    }
    let culprits: Vec<WorldRank> = ranks.iter().map(|(rank, _)| world_rank(&known.run.ranks[*rank as usize])).collect();
    let (count, time) = ranks.iter().fold((0u64, 0i64), |sum, (_, one)| (sum.0 + one.count, sum.1 + one.time));
    let each = Value::Seconds(seconds(time) / count.max(1) as f64);
    let [sleeps, sees, is] =
        [["sleeps", "sees", "it is"], ["sleep", "see", "they are"]][usize::from(culprits.len() > 1)];
    let headline = format!(
        "{} {sleeps} between two looks in {}, {each} on average, and {sees} what comes late {}.",
        upper(&ranks_in_words(&culprits)),
        used.place(),
        plural(count, "time"),
    );
    let detail = format!("What comes while {is} asleep is seen by the next look alone, and others wait for that.");
    let function = &used.site.function;
    let instead =
        if call.class() == Class::Probe { "MPI_Probe".to_string() } else { function.replace("_Test", "_Wait") };
    let next = format!(
        "Call {instead} instead of looking and sleeping: it returns as soon as the message is there. If the core must be left to others, sleep \
         for microseconds."
    );
    // Without the nap before it, the rank comes to the look that finds something at once, and waits there. Looks that find nothing and follow each
    // other are one call in the replay, with the naps between them.
    let asleep: Vec<u32> = ranks.iter().map(|(rank, _)| *rank).collect();
    let awake = |from| RunChange::Stretch(asleep.clone(), (Some(from), used.number), PassChange::Times(0.0));
    let finding = Finding::new(FindingKind::Polling, "functions", headline).detail(detail).next(next);
    let finding = finding.changes(looks_before(used, &asleep).into_iter().map(awake).collect());
    // A rank that only polls is asleep for no time that matters: another rule's.
    Some(finding.costs(costs).ranks(culprits).sites(used.sites())).filter(|finding| finding.is_worth_it(known))
}

/// The lines of the looks behind which the ranks sleep until they look at this one: often its own.
fn looks_before(used: &UsedSite, asleep: &[u32]) -> BTreeSet<u32> {
    let mut lines = BTreeSet::from([used.number]);
    let Some(walk) = used.known.walk else { return lines };
    for (rank, activity) in walk.origins.activities.keys() {
        if let Activity::Between(from, to) = *activity
            && to == used.number
            && asleep.contains(rank)
            && used.known.run.call_sites()[from as usize].call().is_some_and(Call::polls)
        {
            lines.insert(from);
        }
    }
    lines
}

/// True if the rank is asleep for most of the time between its looks, at all lines: where it sleeps between two, it does so between all.
fn sleeps(known: &Evidence, rank: u32) -> bool {
    let Some(walk) = known.walk else { return false };
    let asleep = walk.attribution.ranks[rank as usize].of(|key| matches!(key.spent, Spent::Sleeping | Spent::Asleep));
    let own = walk.habits.iter().filter(|((of, _), _)| *of == rank);
    2 * asleep >= own.map(|(_, habits)| habits.looks.time.max(habits.between_tests)).total()
}

/// Nanoseconds for which other ranks waited for this one: in MPI, and by looks of their own.
fn waited_for(known: &Evidence, rank: u32) -> i64 {
    let Some(walk) = known.walk else { return 0 };
    let of_rank = walk.origins.activities.iter().filter(|((of, _), _)| *of == rank);
    let in_mpi = of_rank.map(|(_, times)| times.blamed).total();
    let by_looks = walk.habits.values().map(|habits| {
        let at_last = habits.looks.time_of.get(&rank).copied().unwrap_or(0);
        at_last.saturating_add(habits.awaited_of.get(&rank).copied().unwrap_or(0))
    });
    in_mpi.saturating_add(by_looks.total())
}
