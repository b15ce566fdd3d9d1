//! The finding on requests that were pending while nothing entered the progress engine, and were waited for afterwards.

use super::limits::limits;
use std::collections::{BTreeMap, BTreeSet};

use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind, eager_limit};
use crate::engine::{StarvedRow, starved};
use crate::totals::seconds;
use crate::words::{plural, ranks_in_words};
use model::roles::CallPart;
use rustc_hash::{FxHashMap, FxHashSet};
use tables::{Value, WorldRank};

limits! {
    /// Seconds: calls of MPI_Test, a tenth of that apart, would cost more than they hide in shorter computation.
    SHORT = 50e-6, Least, "s", Derived;
}

pub fn finding(known: &Evidence, sites: &[UsedSite]) -> Option<Finding> {
    let rows = starved(known.run, known.engines).rows;
    let at_once = sent_at_once(known, sites);
    let mut by_wait: FxHashMap<&str, Vec<&StarvedRow>> = FxHashMap::default();
    let unsent = unsent(known);
    // No call moves a receive whose message never comes.
    let may_move = |row: &&StarvedRow| row.pending > unsent.get(&row.rank).copied().unwrap_or(0);
    for row in rows.iter().filter(may_move).filter(|row| !at_once.contains(row.from.as_str())) {
        // A program that polls at one place does what it can.
        if row.from != row.to && !row.to.is_empty() {
            by_wait.entry(&row.to).or_default().push(row);
        }
    }
    let waits = sites.iter().filter(|used| used.completes());
    let findings = waits.filter_map(|wait| at_wait(wait, by_wait.get(wait.site.site.as_str())?));
    findings.max_by(|a, b| a.costs.unwrap_or(0.0).total_cmp(&b.costs.unwrap_or(0.0)))
}

/// Receives that never got a message, by rank.
fn unsent(known: &Evidence) -> BTreeMap<WorldRank, u64> {
    let mut unsent = BTreeMap::new();
    for (at, count) in known.account().into_iter().flat_map(|account| &account.unsent) {
        *unsent.entry(crate::totals::world_rank(&known.run.ranks[at.rank as usize])).or_default() += count;
    }
    unsent
}

/// Lines whose messages are all so short that the library sends them at once: nothing is left to move, and a wait that takes long is the
/// scheduler's.
fn sent_at_once<'a>(known: &Evidence, sites: &[UsedSite<'a>]) -> FxHashSet<&'a str> {
    let least = eager_limit::least_bytes(known.run);
    let is_short = |used: &UsedSite| {
        let is_message = used.ranks.iter().all(|(_, habits)| matches!(habits.part, CallPart::Message { .. }));
        is_message && used.bytes() < used.count().saturating_mul(least)
    };
    let posts = sites.iter().filter(|used| used.ranks.iter().any(|(_, habits)| habits.starts));
    let named = posts.filter(|used| !used.site.site.is_empty());
    let (short, long): (Vec<&UsedSite>, Vec<&UsedSite>) = named.partition(|used| is_short(used));
    let mut at_once: FxHashSet<&str> = short.iter().map(|used| used.site.site.as_str()).collect();
    for used in long {
        at_once.remove(used.site.site.as_str());
    }
    at_once
}

