//! The progress engine by component: the library's parts that it calls, and the system calls it makes.

use std::collections::BTreeMap;

use traces::definitions::Interception;
use traces::progress::{Depth, INSIDE, LedgerLine, OUTSIDE};

use super::ledger::{Ledger, lines};
use crate::meaning;
use crate::totals::percent;
use crate::words::rank_in_words;
use model::{Rank, Run};
use tables::{Column, Row, Table, Value};

/// The calls of a component in all ranks. Time in seconds.
pub struct ComponentRow {
    name: String,
    way: Interception,
    line: LedgerLine,
    time: f64,
}

impl Row for ComponentRow {
    const TABLE: &'static str = "components";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("component", "component", |row: &Self| row.name.clone()).means(
                "A part of the MPI library that its progress engine calls, or the system call by which it is seen.",
            ),
            Column::count("calls", "calls", |row: &Self| row.line.calls.entries).means("How often it was called."),
            Column::count("productive_calls", "productive", |row: &Self| row.line.calls.productive)
                .means("How often it achieved something."),
            Column::percent("empty_percent", "empty %", ComponentRow::empty)
                .means("Share of its calls that achieved nothing."),
            Column::seconds("time_s", "time", |row: &Self| row.time).means("Time in it."),
            Column::seconds("call_s", "a call", ComponentRow::each).means("A call of it, on average.").each(),
            Column::by_row("events", "events", ComponentRow::events)
                .means("Its reports: completions, messages, or bytes, by the kind of component.")
                .spare(1),
            Column::count("ready_to_receive", "", |row: &Self| row.line.ready_to_receive)
                .means(meaning::READY_TO_RECEIVE),
            Column::count("ready_to_send", "", |row: &Self| row.line.ready_to_send).means(meaning::READY_TO_SEND),
        ]
    }
}

impl ComponentRow {
    fn empty(&self) -> Option<f64> {
        let calls = self.line.calls.entries;
        percent((calls - self.line.calls.productive.min(calls)) as f64, calls as f64)
    }

    fn each(&self) -> Option<f64> {
        let calls = self.line.calls.entries;
        (calls > 0).then(|| self.time / calls as f64)
    }

    /// The events in the component's unit: bytes if it moves bytes, else a count.
    fn events(&self) -> Value {
        match self.way {
            Interception::Receive | Interception::Send => Value::Bytes(self.line.events),
            Interception::Opal => Value::None,
            _ => Value::Count(self.line.events),
        }
    }
}

/// One row for each component.
pub fn components(run: &Run) -> Table<ComponentRow> {
    let mut components: BTreeMap<(Interception, &str), (LedgerLine, f64)> = BTreeMap::new();
    for rank in run.asked() {
        let inside = rank.ledger[INSIDE].calls.ticks.saturating_sub(rank.left_out.ticks);
        let entries = inside.saturating_add(rank.ledger[OUTSIDE].calls.ticks);
        for (name, way, line) in lines(rank) {
            let sum = components.entry((way, name)).or_default();
            sum.0 += *line;
            sum.1 += rank.clock.seconds(time_in(way, line.calls.ticks, entries));
        }
    }
    let row = |((way, name), (line, time)): ((Interception, &str), (LedgerLine, f64))| ComponentRow {
        name: name.into(),
        way,
        line,
        time,
    };
    let whole = if run.asked().any(Rank::is_part) { ", of the whole run" } else { "" };
    let title = format!("by component: what the engine is made of, and the system calls it makes{whole}");
    Table::new(title, components.into_iter().map(row).collect())
}

/// Ticks in a component. Those of parts of the engine are estimates from a sample of their calls, with those that end MPI: the entries
/// that count take at least as long as their parts.
fn time_in(way: Interception, ticks: u64, entries: u64) -> u64 {
    if is_of_engine(way) && entries > 0 { ticks.min(entries) } else { ticks }
}

fn is_of_engine(way: Interception) -> bool {
    !matches!(way, Interception::Ready | Interception::Receive | Interception::Send)
}

/// The components and system calls through which the engine is observed.
pub fn ways(run: &Run) -> String {
    let mut parts: Vec<(Interception, &str)> =
        run.ranks.iter().flat_map(lines).map(|(name, way, _)| (way, name)).collect();
    parts.sort();
    parts.dedup();
    let (inside, calls): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(way, _)| is_of_engine(*way));
    let names = |parts: &[(Interception, &str)]| parts.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    match (inside.is_empty(), calls.is_empty()) {
        (true, true) => "not observable here".into(),
        (true, false) => format!("observable only through system calls: {}", names(&calls)),
        (false, true) => names(&inside),
        (false, false) => format!("{}; system calls: {}", names(&inside), names(&calls)),
    }
}

/// Warns of everything about the engine that was not observed.
pub fn unseen(run: &Run) -> Vec<String> {
    let library = run.first().library.name();
    let off: Vec<&Rank> = run.ranks.iter().filter(|rank| rank.progress == Depth::Off).collect();
    if !off.is_empty() {
        let who = rank_in_words(off[0]);
        let more = if off.len() > 1 { format!(" and {} more", off.len() - 1) } else { String::new() };
        return vec![format!("{who}{more}: recorded with OVERHEAR_PROGRESS=off, so the engine was not observed")];
    }
    let total = Ledger::of_run(run);
    let seen: Vec<&str> = {
        let with_calls = |rank| lines(rank).filter(|(_, _, line)| line.calls.entries > 0).map(|(name, _, _)| name);
        let mut names: Vec<&str> = run.ranks.iter().flat_map(with_calls).collect();
        names.sort();
        names.dedup();
        names
    };
    let instead = if seen.is_empty() { "nothing".to_string() } else { seen.join(", ") };
    let mut said = Vec::new();
    let communicated = run.ranks.iter().flat_map(Rank::entries).any(|entry| entry.sent > 0);
    if total.entries == 0 {
        said.push(format!("the progress engine is not observable on {library} here; seen instead: {instead}"));
    } else if total.productive == 0 && communicated {
        said.push(format!(
            "no entry achieved anything, yet data moved: {library} moved it another way (as by shared memory inside \
             the library), which is not observable; seen instead: {instead}"
        ));
    }
    if run.ranks.iter().any(|rank| rank.progress == Depth::Count) {
        said.push("recorded with OVERHEAR_PROGRESS=count: entries are not timed".into());
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_engine_takes_no_longer_than_all_its_entries() {
        assert_eq!(time_in(Interception::Opal, 2_252, 1_490), 1_490);
        assert_eq!(time_in(Interception::Opal, 1_200, 1_490), 1_200);
        assert_eq!(time_in(Interception::Send, 2_252, 1_490), 2_252, "system calls are made outside of it, too");
    }
}
