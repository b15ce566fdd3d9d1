//! The finding on small calls of several lines that follow each other directly: one could do for all.

use std::collections::BTreeMap;

use super::limits::limits;
use super::used_sites::{self, UsedSite};
use super::{Finding, FindingKind, small_collectives, small_messages};
use crate::words::plural;
use model::matching::scenario::RunChange;
use model::roles::{CallPart, Flow};
use model::sums::Total;
use tables::Value;
use tables::number::whole;

limits! {
    /// Two calls in a row are usual: of two ranks, the neighbors on both sides are one.
    LEAST_DIRECT = 2.5, Least, "calls", Derived;
}

/// The findings, by the line of the first call.
pub fn findings(sites: &[UsedSite]) -> Vec<Finding> {
    let mut by_first: BTreeMap<u32, Vec<&UsedSite>> = BTreeMap::new();
    for used in sites {
        let first = used.ranks.iter().find_map(|(_, habits)| habits.behind.first);
        if let Some(first) = first.filter(|_| 2 * behind(used) > used.count() || of_first(used)) {
            by_first.entry(first).or_default().push(used);
        }
    }
    by_first.into_iter().filter_map(|(first, behind)| finding(used_sites::at(sites, first)?, &behind)).collect()
}

fn behind(used: &UsedSite) -> u64 {
    used.total(|habits| habits.behind.count)
}

/// True if calls of a line follow others of the same line.
fn of_first(used: &UsedSite) -> bool {
    used.ranks.iter().any(|(_, habits)| habits.behind.first == Some(used.number))
}

fn finding(first: &UsedSite, all: &[&UsedSite]) -> Option<Finding> {
    let (_, habits) = first.ranks.first()?;
    let (kind, most, what) = match habits.part {
        CallPart::Message { sends: true, .. } => {
            (FindingKind::SmallMessages, small_messages::MOST_BYTES.count(), "data")
        }
        CallPart::Collective { flow: Flow::Barrier | Flow::Fence | Flow::Create | Flow::Neighbors, .. } => return None,
        CallPart::Collective { .. } => (FindingKind::SmallCollectives, small_collectives::MOST_BYTES.count(), "values"),
        _ => return None,
    };
    let others: Vec<&UsedSite> = all.iter().copied().filter(|used| used.number != first.number).collect();
    let count = all.iter().map(|used| behind(used)).total();
    let size = all.iter().map(|used| used.bytes()).total() / all.iter().map(|used| used.count()).total().max(1);
    let rows = first.count().saturating_sub(behind(first)).max(1);
    let row = 1.0 + count as f64 / rows as f64;
    if others.is_empty() || size > most || row < LEAST_DIRECT.get() {
        return None;
    }
    let time = all.iter().map(|used| used.total(|habits| habits.behind.time)).total();
    let costs = first.known.mean(time);
    let function = &first.site.function;
    let lines: Vec<String> = others.iter().flat_map(|used| used.sites()).collect();
    let calls = match lines.as_slice() {
        [line] => format!("{function} at {line} follows"),
        [line, other] => format!("Calls of {function} at {line} and {other} follow"),
        _ => format!("Calls of {function} at {} follow", plural(others.len() as u64, "other place")),
    };
    let headline = format!(
        "{calls} directly on {}, {} times, with {} for the same ranks.",
        first.place(),
        whole(count),
        Value::Bytes(size)
    );
    let detail = "Nothing is computed between them, so one call could do for all.";
    let next = format!("Put the {what} side by side, and call {function} once.");
    let without = |used: &&UsedSite| {
        let share = used.total(|habits| habits.behind.time) as f64 / used.own().max(1) as f64;
        RunChange::Calls(vec![used.number], (1.0 - share).max(0.0))
    };
    let mut places = first.sites();
    places.extend(lines);
    let finding = Finding::new(kind, "sites", headline).detail(detail).next(next);
    Some(finding.costs(costs).changes(all.iter().map(without).collect()).sites(places))
}
