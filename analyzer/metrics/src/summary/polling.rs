//! The findings on tests and probes that find nothing: of a rank that does nothing else meanwhile, and between small pieces of work.

use rustc_hash::FxHashMap;

use super::serving::{LEAST_WAITING, MOST_RANKS};
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::totals::{percent, seconds, world_rank};
use crate::words::{numbers_of, plural, upper};
use model::habits::SiteHabits;
use model::sums::{Grow, Total};
use tables::Value;
use tables::number::whole;
use traces::calls::{Call, Class};

/// Nanoseconds. With less time between two tests a rank does nothing but wait.
const LEAST_WORK: f64 = 500.0;
/// Fewer calls in vain by a rank are no loop.
const LEAST_TIMES: u64 = 100;
/// Fewer polls in vain by a rank that does nothing else are no loop.
const LEAST_TIMES_OF_WAIT: u64 = 10;
/// Nanoseconds. Longer tests of requests move data: one that finds nothing to do takes a microsecond.
const LONGEST_EMPTY: f64 = 10_000.0;
/// Fewer calls for each that finds something are a fair price for hearing of it soon.
const LEAST_IN_VAIN: u64 = 20;
/// A rank that was off its core for this part of the time between its tests did not work there.
const MOST: f64 = 0.5;

/// A rank's activity between tests that find nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Between {
    Nothing,
    /// The rank sleeps, or waits for input or output, which may be its work.
    Pauses,
    Work,
    /// Work or pauses: its processor time is not known.
    Unknown,
}

pub fn finding(used: &UsedSite) -> Option<Finding> {
    used.call().filter(|call| call.polls())?;
    waits(used).or_else(|| works(used))
}

/// The sentence on ranks that may do nothing but wait at tests in vain, if their files do not tell.
pub fn doubt(known: &Evidence, sites: &[UsedSite], least: f64) -> Option<String> {
    let polls = sites.iter().filter(|used| used.call().is_some_and(Call::polls));
    let time_of = |used: &UsedSite, of: &[Between]| {
        let ranks = used.ranks.iter().filter(|(rank, habits)| {
            habits.in_vain >= LEAST_TIMES_OF_WAIT && of.contains(&between(known, *rank, habits))
        });
        known.mean(ranks.map(|(_, habits)| span(habits)).total())
    };
    let doubtful = |used: &UsedSite| time_of(used, &[Between::Pauses, Between::Unknown]);
    let (time, used) = polls.map(|used| (doubtful(used), used)).max_by(|one, other| one.0.total_cmp(&other.0))?;
    let why = if 2.0 * time_of(used, &[Between::Pauses]) > time {
        "between the polls they sleep, or wait for input or output"
    } else {
        "whether they work between the polls is not in their files"
    };
    (time >= least).then(|| format!("Ranks poll in vain in {} for {}: {why}.", used.place(), known.share(time)))
}

