//! The figures of a ledger: what each is called, what it is counted in, and where it is shown.

use super::ledger::Ledger;
use crate::meaning;
use crate::totals::percent;
use tables::{Column, Label, Unit, Value};

/// A figure of the ledger.
pub struct LedgerFigure {
    /// Its name.
    pub label: Label,
    /// A sentence on what it says.
    meaning: &'static str,
    /// Of the engine itself: where that cannot be seen it is unknown, and not 0. Others are left out where they are 0.
    pub is_of_engine: bool,
    /// Its heading where ranks stand below each other; empty where text has no room for it.
    pub heading: &'static str,
    /// Whether text may leave it out there.
    pub spare: u8,
    measure: Measure,
}

/// Which figure, and its unit.
#[derive(Clone, Copy)]
enum Measure {
    Count(fn(&Ledger) -> u64),
    Bytes(fn(&Ledger) -> u64),
    Seconds(fn(&Ledger) -> Option<f64>),
    Percent(fn(&Ledger) -> Option<f64>),
}

use Measure::{Bytes, Count, Percent, Seconds};

/// All figures, in the order to be shown.
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
    of_sockets("receive_s", "time receiving from them", "receive", Seconds(|l| Some(l.receive_time)))
        .means("Time in system calls that receive from sockets."),
    of_sockets("send_s", "time sending to them", "send", Seconds(|l| Some(l.send_time)))
        .means("Time in system calls that send to sockets."),
    of_sockets("socket_received_bytes", "received from them", "", Bytes(|l| l.received))
        .means("Bytes received from sockets."),
    of_sockets("socket_sent_bytes", "sent to them", "", Bytes(|l| l.sent)).means("Bytes sent to sockets."),
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

    /// What it is counted in.
    pub fn unit(&self) -> Unit {
        match self.measure {
            Count(_) => Unit::Count,
            Bytes(_) => Unit::Bytes,
            Seconds(_) => Unit::Seconds,
            Percent(_) => Unit::Percent,
        }
    }

    /// The figure of a ledger.
    pub fn value(&self, ledger: &Ledger) -> Value {
        match self.measure {
            Count(of) => Value::Count(of(ledger)),
            Bytes(of) => Value::Bytes(of(ledger)),
            Seconds(of) => of(ledger).map_or(Value::None, Value::Seconds),
            Percent(of) => of(ledger).map_or(Value::None, Value::Percent),
        }
    }

    /// The same as a number, 0 where it is unknown.
    pub fn number(&self, ledger: &Ledger) -> f64 {
        self.value(ledger).number().unwrap_or(0.0)
    }

    /// A number in the figure's unit.
    pub fn in_its_unit(&self, number: f64) -> Value {
        Value::in_unit(self.unit(), number)
    }

    /// A column of it; a row may have no ledger to see it in.
    pub fn column<Row: 'static>(&self, ledger: fn(&Row) -> Option<&Ledger>) -> Column<Row> {
        let (key, heading) = (self.label.key, self.heading);
        let column = match self.measure {
            Count(of) => Column::count(key, heading, move |row| ledger(row).map(of)),
            Bytes(of) => Column::bytes(key, heading, move |row| ledger(row).map(of)),
            Seconds(of) => Column::seconds(key, heading, move |row| ledger(row).and_then(of)),
            Percent(of) => Column::percent(key, heading, move |row| ledger(row).and_then(of)),
        };
        column.means(self.meaning).spare(self.spare)
    }

    /// Whether it says something of a run.
    pub fn is_shown(&self, total: &Ledger) -> bool {
        match self.is_of_engine {
            true => total.entries > 0 && self.value(total) != Value::None,
            false => self.number(total) > 0.0,
        }
    }
}
