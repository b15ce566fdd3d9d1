//! Why a run hangs: the first cause of each kind that is found among the ranks that wait for ever.

mod circles;
mod collectives;
mod halted;
mod tags;

use super::ranks::call_of;
use super::{Findings, Verdict};
use crate::overview::numbers;
use crate::words::{call_in_words, rank_in_words};
use model::standing::Position;
use model::{ProcessFate, Run};
use tables::{Column, Label, Row, Table};

/// Why ranks wait for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A process is stopped.
    Stopped,
    /// A process ended without finalizing MPI.
    Dead,
    /// A rank has finalized MPI and others wait for it.
    Finished,
    /// Ranks made different collective calls in each other's place.
    Mismatch,
    /// A rank does not come to a collective call.
    Missing,
    /// A message is there, but no receive has its tag or its communicator.
    Tag,
    /// Ranks wait for each other in a circle.
    Cycle,
    /// Ranks wait for any of each other.
    Knot,
    /// Nothing moves.
    Silent,
}

impl Reason {
    fn label(self) -> Label {
        let (key, name) = match self {
            Reason::Stopped => ("stopped", "stopped"),
            Reason::Dead => ("dead", "dead"),
            Reason::Finished => ("finished", "finished"),
            Reason::Mismatch => ("mismatch", "different collectives"),
            Reason::Missing => ("missing", "missing in a collective"),
            Reason::Tag => ("tag", "unmatched message"),
            Reason::Cycle => ("cycle", "cycle"),
            Reason::Knot => ("knot", "knot"),
            Reason::Silent => ("silent", "nothing moves"),
        };
        Label { key, name, depth: 0 }
    }
}

/// One reason.
pub struct ReasonRow {
    /// Its kind.
    pub reason: Reason,
    /// Who causes it.
    pub ranks: String,
    /// In words.
    pub detail: String,
}

impl Row for ReasonRow {
    const TABLE: &'static str = "reasons";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("reason", "reason", |row: &Self| row.reason.label()),
            Column::text("ranks", "who", |row: &Self| row.ranks.clone()),
            Column::text("detail", "", |row: &Self| row.detail.clone()),
        ]
    }
}

/// Ranks by their places, in words.
pub fn names(run: &Run, places: &[usize]) -> String {
    let (first, others): (Vec<usize>, Vec<usize>) =
        places.iter().partition(|at| run.ranks[**at].header.world == 0 && run.ranks[**at].number().is_some());
    let mut ranges: Vec<std::ops::RangeInclusive<u32>> = Vec::new();
    for number in first.iter().filter_map(|at| run.ranks[*at].number()) {
        match ranges.last_mut() {
            Some(range) if range.end() + 1 == number => *range = *range.start()..=number,
            _ => ranges.push(number..=number),
        }
    }
    let mut words: Vec<String> = if ranges.is_empty() { Vec::new() } else { vec![numbers(&ranges)] };
    words.extend(others.iter().map(|at| rank_in_words(&run.ranks[*at])));
    words.join(", ")
}

/// One row for each reason, for programs; people read [`in_words`].
pub fn reasons(findings: &Findings<'_>) -> Table<ReasonRow> {
    Table::new("reasons", of(findings)).for_programs()
}

/// The verdict and its reasons, a paragraph each.
pub fn in_words(findings: &Findings<'_>) -> Vec<String> {
    let is_live = findings.changes.iter().any(Option::is_some);
    // Processes of another host may be gone, or their files not be fresh.
    let is_unknown = findings.run.ranks.iter().any(|rank| rank.fate == ProcessFate::Unknown);
    let (hangs, not) = match (is_live, is_unknown) {
        (true, _) => ("It hangs", "It does not hang."),
        (false, true) => ("By its files it hangs", "By its files it does not hang."),
        (false, false) => ("It was hanging when it ended", "By its files it was not hanging when it ended."),
    };
    let verdict = match findings.verdict() {
        Verdict::Certain => format!("{hangs} (certain)."),
        Verdict::Likely => format!("{hangs} (likely)."),
        Verdict::No => not.into(),
        Verdict::Finished => "It does not hang: all its ranks have finalized MPI.".into(),
    };
    let mut words = vec![verdict];
    words.extend(of(findings).into_iter().map(|row| row.detail));
    if findings.verdict() == Verdict::No {
        words.extend(awaited_ranks(findings));
    }
    words
}

fn of(findings: &Findings<'_>) -> Vec<ReasonRow> {
    let mut rows = Vec::new();
    if !matches!(findings.verdict(), Verdict::Certain | Verdict::Likely) {
        return rows;
    }
    halted::add(findings, &mut rows);
    collectives::add(findings, &mut rows);
    tags::add(findings, &mut rows);
    if rows.is_empty() {
        circles::add(findings, &mut rows);
    }
    if rows.is_empty() {
        let detail = "No rank has moved for far longer than any pause of the run before, and none computes.".into();
        let everybody: Vec<usize> = (0..findings.stuck.len()).collect();
        rows.push(ReasonRow { reason: Reason::Silent, ranks: names(findings.run, &everybody), detail });
    }
    rows
}

/// Where a rank is: `is in MPI_Recv (from 1, tag 7) at main (a.c:12)`.
fn stands(findings: &Findings<'_>, at: usize) -> String {
    let (run, position) = (findings.run, &findings.standing.ranks[at].position);
    let call = call_of(position).map(|call| call_in_words(run, &run.ranks[at], call));
    // Of a run that is over nobody knows how long its ranks stayed where they were.
    let live = findings.changes[at].and_then(|_| findings.since(at));
    let since = live.map_or(String::new(), |since| format!(", since {since:.1} s"));
    match (position, call) {
        (Position::Finalized, _) => "has finalized MPI".into(),
        (Position::Inside(_), Some(call)) => format!("is in {call}{since}"),
        (Position::Asking(_), Some(call)) => format!("polls by {call}{since}"),
        (_, Some(call)) => format!("is outside MPI, after {call}{since}"),
        (_, None) => format!("is outside MPI{since}"),
    }
}

/// `Ranks 1-3 wait`.
fn agree(run: &Run, places: &[usize], one: &str, several: &str) -> String {
    format!("{} {}", upper(&names(run, places)), if places.len() == 1 { one } else { several })
}

fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// A communicator by its name, or the run's number.
pub fn communicator(findings: &Findings<'_>, object: u32) -> String {
    let name = &findings.standing.objects.groups[object as usize].name;
    if name.is_empty() { format!("communicator {object}") } else { name.clone() }
}

/// Whom the ranks of a run wait for that does not hang.
fn awaited_ranks(findings: &Findings<'_>) -> Option<String> {
    let run = findings.run;
    let mut waited: Vec<usize> = findings.needs.iter().flat_map(|need| need.ranks()).collect();
    waited.sort_unstable();
    waited.dedup();
    let free = |at: &usize| findings.standing.ranks[*at].entered().is_none();
    let first = *waited.iter().find(|at| free(at))?;
    let others: Vec<usize> =
        (0..findings.needs.len()).filter(|at| findings.needs[*at].ranks().contains(&first)).collect();
    let process = findings.changes[first].filter(|change| change.computed).map_or("", |_| ", and computes");
    Some(format!(
        "{} for {}, which {}{process}.",
        agree(run, &others, "waits", "wait"),
        rank_in_words(&run.ranks[first]),
        stands(findings, first),
    ))
}