/// The finding on ranks that do nothing else until a test finds something, or until they give up.
fn waits(used: &UsedSite) -> Option<Finding> {
    let known = used.known;
    let is_wait = |rank: u32, habits: &SiteHabits| {
        habits.in_vain >= LEAST_TIMES_OF_WAIT.max(habits.found) && between(known, rank, habits) == Between::Nothing
    };
    let ranks: Vec<(u32, &SiteHabits)> =
        used.ranks.iter().filter(|(rank, habits)| is_wait(*rank, habits)).copied().collect();
    let sum = |of: fn(&SiteHabits) -> i64| ranks.iter().map(|(_, habits)| of(habits)).total();
    let (time, awaited) = (sum(span), sum(|habits| habits.awaited));
    if time <= paid(used) {
        return None;
    }
    let costs = known.mean(time);
    let has = |rank: u32| ranks.iter().any(|(of, _)| *of == rank);
    let culprits = used.culprits_of(|rank, habits| if has(rank) { span(habits) } else { 0 });
    let [in_vain, found] = [|habits: &SiteHabits| habits.in_vain, |habits: &SiteHabits| habits.found]
        .map(|of| ranks.iter().map(|(_, habits)| of(habits)).total());
    let one = culprits.len() == 1;
    let does = if one { "does nothing between the polls" } else { "do nothing between the polls" };
    let who = upper(&numbers_of(&culprits));
    let polls = format!(
        "{} {} in {} and {does}",
        if one { "polls" } else { "poll" },
        plural(in_vain.saturating_add(found), "time"),
        used.place()
    );
    let serves = serve(known, &ranks) && 2 * awaited >= time;
    let headline = match (serves, one) {
        (false, _) => format!("{who} {polls}: {}.", known.share(costs)),
        (true, true) => format!("{who} only serves: it {polls}."),
        (true, false) => format!("{who} only serve: they {polls}."),
    };
    let finding = Finding::new(FindingKind::Polling, "functions", headline);
    let finding = finding.ranks(culprits.clone()).sites(used.sites());
    // Nothing that other ranks do could make use of a serving rank's time.
    let finding = if serves { finding } else { finding.costs(costs) };
    // Most of the time was for nothing: no message came.
    if 2 * awaited < time {
        let next = "Poll less often: after larger pieces of work, or when a message is due.";
        return Some(finding.detail(for_each(in_vain, found)).next(next));
    }
    let mut detail = for_each(in_vain, found);
    let whom = whom(&ranks, awaited);
    let (mut next, is_probe) = (String::new(), used.call().is_some_and(|call| call.class() == Class::Probe));
    let places: Vec<_> = whom.iter().map(|rank| world_rank(&known.run.ranks[*rank as usize])).collect();
    if places.len() > 1 && places == culprits {
        detail += " They wait for each other.";
    } else if !places.is_empty() {
        let (names, outside) = (numbers_of(&places), outside(known, &whom));
        let it = if one { "It waits" } else { "They wait" };
        detail += &format!(" {it} for {names}{outside}.");
        if !outside.is_empty() {
            next += &format!("See why {names} {} so late. ", if is_probe { "sends" } else { "comes" });
        }
    }
    let function = &used.site.function;
    let instead = if is_probe {
        "MPI_Recv or MPI_Probe waits".to_string()
    } else if function.contains("_Test") {
        format!("{} waits", function.replace("_Test", "_Wait"))
    } else {
        "a blocking call waits".to_string()
    };
    if serves {
        let them = if one { "it" } else { "them" };
        let next = format!(
            "If that is not meant so, give {them} work of the other ranks. {} without a loop.",
            upper(&instead)
        );
        return Some(finding.detail(detail).next(next));
    }
    let (who, has) = (numbers_of(&culprits), if one { "has" } else { "have" });
    next += &format!("If {who} {has} other work, poll between pieces of it; if not, {instead} without a loop.");
    Some(finding.detail(detail).next(next))
}

/// The finding on tests between small pieces of work.
fn works(used: &UsedSite) -> Option<Finding> {
    let sum = |of: fn(&SiteHabits) -> i64| used.ranks.iter().map(|(_, habits)| of(habits)).total();
    let in_vain: u64 = used.ranks.iter().map(|(_, habits)| habits.in_vain).sum();
    let found: u64 = used.ranks.iter().map(|(_, habits)| habits.found).sum();
    let time = paid(used);
    if time == 0 || in_vain < LEAST_IN_VAIN * found.max(1) {
        return None;
    }
    let costs = used.known.mean(time);
    let culprits = used.culprits(paid_by);
    let each = seconds(sum(|habits| habits.in_vain_time)) / in_vain.max(1) as f64;
    let times = plural(in_vain, "time");
    let found = in_vain.checked_div(found);
    let found = found.map_or("all in vain".into(), |calls| format!("{} for each that finds something", whole(calls)));
    let headline = format!(
        "{} {} {} {times}, {found}: {}.",
        upper(&numbers_of(&culprits)),
        if culprits.len() == 1 { "calls" } else { "call" },
        used.place(),
        used.known.cost(costs)
    );
    let work = seconds(sum(|habits| habits.between_tests)) / in_vain.max(1) as f64;
    let [each, work] = [each, work].map(Value::Seconds);
    let detail = format!("A call takes {each}, the work between two of them {work} in the mean.");
    let next = format!("Call {} after larger pieces of work, or when the work is done.", used.site.function);
    let finding = Finding::new(FindingKind::Polling, "functions", headline).detail(detail).next(next);
    Some(finding.costs(costs).ranks(culprits).sites(used.sites()))
}

