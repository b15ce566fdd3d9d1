//! The reasons around collective calls: ranks that do not come, or come with a different call.

use std::collections::BTreeMap;

use super::{Reason, ReasonRow, stands};
use crate::hang::object_names::communicator;
use crate::hang::rank_names::{agree, names};
use crate::hang::{Findings, SeenRun};
use crate::words::{rank_in_words, upper};
use model::rank::function_of;
use model::roles::Flow;
use model::standing::{CollectiveDifference, CollectiveKey, CollectiveKind, CollectivePart};
use model::wait_for::{Absence, silent_neighbor};

/// Adds rows for collective calls that waiting ranks are in and others are not, or differ from.
pub fn add(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let seen = &findings.seen;
    let mut calls: BTreeMap<CollectiveKey, (CollectivePart, Vec<usize>)> = BTreeMap::new();
    for &at in &findings.waiting {
        for part in seen.standing.ranks[at].collectives() {
            calls.entry(part.key()).or_insert_with(|| (part, Vec::new())).1.push(at);
        }
    }
    for (part, here) in calls.into_values() {
        let absences = seen.graph.absences(&part);
        different(findings, &part, &here, absences, rows);
        late(findings, &part, &here, absences, rows);
        if absences.is_empty() {
            diverged(seen, &part, &here, rows);
            unnamed(seen, &part, &here, rows);
        }
    }
}

/// A collective call in words: `MPI_Barrier, collective call 2 of MPI_COMM_WORLD`.
fn in_words(seen: &SeenRun<'_>, part: &CollectivePart) -> String {
    let (call, object) = (function_of(part.kind.function), communicator(seen, part.object));
    format!("{call}, collective call {} of {object}", part.ordinal + 1)
}

/// Adds a row if ranks are in a different call in place of this one, or made it and went on. Both sides of a mismatch
/// wait, but only one of them adds the row.
fn different(
    findings: &Findings<'_>,
    part: &CollectivePart,
    here: &[usize],
    absences: &[(usize, Absence)],
    rows: &mut Vec<ReasonRow>,
) {
    let seen = &findings.seen;
    let (run, standing) = (seen.run, seen.standing);
    let kind_of = |at: usize| standing.reach(at, part.object).kind(part.ordinal);
    let is_first = |at: usize| !findings.waiting.contains(&at) || kind_of(at).is_some_and(|kind| kind > part.kind);
    let other = absences.iter().filter_map(|(at, absence)| match *absence {
        Absence::Late => None,
        Absence::In(difference) => Some((*at, difference, "is", "are")).filter(|_| is_first(*at)),
        Absence::Past(difference) => Some((*at, difference, "was", "were")),
    });
    let other: Vec<(usize, CollectiveDifference, &str, &str)> = other.collect();
    let Some((first, difference, one, several)) = other.first().copied() else { return };
    let Some(kind) = kind_of(first) else { return };
    let alike = |(at, ..): &(usize, CollectiveDifference, &str, &str)| kind_of(*at) == Some(kind);
    let others: Vec<usize> = other.iter().filter(|other| alike(other)).map(|(at, ..)| *at).collect();
    let number = |number: Option<i32>| number.map_or_else(String::new, |number| number.to_string());
    let bytes = |bytes: Option<u64>| bytes.map_or_else(String::new, |bytes| bytes.to_string());
    let (with, without) = match difference {
        CollectiveDifference::Function => (String::new(), format!("in {} in its place", function_of(kind.function))),
        CollectiveDifference::Root => {
            (format!(" with root {}", number(part.kind.root)), format!("in it with root {}", number(kind.root)))
        }
        CollectiveDifference::Bytes => (
            format!(" with {} bytes of each rank", bytes(part.kind.bytes)),
            format!("in it with {}", bytes(kind.bytes)),
        ),
    };
    let detail = format!(
        "{} in {}{with}, and {} {} {without}: {} {}.",
        upper(&agree(run, here, "is", "are")),
        in_words(seen, part),
        names(run, &others),
        if others.len() == 1 { one } else { several },
        rank_in_words(&run.ranks[first]),
        stands(seen, first),
    );
    rows.push(ReasonRow::of(run, Reason::Mismatch, others, detail));
}