/// The finding on requests that one line waits for.
fn at_wait(wait: &UsedSite, here: &[&StarvedRow]) -> Option<Finding> {
    let known = wait.known;
    let longest = here.iter().copied().max_by(|a, b| a.longest.total_cmp(&b.longest))?;
    if longest.percentile_99 < SHORT.get() {
        return None;
    }
    let ranks: BTreeSet<WorldRank> = here.iter().map(|row| row.rank).collect();
    let mut pending_of: BTreeMap<WorldRank, f64> = BTreeMap::new();
    for row in here {
        *pending_of.entry(row.rank).or_default() += row.times as f64 * row.percentile_99;
    }
    let mut saved = 0.0;
    for (rank, habits) in &wait.ranks {
        let rank = crate::totals::world_rank(&known.run.ranks[*rank as usize]);
        let pending = pending_of.get(&rank).copied().unwrap_or(0.0);
        // Computation can hide no more than its own time.
        saved += seconds(habits.own()).min(pending);
    }
    let costs = known.running_in_mpi() * saved / known.ranks() as f64;
    if costs <= 0.0 {
        return None;
    }
    let headline = format!(
        "Messages do not move while {} compute: requests pending from {} on are moved in {}.",
        if ranks.len() == known.ranks() {
            "the ranks".into()
        } else {
            ranks_in_words(&Vec::from_iter(ranks.iter().copied()))
        },
        longest.from,
        wait.place()
    );
    let detail = format!(
        "On rank {} nothing entered the progress engine {} while they were pending, for {} at the longest.",
        longest.rank,
        plural(longest.times, "time"),
        Value::Seconds(longest.longest)
    );
    let next = format!(
        "Call MPI_Test on them in that computation, about every {}, or let a thread of the library move them: {}.",
        roughly(median_of_all(here.iter().map(|row| (row.median, row.times))).max(SHORT.get()) / 10.0),
        progress_thread(&known.run.first().library.name())
    );
    let finding = Finding::new(FindingKind::Unprogressed, "progress", headline).detail(detail).next(next);
    let sites = vec![wait.site.site.clone(), longest.from.clone()];
    Some(finding.costs(costs).ranks(ranks.into_iter().collect()).sites(sites))
}

/// Median over all rows' times, from each row's median and the number of its times: one long time on one rank does not
/// change it.
fn median_of_all(rows: impl Iterator<Item = (f64, u64)>) -> f64 {
    let mut rows: Vec<(f64, u64)> = rows.collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: u64 = rows.iter().map(|(_, times)| times).sum();
    let mut seen = 0;
    let is_middle = |(_, times): &&(f64, u64)| {
        seen += times;
        2 * seen >= all
    };
    rows.iter().find(is_middle).map_or(0.0, |(median, _)| *median)
}

/// A time by one digit: `0.1 ms`, `20 µs`.
pub(super) fn roughly(seconds: f64) -> String {
    let (value, unit) = match seconds {
        1.0.. => (seconds, "s"),
        0.95e-4.. => (1e3 * seconds, "ms"),
        _ => (1e6 * seconds, "µs"),
    };
    let digit = 10f64.powf(value.log10().floor());
    let rounded = (value / digit).round() * digit;
    if rounded < 0.95 { format!("{rounded:.1} {unit}") } else { format!("{rounded:.0} {unit}") }
}

/// The setting for a progress thread, by the library's name.
pub(super) fn progress_thread(library: &str) -> &'static str {
    let name = library.to_lowercase();
    if name.contains("intel") {
        "I_MPI_ASYNC_PROGRESS=1"
    } else if name.contains("mpich") {
        "MPIR_CVAR_ASYNC_PROGRESS=1"
    } else if name.contains("open mpi") {
        "Open MPI has none for messages between ranks of a host"
    } else {
        "its manual says whether it has one"
    }
}

#[cfg(test)]
mod tests {
    use super::{median_of_all, roughly};

    #[test]
    fn how_often_to_test_is_told_by_one_digit() {
        let told = [132.63e-6, 0.97e-4, 15e-6, 5e-6, 2.7e-3, 0.099, 1.4].map(roughly);
        assert_eq!(told, ["0.1 ms", "0.1 ms", "20 µs", "5 µs", "3 ms", "100 ms", "1 s"]);
    }

    #[test]
    fn one_long_time_does_not_change_how_often_to_test() {
        assert_eq!(median_of_all([(0.138, 40), (0.120, 40), (2.298, 1)].into_iter()), 0.138);
        assert_eq!(median_of_all([(0.1, 1), (0.2, 10)].into_iter()), 0.2);
        assert_eq!(median_of_all(std::iter::empty()), 0.0);
    }
}