/// Nanoseconds from tests in vain to the test after each.
fn span(habits: &SiteHabits) -> i64 {
    habits.in_vain_time.saturating_add(habits.between_tests)
}

/// Nanoseconds in tests of a rank that do nothing, and between which there is time to work.
fn paid_by(habits: &SiteHabits) -> i64 {
    let is_probe = Call::from_number(habits.function).is_some_and(|call| call.class() == Class::Probe);
    let is_empty = is_probe || habits.in_vain_time as f64 <= LONGEST_EMPTY * habits.in_vain as f64;
    if habits.in_vain >= LEAST_TIMES && has_gaps(habits) && is_empty { habits.in_vain_time } else { 0 }
}

fn paid(used: &UsedSite) -> i64 {
    used.ranks.iter().map(|(_, habits)| paid_by(habits)).total()
}

fn has_gaps(habits: &SiteHabits) -> bool {
    habits.between_tests as f64 >= LEAST_WORK * habits.in_vain as f64
}

fn between(known: &Evidence, rank: u32, habits: &SiteHabits) -> Between {
    if !has_gaps(habits) {
        return Between::Nothing;
    }
    let rank = &known.run.ranks[rank as usize];
    let usage = rank.main_usage().filter(|usage| usage.is_whole && !rank.is_part());
    let ran = usage.as_ref().and_then(|usage| usage.processor());
    let delay = usage.and_then(|usage| usage.delay).or_else(|| (!known.shares_cores()).then_some(0.0));
    let Some((ran, delay)) = ran.zip(delay) else { return Between::Unknown };
    let time = seconds(habits.between_tests);
    if time - ran - delay >= MOST * time { Between::Pauses } else { Between::Work }
}

/// True if few ranks poll nearly all the time, like the master of a farm or a rank that writes output.
fn serve(known: &Evidence, ranks: &[(u32, &SiteHabits)]) -> bool {
    let all = &known.run.ranks;
    let is_always =
        |(rank, habits): &(u32, &SiteHabits)| seconds(span(habits)) >= LEAST_WAITING * all[*rank as usize].wall();
    MOST_RANKS * ranks.len() <= all.len() && ranks.iter().all(is_always)
}

/// `81,000 polls find nothing for each that finds something.`
fn for_each(in_vain: u64, found: u64) -> String {
    match in_vain.checked_div(found) {
        Some(1) => "1 poll finds nothing for each that finds something.".into(),
        Some(polls) => format!("{} find nothing for each that finds something.", plural(polls, "poll")),
        None => "All of them find nothing.".into(),
    }
}

/// The ranks that most of the time is for, if it is known for whom.
fn whom(ranks: &[(u32, &SiteHabits)], awaited: i64) -> Vec<u32> {
    let mut times: FxHashMap<u32, i64> = FxHashMap::default();
    for (rank, time) in ranks.iter().flat_map(|(_, habits)| &habits.awaited_of) {
        times.entry(*rank).or_default().grow(*time);
    }
    let most = times.values().copied().max().unwrap_or(0);
    if 2 * times.values().copied().total() < awaited {
        return Vec::new();
    }
    let mut whom: Vec<u32> = times.into_iter().filter(|(_, time)| 4 * time >= most).map(|(rank, _)| rank).collect();
    whom.sort_unstable();
    whom
}

/// `, which is outside MPI for 99.9 % of the run`, if the one awaited rank is there for most of it.
fn outside(known: &Evidence, whom: &[u32]) -> String {
    let [rank] = whom else { return String::new() };
    let rank = &known.run.ranks[*rank as usize];
    let outside = rank.wall() - rank.time_in_mpi() / rank.thread_count().max(1) as f64;
    match percent(outside, rank.wall()) {
        Some(share) if share > 100.0 * MOST => format!(", which is outside MPI for {share:.1} % of the run"),
        _ => String::new(),
    }
}