/// Adds a row for the ranks that have not come.
fn late(
    findings: &Findings<'_>,
    part: &CollectivePart,
    here: &[usize],
    absences: &[(usize, Absence)],
    rows: &mut Vec<ReasonRow>,
) {
    let seen = &findings.seen;
    let (run, standing) = (seen.run, seen.standing);
    let is_held =
        |at: &usize| findings.stuck[*at] && seen.sightings[*at].halt.is_none() && !standing.ranks[*at].is_finalized();
    let late: Vec<usize> =
        absences.iter().filter(|(_, absence)| *absence == Absence::Late).map(|(at, _)| *at).collect();
    let late: Vec<usize> = late.into_iter().filter(is_held).collect();
    let Some(first) = late.first() else { return };
    let detail = format!(
        "{} not come to {}, in which {} of {} are: {} {}.",
        upper(&agree(run, &late, "has", "have")),
        in_words(seen, part),
        here.len(),
        standing.objects.groups[part.object as usize].size(),
        rank_in_words(&run.ranks[*first]),
        stands(seen, *first),
    );
    rows.push(ReasonRow::of(run, Reason::Missing, late, detail));
}

/// Adds a row if all ranks have come, but their earlier calls on the communicator did not match.
fn diverged(seen: &SeenRun<'_>, part: &CollectivePart, here: &[usize], rows: &mut Vec<ReasonRow>) {
    let (run, standing) = (seen.run, seen.standing);
    let made = |at: usize| standing.ranks[at].past.made.get(&part.object);
    let members = standing.objects.groups[part.object as usize].everybody().map(|rank| rank as usize);
    let mut made: Vec<_> = members.filter_map(|at| Some((at, made(at)?))).collect();
    let Some((first, reference)) = made.first().copied() else { return };
    made.retain(|(_, other)| reference.has_diverged(other));
    let Some((other, its)) = made.first() else { return };
    let ranks = [first, *other];
    let words = ranks.map(|at| rank_in_words(&run.ranks[at]));
    let object = communicator(seen, part.object);
    let difference = reference.first_difference(its).and_then(|(ordinal, _)| {
        let calls = [reference.kind(ordinal)?, its.kind(ordinal)?].map(kind_in_words);
        Some(format!(
            "{} made {} as collective call {} of {object}, and {} {}",
            words[0],
            calls[0],
            ordinal + 1,
            words[1],
            calls[1]
        ))
    });
    let difference = difference.unwrap_or_else(|| {
        format!("{} and {} made different collective calls on {object} long before", words[0], words[1])
    });
    let detail = format!("{} in {}, but {difference}.", upper(&agree(run, here, "is", "are")), in_words(seen, part));
    rows.push(ReasonRow::of(run, Reason::Mismatch, ranks.to_vec(), detail));
}

/// Adds a row for each rank that waits for a neighbor which does not send to it.
fn unnamed(seen: &SeenRun<'_>, part: &CollectivePart, here: &[usize], rows: &mut Vec<ReasonRow>) {
    let run = seen.run;
    for at in here.iter().filter(|_| part.flow == Flow::Neighbors) {
        let Some(source) = silent_neighbor(seen.standing, *at, part.object) else { continue };
        let source = rank_in_words(&run.ranks[source]);
        let detail = format!(
            "{} in {}, and waits for data of its neighbor {source}, which does not name it as a destination.",
            upper(&agree(run, &[*at], "is", "are")),
            in_words(seen, part),
        );
        rows.push(ReasonRow::of(run, Reason::Mismatch, vec![*at], detail));
    }
}

fn kind_in_words(kind: CollectiveKind) -> String {
    let root = kind.root.map(|root| format!("root {root}"));
    let bytes = kind.bytes.map(|bytes| format!("{bytes} bytes of each rank"));
    let said: Vec<String> = root.into_iter().chain(bytes).collect();
    let call = function_of(kind.function);
    if said.is_empty() { call } else { format!("{call} ({})", said.join(", ")) }
}
