//! The ledger of the progress engine: of a rank, and of a run.

use traces::definitions::Interception;
use traces::progress::{Depth, Entries, INSIDE, LedgerLine, OUTSIDE};

use model::sums::{Grow, Total};
use model::{Rank, Run};
use tables::{Fact, Value, facts};

/// Counts and times of the progress engine. Times in seconds.
#[derive(Clone, Copy, Default, Debug)]
pub struct Ledger {
    /// Entries inside MPI calls.
    pub entries: u64,
    /// Entries that achieved something.
    pub productive: u64,
    /// Time inside the entries.
    pub time: f64,
    /// Time inside entries that achieved nothing; `None` for a part of a run.
    pub empty_time: Option<f64>,
    /// Entries outside MPI calls.
    pub outside: u64,
    pub ready_to_receive: u64,
    pub ready_to_send: u64,
    /// Time in system calls that receive from sockets.
    pub receive_time: f64,
    /// Time in system calls that send to sockets.
    pub send_time: f64,
    /// Bytes received from sockets.
    pub received: u64,
    /// Bytes sent to sockets.
    pub sent: u64,
}

impl Ledger {
    pub fn of(rank: &Rank) -> Ledger {
        if rank.is_part() {
            return Ledger::of_calls(rank);
        }
        let seconds = |ticks| rank.clock.seconds(ticks);
        let inside = &rank.ledger[INSIDE];
        // Ending MPI enters the engine, too, mostly without progress: its few productive entries count with the mean time of all.
        let (calls, out) = (inside.calls, rank.left_out);
        let productive = calls.productive.saturating_sub(out.productive);
        let left = productive as f64 / calls.productive.max(1) as f64;
        let time = seconds(calls.ticks.saturating_sub(out.ticks));
        let mut ledger = Ledger {
            entries: calls.entries.saturating_sub(out.entries),
            productive,
            time,
            empty_time: Some((time - seconds(inside.events) * left).max(0.0)),
            outside: rank.ledger[OUTSIDE].calls.entries,
            ..Ledger::default()
        };
        for (way, line) in lines(rank).map(|(_, way, line)| (way, line)) {
            match way {
                Interception::Ready => {
                    ledger.ready_to_receive.grow(line.ready_to_receive);
                    ledger.ready_to_send.grow(line.ready_to_send);
                }
                Interception::Receive => {
                    ledger.receive_time += seconds(line.calls.ticks);
                    ledger.received.grow(line.events);
                }
                Interception::Send => {
                    ledger.send_time += seconds(line.calls.ticks);
                    ledger.sent.grow(line.events);
                }
                _ => {}
            }
        }
        ledger
    }

    /// The ledger of a selected part of a rank, from the records of its calls: the ledger in the file covers the whole
    /// run.
    fn of_calls(rank: &Rank) -> Ledger {
        let mut sum = Entries::default();
        for entry in rank.entries() {
            sum += entry.engine;
        }
        let time = rank.clock.seconds(sum.ticks);
        Ledger { entries: sum.entries, productive: sum.productive, time, ..Ledger::default() }
    }

    /// Entries that achieved nothing.
    pub fn empty(&self) -> u64 {
        self.entries - self.productive.min(self.entries)
    }

    pub fn of_run(run: &Run) -> Ledger {
        let none = Ledger { empty_time: Some(0.0), ..Ledger::default() };
        run.asked().map(Ledger::of).fold(none, |a, b| Ledger {
            entries: a.entries.saturating_add(b.entries),
            productive: a.productive.saturating_add(b.productive),
            time: a.time + b.time,
            empty_time: a.empty_time.zip(b.empty_time).map(|(a, b)| a + b),
            outside: a.outside.saturating_add(b.outside),
            ready_to_receive: a.ready_to_receive.saturating_add(b.ready_to_receive),
            ready_to_send: a.ready_to_send.saturating_add(b.ready_to_send),
            receive_time: a.receive_time + b.receive_time,
            send_time: a.send_time + b.send_time,
            received: a.received.saturating_add(b.received),
            sent: a.sent.saturating_add(b.sent),
        })
    }
}

/// The lines of a rank's ledger that belong to a component.
pub fn lines(rank: &Rank) -> impl Iterator<Item = (&str, Interception, &LedgerLine)> {
    let line = |number: u32| rank.ledger.get(number as usize);
    rank.components.iter().filter_map(move |part| Some((part.name.as_str(), part.way, line(part.number)?)))
}

facts! {
    PER_PRODUCTIVE = "entries_per_productive_entry", Ratio, sometimes,
        "How often the progress engine was entered for each time it achieved something.";
    PER_MEBIBYTE = "entries_per_mebibyte", Ratio, sometimes, "How often it was entered for each MiB that was moved.";
    EMPTY_TIME = "empty_time_s", Seconds, sometimes,
        "Time in entries into the progress engine that achieved nothing, all ranks.";
}

/// Shows whether the engine was entered too often: entries per productive entry and per MiB, and the time of empty
/// ones.
pub fn too_often(run: &Run) -> Vec<Fact> {
    let total = Ledger::of_run(run);
    if total.entries == 0 {
        return Vec::new();
    }
    let entries = || run.asked().flat_map(Rank::entries);
    let sent = entries().map(|entry| entry.sent).total();
    let received = entries().map(|entry| entry.received).total();
    let mebibytes = sent.max(received) as f64 / f64::from(1 << 20);
    let each = |part: f64| if part > 0.0 { Value::Ratio(total.entries as f64 / part) } else { Value::None };
    let in_mpi: f64 = run.asked().map(Rank::time_in_mpi).sum();
    let mut facts = vec![
        Fact::new(PER_PRODUCTIVE, "entries", each(total.productive as f64)).note(" per productive entry"),
        Fact::hidden(PER_MEBIBYTE, each(mebibytes)),
    ];
    if mebibytes > 0.0 {
        let note = format!(", {} per MiB moved", each(mebibytes));
        facts[0].note.push(Value::Text(note));
    }
    let timed = run.asked().all(|rank| rank.progress >= Depth::Time);
    if let Some(empty_time) = total.empty_time.filter(|_| timed) {
        // Time in MPI leaves out the call that a killed rank was in; the ledger includes it.
        let share = empty_time / in_mpi;
        let share = if share <= 1.0 { format!(", {:.1} % of all time in MPI", 100.0 * share) } else { String::new() };
        facts
            .push(Fact::new(EMPTY_TIME, "empty", Value::Seconds(empty_time)).note(format!(" in empty entries{share}")));
    }
    facts
}
