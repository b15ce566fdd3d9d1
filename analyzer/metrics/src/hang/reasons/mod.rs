//! Finds the reasons why a run hangs: the first cause of each kind among the ranks that wait for ever.

mod collective_reasons;
mod stuck_ranks;

use super::object_names::call_in_words;
use super::rank_names::{agree, names};
use super::ranks::call_of;
use super::{Findings, SeenRun, Verdict};
use crate::words::{rank_in_words, upper};
use model::deadlock::Doubt;
use model::standing::Position;
use model::{ProcessFate, Run};
use tables::{Column, Label, Row, Table};

/// The kind of cause that makes ranks wait for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A process is stopped.
    Stopped,
    /// A process ended without finalizing MPI.
    Dead,
    /// A rank has finalized MPI and others wait for it.
    Finished,
    /// Ranks made different calls as the same collective call: other functions, roots or sizes.
    Mismatch,
    /// A rank has not reached a collective call.
    Missing,
    /// A message is there, but no receive has its tag or its communicator.
    Tag,
    /// The messages that arrived go to receives that were posted earlier.
    Taken,
    /// A rank holds the lock of a window that another waits for.
    Lock,
    /// Ranks wait for each other in a circle.
    Cycle,
    /// Ranks each wait for any one of the others.
    Knot,
    /// All ranks of a collective call are in it, and the library does not complete it.
    Complete,
    /// No cause is known; nothing moves.
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
            Reason::Taken => ("taken", "too few messages"),
            Reason::Lock => ("lock", "lock of a window"),
            Reason::Cycle => ("cycle", "cycle"),
            Reason::Knot => ("knot", "knot"),
            Reason::Complete => ("complete", "not completed"),
            Reason::Silent => ("silent", "nothing moves"),
        };
        Label { key, name, depth: 0 }
    }
}

pub struct ReasonRow {
    pub reason: Reason,
    pub ranks: String,
    /// These ranks, by their places in the run.
    places: Vec<usize>,
    /// The reason in a sentence.
    pub detail: String,
}

impl ReasonRow {
    fn of(run: &Run, reason: Reason, places: Vec<usize>, detail: String) -> ReasonRow {
        ReasonRow { reason, ranks: names(run, &places), places, detail }
    }
}

impl Row for ReasonRow {
    const TABLE: &'static str = "reasons";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("reason", "reason", |row: &Self| row.reason.label()).means(
                "Why it hangs: stopped, dead, finished, mismatch, missing, tag, taken, lock, cycle, knot, complete \
                 or silent.",
            ),
            Column::text("ranks", "who", |row: &Self| row.ranks.clone()).means("The ranks that cause it."),
            Column::text("detail", "", |row: &Self| row.detail.clone())
                .means("The same in words, with the calls and their sites."),
        ]
    }
}

/// One row for each reason, for programs only; people read [`in_words`].
pub fn reasons(findings: &Findings<'_>) -> Table<ReasonRow> {
    Table::new("reasons", found(findings)).for_programs()
}

/// The verdict with its evidence, and then each reason as a paragraph.
pub fn in_words(findings: &Findings<'_>) -> Vec<String> {
    let judgement = &findings.judgement;
    // A process on another host may be gone, or its file may not be up to date.
    let is_unseen = findings.seen.run.ranks.iter().any(|rank| rank.fate == ProcessFate::Unknown);
    let (hangs, not, whether) = match (findings.seen.is_live(), is_unseen) {
        (true, _) => ("The run hangs", "The run does not hang", "whether it hangs"),
        (false, true) => ("By its files the run hangs", "By its files the run does not hang", "whether it hangs"),
        (false, false) => (
            "The run was hanging when it ended",
            "The run was not hanging when it ended",
            "whether it was hanging when it ended",
        ),
    };
    let verdict = match judgement.verdict {
        Verdict::Certain => format!("{hangs} (certain)"),
        Verdict::Likely => format!("{hangs} (likely)"),
        Verdict::No => not.into(),
        Verdict::Finished => "The run does not hang".into(),
        Verdict::Unknown => format!("Cannot tell {whether}"),
    };
    let mut words = vec![format!("{verdict}: {}.", judgement.rests_on)];
    words.extend(found(findings).into_iter().map(|row| row.detail));
    if matches!(judgement.verdict, Verdict::No | Verdict::Unknown) && judgement.aside.is_none() {
        words.extend(awaited_ranks(&findings.seen));
    }
    if judgement.verdict == Verdict::Unknown && judgement.aside.is_none() {
        words.extend(stuck_ranks::polled_for_another(&findings.seen));
    }
    words
}

