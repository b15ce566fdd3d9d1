//! The finding on tests and probes that find nothing, between small pieces of work.

use super::used_sites::UsedSite;
use super::{Finding, FindingKind};
use crate::words::{numbers_of, plural, upper};
use model::habits::SiteHabits;
use model::sums::Total;
use tables::Value;

/// Nanoseconds. With less time between two tests a rank does nothing but wait: what it waits for is to blame.
const LEAST_WORK: f64 = 500.0;
/// Fewer calls in vain by a rank are no loop.
const LEAST_TIMES: u64 = 100;
/// Fewer calls for each that finds something are a fair price for hearing of it soon.
const LEAST_IN_VAIN: u64 = 20;

pub fn finding(used: &UsedSite) -> Option<Finding> {
    used.call().filter(|call| call.polls())?;
    let sum = |of: fn(&SiteHabits) -> i64| used.ranks.iter().map(|(_, habits)| of(habits)).total();
    let works = |habits: &SiteHabits| {
        habits.in_vain >= LEAST_TIMES && habits.between_tests as f64 >= LEAST_WORK * habits.in_vain as f64
    };
    let paid = |habits: &SiteHabits| if works(habits) { habits.in_vain_time } else { 0 };
    let time = used.ranks.iter().map(|(_, habits)| paid(habits)).total();
    let in_vain: u64 = used.ranks.iter().map(|(_, habits)| habits.in_vain).sum();
    let found: u64 = used.ranks.iter().map(|(_, habits)| habits.found).sum();
    if time == 0 || in_vain < LEAST_IN_VAIN * found.max(1) {
        return None;
    }
    let costs = used.known.mean(time);
    let culprits = used.culprits(paid);
    let each = crate::totals::seconds(sum(|habits| habits.in_vain_time)) / in_vain.max(1) as f64;
    let times = plural(in_vain, "time");
    let found = in_vain.checked_div(found);
    let found = found.map_or("all in vain".into(), |calls| format!("{calls} for each that finds something"));
    let headline = format!(
        "{} {} {} {times}, {found}: {}.",
        upper(&numbers_of(&culprits)),
        if culprits.len() == 1 { "calls" } else { "call" },
        used.place(),
        used.known.cost(costs)
    );
    let work = crate::totals::seconds(sum(|habits| habits.between_tests)) / in_vain.max(1) as f64;
    let [each, work] = [each, work].map(Value::Seconds);
    let detail = format!("A call takes {each}, the work between two of them {work} in the mean.");
    let next = format!("Call {} after larger pieces of work, or when the work is done.", used.site.function);
    let finding = Finding::new(FindingKind::Polling, "functions", headline).detail(detail).next(next);
    Some(finding.costs(costs).ranks(culprits).sites(used.sites()))
}
