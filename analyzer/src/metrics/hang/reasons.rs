//! Why a run hangs: the first cause of each kind that is found among the ranks that wait for ever.

use std::collections::BTreeMap;

use traces::signature::tag;

use super::ranks::call_of;
use super::{Findings, Verdict};
use crate::metrics::overview::numbers;
use crate::metrics::words::{call_in_words, rank_in_words};
use crate::model::deadlock::knots;
use crate::model::rank::function_of;
use crate::model::roles::Peer;
use crate::model::standing::{Awaited, Channel, CollectivePart, Position};
use crate::model::wait_for::{Halt, missing, offers, takes, under_way};
use crate::model::{ProcessFate, Run};
use crate::report::{Column, Label, Row, Table};

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
    halted(findings, &mut rows);
    collectives(findings, &mut rows);
    tags(findings, &mut rows);
    if rows.is_empty() {
        circles(findings, &mut rows);
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

/// Those among the ranks that are waited for, for which this holds.
fn awaited(findings: &Findings<'_>, is: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut found: Vec<usize> =
        findings.waiting().flat_map(|at| findings.needs[at].ranks()).filter(|at| is(*at)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Ranks whose process is stopped or dead, or that are through with MPI.
fn halted(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let run = findings.run;
    let mut add = |reason, places: Vec<usize>, what: &str| {
        for at in places {
            let who = rank_in_words(&run.ranks[at]);
            let others: Vec<usize> =
                findings.waiting().filter(|other| findings.needs[*other].ranks().contains(&at)).collect();
            let waits = if others.is_empty() {
                String::new()
            } else {
                format!(" {} for it.", agree(run, &others, "waits", "wait"))
            };
            let detail = format!("{} {what}: it {}.{waits}", upper(&who), stands(findings, at));
            rows.push(ReasonRow { reason, ranks: who, detail });
        }
    };
    let stopped = (0..findings.halts.len()).filter(|at| findings.halts[*at] == Some(Halt::Stopped)).collect();
    add(Reason::Stopped, stopped, "is stopped, by a signal or a debugger");
    add(Reason::Dead, awaited(findings, |at| findings.halts[at] == Some(Halt::Dead)), "is dead");
    let finalized = |at: usize| matches!(findings.standing.ranks[at].position, Position::Finalized);
    add(Reason::Finished, awaited(findings, finalized), "has finished");
}

/// `Ranks 1-3 wait`.
fn agree(run: &Run, places: &[usize], one: &str, several: &str) -> String {
    format!("{} {}", upper(&names(run, places)), if places.len() == 1 { one } else { several })
}

fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Collective calls that some ranks do not come to, or come to with another call.
fn collectives(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let (run, standing) = (findings.run, findings.standing);
    let mut calls: BTreeMap<(u32, u64, u16), (CollectivePart, Vec<usize>)> = BTreeMap::new();
    for at in findings.waiting() {
        if let Some(part) = standing.ranks[at].collective() {
            calls.entry((part.object, part.ordinal, part.function)).or_insert_with(|| (part, Vec::new())).1.push(at);
        }
    }
    for (part, here) in calls.into_values() {
        let group = &standing.objects.groups[part.object as usize];
        let call = format!(
            "{}, collective call {} of {}",
            function_of(part.function),
            part.ordinal + 1,
            communicator(findings, part.object)
        );
        let missing = missing(standing, &part);
        let (other, late): (Vec<usize>, Vec<usize>) =
            missing.into_iter().partition(|at| standing.reached(*at, part.object) > part.ordinal);
        let is_first = |other: &usize| {
            standing.function(*other, part.object, part.ordinal).is_some_and(|function| function > part.function)
        };
        // The two sides of a mismatch are one reason.
        if let Some(one) = other.iter().find(|at| is_first(at)) {
            let others = standing.function(*one, part.object, part.ordinal).map_or_else(String::new, function_of);
            let detail = format!(
                "{} in {call}, and {} in {others} in its place: {} {}.",
                agree(run, &here, "is", "are"),
                names(run, &other),
                rank_in_words(&run.ranks[*one]),
                stands(findings, *one),
            );
            rows.push(ReasonRow { reason: Reason::Mismatch, ranks: names(run, &other), detail });
        }
        let late: Vec<usize> =
            late.into_iter().filter(|at| findings.stuck[*at] && findings.halts[*at].is_none()).collect();
        let late: Vec<usize> =
            late.into_iter().filter(|at| !matches!(standing.ranks[*at].position, Position::Finalized)).collect();
        if let Some(first) = late.first() {
            let detail = format!(
                "{} not come to {call}, in which {} of {} are: {} {}.",
                agree(run, &late, "has", "have"),
                here.len(),
                group.size(),
                rank_in_words(&run.ranks[*first]),
                stands(findings, *first),
            );
            rows.push(ReasonRow { reason: Reason::Missing, ranks: names(run, &late), detail });
        }
    }
}

/// A communicator by its name, or the run's number.
pub fn communicator(findings: &Findings<'_>, object: u32) -> String {
    let name = &findings.standing.objects.groups[object as usize].name;
    if name.is_empty() { format!("communicator {object}") } else { name.clone() }
}

/// Messages that are there for a rank that waits for one, and do not fit.
fn tags(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let (run, standing) = (findings.run, findings.standing);
    for at in findings.waiting() {
        let rank = &standing.ranks[at];
        let open = rank.entered().into_iter().flat_map(|entered| &entered.awaits);
        let mut awaits = open.chain(rank.past.pending.values().flat_map(|request| &request.awaits));
        let Some((wanted, from, near)) = awaits.find_map(|awaits| near_miss(findings, at, awaits)) else { continue };
        let (who, sender) = (rank_in_words(&run.ranks[at]), rank_in_words(&run.ranks[from]));
        let wanted = if wanted == tag::ANY { "any tag".into() } else { format!("tag {wanted}") };
        let detail = format!(
            "{} waits for {wanted} from {sender} and {}; {sender} has sent it {near}, which no receive asks for.",
            upper(&who),
            stands(findings, at)
        );
        rows.push(ReasonRow { reason: Reason::Tag, ranks: who, detail });
    }
}

/// What a receive that nothing fits asks for, and from whom, and a message from there that no receive asks for.
fn near_miss(findings: &Findings<'_>, at: usize, awaits: &Awaited) -> Option<(i32, usize, String)> {
    let (run, standing) = (findings.run, findings.standing);
    let Awaited::Message { object: Some(object), from: Peer::Rank(from), tag: wanted } = *awaits else { return None };
    let (from, to) = (from as usize, at as u32);
    if offers(standing, from, object, to, wanted) {
        return None;
    }
    let sending = standing.ranks[from].entered().into_iter().flat_map(|entered| &entered.awaits);
    let sending = sending.filter_map(|awaits| match *awaits {
        Awaited::Delivery { object: Some(object), to: Peer::Rank(other), tag } if other == to => Some((object, tag)),
        _ => None,
    });
    let stray =
        under_way(standing, from, to).chain(sending).filter(|(on, tag)| !takes(standing, at, *on, from as u32, *tag));
    let (on, sent) = stray.min_by_key(|(on, tag)| (*on != object, *on, *tag))?;
    let on_other = if on == object { String::new() } else { format!(" on {}", communicator(findings, on)) };
    let passed = standing.ranks[from].past.passed.get(&Channel { object: on, from: from as u32, to, tag: sent });
    let by = match (passed, standing.ranks[from].entered()) {
        (Some(passed), _) => {
            let place = standing.place(passed.place);
            format!(" by {} at {}", place.function, place.site)
        }
        (None, Some(entered)) => format!(" by {}", call_in_words(run, &run.ranks[from], &entered.signature)),
        (None, None) => String::new(),
    };
    Some((wanted, from, format!("tag {sent}{on_other}{by}")))
}

/// Ranks that wait for each other.
fn circles(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let run = findings.run;
    for knot in knots(&findings.needs, &findings.stuck) {
        let has_choice = knot.iter().any(|at| findings.needs[*at].has_choice());
        let reason = if has_choice { Reason::Knot } else { Reason::Cycle };
        let how = if has_choice {
            "wait for any of each other, and for nobody else"
        } else {
            "wait for each other in a circle"
        };
        const SHOWN: usize = 4;
        let each =
            knot.iter().take(SHOWN).map(|at| format!("{} {}", rank_in_words(&run.ranks[*at]), stands(findings, *at)));
        let each: Vec<String> = each.collect();
        let more = if knot.len() > SHOWN { format!("; and {} more", knot.len() - SHOWN) } else { String::new() };
        let who = names(run, &knot);
        let detail = match knot.len() {
            1 => format!("{} waits for itself: {}.", upper(&who), each.join("; ")),
            _ => format!("{} {how}: {}{more}.", upper(&who), each.join("; ")),
        };
        rows.push(ReasonRow { reason, ranks: who, detail });
    }
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