fn found(findings: &Findings<'_>) -> Vec<ReasonRow> {
    let mut rows = Vec::new();
    if !findings.judgement.verdict.hangs() && findings.judgement.aside.is_none() {
        return rows;
    }
    stuck_ranks::add_halted(findings, &mut rows);
    if findings.judgement.aside == Some(Doubt::Stopped) {
        return rows;
    }
    let mut late = Vec::new();
    stuck_ranks::add_messages(findings, &mut late);
    // A rank that waits for a message which never comes is late for that reason.
    let unserved: Vec<usize> = late.iter().flat_map(|row| row.places.clone()).collect();
    let mut circles = stuck_ranks::circles(findings);
    // A circle that ends with a message is none of its own, and one through a collective call is told by who has not come.
    let (of_messages, others): (Vec<_>, Vec<_>) =
        circles.drain(..).partition(|circle| stuck_ranks::is_of_messages(findings, circle));
    let is_unexplained = |circle: &Vec<usize>| !circle.iter().any(|at| unserved.contains(at));
    stuck_ranks::add_circles(findings, of_messages.into_iter().filter(is_unexplained).collect(), &mut rows);
    let first = rows.len();
    collective_reasons::add(findings, &mut rows);
    rows.append(&mut late);
    stuck_ranks::add_locks(findings, &mut rows);
    rows[first..].sort_by_key(|row| row.reason == Reason::Missing && row.places.iter().all(|at| unserved.contains(at)));
    if rows.is_empty() {
        stuck_ranks::add_circles(findings, others, &mut rows);
    }
    if let Some((call, ranks)) = findings.seen.complete_call().filter(|_| rows.is_empty()) {
        let detail = format!("{}: nothing is missing, it can complete, and the library does not.", upper(&call));
        rows.push(ReasonRow::of(findings.seen.run, Reason::Complete, ranks, detail));
    }
    if rows.is_empty() {
        rows.push(still(findings));
    }
    rows
}

/// The reason if no other is known: the positions of the first few waiting ranks.
fn still(findings: &Findings<'_>) -> ReasonRow {
    let everybody: Vec<usize> = (0..findings.stuck.len()).collect();
    let ranks = if findings.waiting.is_empty() { &everybody } else { &findings.waiting };
    let detail = format!("{}.", upper(&first_positions(&findings.seen, ranks)));
    ReasonRow::of(findings.seen.run, Reason::Silent, ranks.clone(), detail)
}

/// Number of ranks whose positions are given.
const SHOWN: usize = 4;

/// The positions of the first few of these ranks.
fn first_positions(seen: &SeenRun<'_>, ranks: &[usize]) -> String {
    let each =
        ranks.iter().take(SHOWN).map(|at| format!("{} {}", rank_in_words(&seen.run.ranks[*at]), stands(seen, *at)));
    each.collect::<Vec<_>>().join("; ")
}

/// The position of a rank in words: `is in MPI_Recv (from 1, tag 7) at main (a.c:12)`, or for how long it has been there.
pub fn stands(seen: &SeenRun<'_>, at: usize) -> String {
    let position = seen.standing.ranks[at].position();
    let call = call_of(position).map(|call| call_in_words(seen, at, call));
    // If the run is over, it is unknown for how long its ranks stayed at their positions.
    let live = seen.changes[at].as_ref().and_then(|_| seen.since_of(at, position));
    let has_ended = seen.changes[at].is_none() && seen.run.ranks[at].fate == ProcessFate::Ended;
    match (position, call, live.map(|lasts| format!("for {lasts:.1} s"))) {
        (Position::Finalized, ..) => "has finalized MPI".into(),
        (Position::Inside(_), Some(call), None) => format!("is in {call}"),
        (Position::Inside(_), Some(call), Some(lasts)) => format!("has been in {call} {lasts}"),
        (Position::Asking(_), Some(call), None) => format!("polls by {call}"),
        (Position::Asking(_), Some(call), Some(lasts)) => format!("has polled by {call} {lasts}"),
        (Position::Outside { .. }, Some(call), None) if has_ended => {
            format!("ended outside MPI, without MPI_Finalize, after {call}")
        }
        (_, Some(call), None) => format!("is outside MPI, after {call}"),
        (_, Some(call), Some(lasts)) => format!("has been outside MPI {lasts}, after {call}"),
        (_, None, None) => "is outside MPI".into(),
        (_, None, Some(lasts)) => format!("has been outside MPI {lasts}"),
    }
}

/// Names a rank that others wait for, in a run without a verdict that it hangs: if there is one, a rank that computes or sleeps
/// outside MPI, since a rank that polls waits, too.
fn awaited_ranks(seen: &SeenRun<'_>) -> Option<String> {
    let (run, needs) = (seen.run, &seen.graph.needs);
    let waits_for = |at: usize, other: usize| at != other && needs[at].ranks().contains(&other);
    let free = |at: &usize| seen.standing.ranks[*at].entered().next().is_none();
    let mut awaited = (0..needs.len()).filter(free).filter(|at| (0..needs.len()).any(|other| waits_for(other, *at)));
    let polls = |at: usize| matches!(seen.standing.ranks[at].position(), Position::Asking(_));
    let first = awaited.clone().find(|at| !polls(*at)).or_else(|| awaited.next())?;
    let others: Vec<usize> = (0..needs.len()).filter(|at| waits_for(*at, first)).collect();
    let (waits, wait) = if seen.is_live() { ("waits", "wait") } else { ("waited", "waited") };
    let process = if seen.sightings[first].computes { ", and computes" } else { "" };
    Some(format!(
        "{} for {}, which {}{process}.",
        upper(&agree(run, &others, waits, wait)),
        rank_in_words(&run.ranks[first]),
        stands(seen, first),
    ))
}
