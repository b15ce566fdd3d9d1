//! The findings on polls, tests and probes, that find nothing.
//!
//! A rank that does nothing else meanwhile waits (`poll_waits`), one that works pays for each poll.

use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::totals::seconds;
use crate::words::{plural, ranks_in_words, upper, verb};
use model::habits::SiteHabits;
use model::matching::scenario::RunChange;
use model::sums::Total;
use tables::Value;
use tables::number::whole;
use traces::calls::{Call, Class};

limits! {
    /// Nanoseconds. With less time between two tests a rank does nothing but wait.
    LEAST_WORK = 500.0, Least, "ns", Measured;
    /// Nanoseconds. Longer tests of requests move data: one that finds nothing to do takes a microsecond.
    LONGEST_EMPTY = 10_000.0, Most, "ns", Measured;
    /// Fewer calls for each that finds something are a fair price for hearing of it soon.
    LEAST_IN_VAIN = 20, Least, "polls", Convention;
}

/// The sentence on ranks that may do nothing but wait at unsuccessful tests, and its seconds of the mean rank.
pub fn doubt(known: &Evidence, sites: &[UsedSite]) -> Option<(f64, String)> {
    let polls = sites.iter().filter(|used| used.call().is_some_and(Call::polls));
    let doubtful = |used: &UsedSite| {
        let ranks = used.ranks.iter().filter(|(rank, habits)| has_gaps(habits) && may_wait(known, *rank, habits));
        known.mean(ranks.map(|(_, habits)| span(habits)).total())
    };
    let (time, used) = polls.map(|used| (doubtful(used), used)).max_by(|one, other| one.0.total_cmp(&other.0))?;
    let sentence = format!(
        "Ranks poll unsuccessfully in {} for {}: what they do between the polls is not known, and may be nothing.",
        used.place(),
        known.share(time)
    );
    Some((time, sentence))
}

/// The finding on tests between small pieces of work.
pub fn finding(used: &UsedSite) -> Option<Finding> {
    used.call().filter(|call| call.polls())?;
    let in_vain = used.total(|habits| habits.in_vain);
    let found = used.total(|habits| habits.found);
    let time = paid(used);
    if time == 0 || in_vain < LEAST_IN_VAIN.count() * found.max(1) {
        return None;
    }
    let costs = used.known.mean(time);
    let goes_on = goes_on(used);
    let culprits = used.culprits(|habits| paid_by(habits, goes_on));
    let each = seconds(used.total(|habits| habits.in_vain_time)) / in_vain.max(1) as f64;
    let times = plural(in_vain, "time");
    let found = in_vain.checked_div(found);
    let found =
        found.map_or("all unsuccessful".into(), |calls| format!("{} for each that finds something", whole(calls)));
    let headline = format!(
        "{} {} {} {times}, {found}.",
        upper(&ranks_in_words(&culprits)),
        verb(culprits.len(), "calls", "call"),
        used.place()
    );
    let work = seconds(used.total(|habits| habits.between_tests)) / in_vain.max(1) as f64;
    let [each, work] = [each, work].map(Value::Seconds);
    let detail = format!("A call takes {each}, the work between two of them {work} on average.");
    let next = format!("Call {} after larger pieces of work, or when the work is done.", used.site.function);
    let finding = Finding::new(FindingKind::Polling, "functions", headline).detail(detail).next(next);
    let kept = 1.0 - time as f64 / used.own().max(time) as f64;
    let finding = finding.changes(vec![RunChange::Calls(vec![used.number], kept)]);
    Some(finding.costs(costs).ranks(culprits).sites(used.sites()))
}

/// Nanoseconds from unsuccessful tests to the test after each.
pub fn span(habits: &SiteHabits) -> i64 {
    habits.in_vain_time.saturating_add(habits.between_tests)
}

/// Nanoseconds in tests of a rank that do nothing, if it works between them: there is time to, or it goes on without a success.
fn paid_by(habits: &SiteHabits, goes_on: bool) -> i64 {
    let is_probe = Call::from_number(habits.function).is_some_and(|call| call.class() == Class::Probe);
    let is_empty = is_probe || habits.in_vain_time as f64 <= LONGEST_EMPTY.get() * habits.in_vain as f64;
    if (has_gaps(habits) || goes_on) && is_empty { habits.in_vain_time } else { 0 }
}

/// True if the ranks mostly end their tests before one finds something: then their work is over, and they did not only wait.
pub fn goes_on(used: &UsedSite) -> bool {
    2 * used.total(|habits| habits.awaited) < used.total(span)
}

pub fn paid(used: &UsedSite) -> i64 {
    let goes_on = goes_on(used);
    used.total(|habits| paid_by(habits, goes_on))
}

/// True if the rank has time to work between its tests.
pub fn has_gaps(habits: &SiteHabits) -> bool {
    habits.between_tests as f64 >= LEAST_WORK.get() * habits.in_vain as f64
}

/// True if a rank was off its core for most of the time between its polls, or if that is not known.
fn may_wait(known: &Evidence, rank: u32, habits: &SiteHabits) -> bool {
    let rank = &known.run.ranks[rank as usize];
    let usage = rank.main_usage().filter(|usage| usage.is_whole && !rank.is_part());
    let ran = usage.as_ref().and_then(|usage| usage.processor());
    let delay = usage.and_then(|usage| usage.delay).or_else(|| (!known.shares_cores()).then_some(0.0));
    let time = seconds(habits.between_tests);
    ran.zip(delay).is_none_or(|(ran, delay)| 2.0 * (ran + delay) <= time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn habits(call: Call, in_vain: u64, in_vain_time: i64, between_tests: i64) -> SiteHabits {
        SiteHabits { function: call.number(), in_vain, in_vain_time, between_tests, ..SiteHabits::default() }
    }

    #[test]
    fn there_is_time_to_work_between_tests_if_half_a_microsecond_lies_between_two_in_the_mean() {
        let has = |between| has_gaps(&habits(Call::Test, 1000, 0, between));
        assert_eq!([499_999, 500_000].map(has), [false, true]);
    }

    #[test]
    fn a_rank_pays_for_tests_that_move_no_data_and_for_probes_of_any_length() {
        let paid = |call, time| paid_by(&habits(call, 100, time, 1_000_000), false);
        assert_eq!([1_000_000, 1_000_001].map(|time| paid(Call::Test, time)), [1_000_000, 0]);
        assert_eq!(paid(Call::Iprobe, 1_000_001), 1_000_001);
        let dense = habits(Call::Test, 100, 50_000, 1_000);
        assert_eq!(paid_by(&dense, false), 0, "it does nothing else until one succeeds");
        assert_eq!(paid_by(&dense, true), 50_000, "it mostly goes on without a success");
    }
}
