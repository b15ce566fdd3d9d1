//! The progress engine by component: the library's parts that it calls, and the system calls it makes.

use std::collections::BTreeMap;

use traces::definitions::Interception;
use traces::progress::LedgerLine;

use super::ledger::lines;
use crate::meaning;
use crate::totals::percent;
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
            Column::seconds("call_s", "a call", ComponentRow::each).means("A call of it in the mean.").each(),
            Column::by_row("events", "events", ComponentRow::events)
                .means("What it reported: completions, messages, or bytes, by the kind of component.")
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
        for (name, way, line) in lines(rank) {
            let sum = components.entry((way, name)).or_default();
            sum.0 += *line;
            sum.1 += rank.clock.seconds(line.calls.ticks);
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
