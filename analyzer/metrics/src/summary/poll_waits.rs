//! The finding on ranks that do nothing else until a poll finds something.

use super::limits::limits;
use rustc_hash::FxHashMap;

use super::polling::{self, goes_on, has_gaps, span};
use super::serving::{LEAST_WAITING, MOST_RANKS};
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::totals::{percent, seconds, world_rank};
use crate::words::{plural, ranks_in_words, upper, verb};
use model::habits::SiteHabits;
use model::sums::{Grow, Total};
use tables::WorldRank;
use traces::calls::Class;

limits! {
    /// Fewer unsuccessful polls by a rank are no loop.
    LEAST_TIMES = 10, Least, "polls", Convention;
    /// A rank that is outside MPI for a smaller share of the run is not said to be.
    LEAST_OUTSIDE = 50.0, Least, "percent", Convention;
}

/// Polls at one line, by the ranks that only wait there.
struct PollWait<'a> {
    used: &'a UsedSite<'a>,
    /// By the ranks' places in the run.
    ranks: Vec<(u32, &'a SiteHabits)>,
    /// The ranks with a large part of the time, in order.
    culprits: Vec<WorldRank>,
    /// Nanoseconds from unsuccessful polls to the poll after each, of all ranks.
    time: i64,
    /// The part of it after which something came.
    awaited: i64,
    in_vain: u64,
    found: u64,
}

pub fn finding(used: &UsedSite) -> Option<Finding> {
    used.call().filter(|call| call.polls())?;
    let polls = PollWait::of(used)?;
    let known = used.known;
    let costs = known.mean(polls.time);
    let (who, does, calls) = (upper(&ranks_in_words(&polls.culprits)), polls.does(), polls.in_words());
    let serves = polls.serve();
    let headline = if serves {
        let serves = verb(polls.culprits.len(), "serves: it", "serve: they");
        format!("{who} only {serves} {calls} and {does}.")
    } else {
        format!("{who} {calls} and {does}.")
    };
    let finding = Finding::new(FindingKind::Polling, "functions", headline);
    let finding = finding.ranks(polls.culprits.clone()).sites(used.sites());
    // Nothing that other ranks do could make use of a serving rank's time.
    let finding = if serves { finding } else { finding.costs(costs) };
    let awaited = awaited_ranks(&polls.ranks, polls.awaited);
    let places: Vec<WorldRank> = awaited.iter().map(|rank| world_rank(&known.run.ranks[*rank as usize])).collect();
    let outside = outside(known, &awaited);
    let mut detail = polls.for_each();
    if places.len() > 1 && places == polls.culprits {
        detail += " They wait for each other.";
    } else if !places.is_empty() {
        let waits = verb(polls.culprits.len(), "It waits", "They wait");
        detail += &format!(" {waits} for {}{outside}.", ranks_in_words(&places));
    }
    let is_outside = !outside.is_empty();
    let next = polls.advice(serves, is_outside.then_some(&places));
    Some(finding.detail(detail).next(next))
}

impl<'a> PollWait<'a> {
    fn of(used: &'a UsedSite<'a>) -> Option<PollWait<'a>> {
        // No blocking call waits for either of two things.
        let is_in_turn = |habits: &SiteHabits| 2 * habits.in_turn >= habits.in_vain;
        let only_waits = |(_, habits): &&(u32, &SiteHabits)| {
            habits.in_vain >= LEAST_TIMES.count().max(habits.found) && !has_gaps(habits) && !is_in_turn(habits)
        };
        let ranks: Vec<(u32, &SiteHabits)> = used.ranks.iter().filter(only_waits).copied().collect();
        let time = ranks.iter().map(|(_, habits)| span(habits)).total();
        if goes_on(used) || time <= polling::paid(used) {
            return None;
        }
        let awaited = ranks.iter().map(|(_, habits)| habits.awaited).total();
        let in_vain = ranks.iter().map(|(_, habits)| habits.in_vain).total();
        let found = ranks.iter().map(|(_, habits)| habits.found).total();
        let has = |rank: u32| ranks.iter().any(|(of, _)| *of == rank);
        let culprits = used.culprits_of(|rank, habits| if has(rank) { span(habits) } else { 0 });
        Some(PollWait { used, culprits, time, awaited, in_vain, found, ranks })
    }

    /// `polls 8,100,000 times in MPI_Iprobe at p.c:5`.
    fn in_words(&self) -> String {
        let times = plural(self.in_vain.saturating_add(self.found), "time");
        format!("{} {times} in {}", verb(self.culprits.len(), "polls", "poll"), self.used.place())
    }

    fn does(&self) -> &'static str {
        verb(self.culprits.len(), "does nothing between the polls", "do nothing between the polls")
    }

    fn is_probe(&self) -> bool {
        self.used.call().is_some_and(|call| call.class() == Class::Probe)
    }

    /// True if few ranks poll nearly all the time for what comes, like the master of a farm or a rank that writes output.
    fn serve(&self) -> bool {
        let all = &self.used.known.run.ranks;
        let is_always = |(rank, habits): &(u32, &SiteHabits)| {
            seconds(span(habits)) >= LEAST_WAITING.get() * all[*rank as usize].wall()
        };
        (MOST_RANKS.count() as usize) * self.ranks.len() <= all.len() && self.ranks.iter().all(is_always)
    }

    /// `81,000 polls find nothing for each that finds something.`
    fn for_each(&self) -> String {
        match self.in_vain.checked_div(self.found) {
            Some(1) => "1 poll finds nothing for each that finds something.".into(),
            Some(polls) => format!("{} find nothing for each that finds something.", plural(polls, "poll")),
            None => "All of them find nothing.".into(),
        }
    }

    /// The advice, where the ranks that they wait for are `outside` MPI most of the time.
    fn advice(&self, serves: bool, outside: Option<&Vec<WorldRank>>) -> String {
        let mut next = String::new();
        if let Some(places) = outside {
            let comes = if self.is_probe() { "sends" } else { "comes" };
            next += &format!("See why {} {comes} so late. ", ranks_in_words(places));
        }
        let function = &self.used.site.function;
        let instead = if self.is_probe() {
            "MPI_Recv or MPI_Probe waits".to_string()
        } else if function.contains("_Test") {
            format!("{} waits", function.replace("_Test", "_Wait"))
        } else {
            "a blocking call waits".to_string()
        };
        if serves {
            let them = verb(self.culprits.len(), "it", "them");
            return format!(
                "If that is not intended, give {them} a share of the other ranks' work. {} without a loop.",
                upper(&instead)
            );
        }
        let (who, has) = (ranks_in_words(&self.culprits), verb(self.culprits.len(), "has", "have"));
        next += &format!("If {who} {has} other work, poll between pieces of it; if not, {instead} without a loop.");
        next
    }
}

/// The ranks that most of the time is for, if it is known for whom.
fn awaited_ranks(ranks: &[(u32, &SiteHabits)], awaited: i64) -> Vec<u32> {
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
fn outside(known: &Evidence, awaited: &[u32]) -> String {
    let [rank] = awaited else { return String::new() };
    let rank = &known.run.ranks[*rank as usize];
    let outside = rank.wall() - rank.mean_time_in_mpi();
    match percent(outside, rank.wall()) {
        Some(share) if share > LEAST_OUTSIDE.get() => format!(", which is outside MPI for {share:.1} % of the run"),
        _ => String::new(),
    }
}
