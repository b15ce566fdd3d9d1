//! The figures of a ledger: name, unit, and the tables they are shown in.

use Measure::{Bytes, Count, Percent, Seconds};

use super::ledger::Ledger;
use crate::meaning;
use crate::totals::percent;
use tables::{Column, Label, Unit, Value};

pub struct LedgerFigure {
    pub label: Label,
    meaning: &'static str,
    /// True if the figure is about the engine itself. Such figures are unknown, not 0, if the engine cannot be seen;
    /// others are left out while they are 0.
    pub is_of_engine: bool,
    /// The heading in the table by rank; empty if text has no room for it.
    pub heading: &'static str,
    /// Priority for leaving the column out of that table; see [`Column::spare`].
    pub spare: u8,
    measure: Measure,
}

#[derive(Clone, Copy)]
enum Measure {
    Count(fn(&Ledger) -> u64),
    Bytes(fn(&Ledger) -> u64),
    Seconds(fn(&Ledger) -> Option<f64>),
    Percent(fn(&Ledger) -> Option<f64>),
}

/// All figures, in the order in which they are shown.
pub const FIGURES: &[LedgerFigure] = &[
    of_engine("entries", "engine called", 0, "called", Count(|l| l.entries)).means(meaning::ENTRIES),
    of_engine("productive_entries", "productive", 1, "productive", Count(|l| l.productive))
        .means(meaning::PRODUCTIVE_ENTRIES),
    of_engine("empty_entries", "empty", 1, "", Count(Ledger::empty)).means("Entries that achieved nothing."),
    of_engine("empty_percent", "empty", 1, "empty %", Percent(|l| percent(l.empty() as f64, l.entries as f64)))
        .means("Share of the entries that achieved nothing."),
    of_engine("engine_s", "time in it", 0, "time", Seconds(|l| Some(l.time))).means(meaning::ENGINE_S),
    of_engine("empty_s", "in empty entries", 1, "empty", Seconds(|l| l.empty_time))
        .means("Time in entries that achieved nothing."),
    of_sockets("ready_to_receive", "sockets ready to receive", "in ready", Count(|l| l.ready_to_receive))
        .means(meaning::READY_TO_RECEIVE)
        .spare(),
    of_sockets("ready_to_send", "sockets ready to send", "out ready", Count(|l| l.ready_to_send))
        .means(meaning::READY_TO_SEND)
        .spare(),
    of_sockets("receive_s", "time receiving from sockets", "receive", Seconds(|l| Some(l.receive_time)))
        .means("Time in system calls that receive from sockets."),
    of_sockets("send_s", "time sending to sockets", "send", Seconds(|l| Some(l.send_time)))
        .means("Time in system calls that send to sockets."),
    of_sockets("socket_received_bytes", "received from sockets", "", Bytes(|l| l.received))
        .means("Bytes received from sockets."),
    of_sockets("socket_sent_bytes", "sent to sockets", "", Bytes(|l| l.sent)).means("Bytes sent to sockets."),
    of_sockets("outside_entries", "engine called outside MPI", "", Count(|l| l.outside))
        .means("Entries outside MPI calls, as by a progress thread."),
];

const fn of_engine(
    key: &'static str,
    name: &'static str,
    depth: usize,
    heading: &'static str,
    measure: Measure,
) -> LedgerFigure {
    LedgerFigure { label: Label { key, name, depth }, meaning: "", is_of_engine: true, heading, spare: 0, measure }
}

const fn of_sockets(key: &'static str, name: &'static str, heading: &'static str, measure: Measure) -> LedgerFigure {
    LedgerFigure { is_of_engine: false, ..of_engine(key, name, 0, heading, measure) }
}

impl LedgerFigure {
    const fn means(self, meaning: &'static str) -> LedgerFigure {
        LedgerFigure { meaning, ..self }
    }

    const fn spare(self) -> LedgerFigure {
        LedgerFigure { spare: 1, ..self }
    }

    pub fn unit(&self) -> Unit {
        match self.measure {
            Count(_) => Unit::Count,
            Bytes(_) => Unit::Bytes,
            Seconds(_) => Unit::Seconds,
            Percent(_) => Unit::Percent,
        }
    }

    pub fn value(&self, ledger: &Ledger) -> Value {
        match self.measure {
            Count(figure) => Value::Count(figure(ledger)),
            Bytes(figure) => Value::Bytes(figure(ledger)),
            Seconds(figure) => figure(ledger).map_or(Value::None, Value::Seconds),
            Percent(figure) => figure(ledger).map_or(Value::None, Value::Percent),
        }
    }

    /// The figure as a number, 0 if it is unknown.
    pub fn number(&self, ledger: &Ledger) -> f64 {
        self.value(ledger).number().unwrap_or(0.0)
    }

    pub fn in_its_unit(&self, number: f64) -> Value {
        Value::in_unit(self.unit(), number)
    }

    /// The figure as a column. `ledger` returns `None` for rows in which it cannot be seen.
    pub fn column<Row: 'static>(&self, ledger: fn(&Row) -> Option<&Ledger>) -> Column<Row> {
        let (key, heading) = (self.label.key, self.heading);
        let column = match self.measure {
            Count(figure) => Column::count(key, heading, move |row| ledger(row).map(figure)),
            Bytes(figure) => Column::bytes(key, heading, move |row| ledger(row).map(figure)),
            Seconds(figure) => Column::seconds(key, heading, move |row| ledger(row).and_then(figure)),
            Percent(figure) => Column::percent(key, heading, move |row| ledger(row).and_then(figure)),
        };
        column.means(self.meaning).spare(self.spare)
    }

    /// True if a run with this total has the figure.
    pub fn is_shown(&self, total: &Ledger) -> bool {
        if self.is_of_engine { total.entries > 0 && self.value(total) != Value::None } else { self.number(total) > 0.0 }
    }
}
