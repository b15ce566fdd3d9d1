//! The ledger of the progress engine: of a rank, and of a run.

use traces::definitions::Interception;
use traces::progress::{Entries, INSIDE, LedgerLine, OUTSIDE};

use model::sums::Grow;
use model::{Rank, Run};

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
    /// Descriptors ready to receive.
    pub ready_to_receive: u64,
    /// Descriptors ready to send.
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
    /// The ledger of a rank.
    pub fn of(rank: &Rank) -> Ledger {
        if rank.is_part() {
            return Ledger::of_calls(rank);
        }
        let seconds = |ticks| rank.clock.seconds(ticks);
        let inside = &rank.ledger[INSIDE];
        // Ending MPI enters the engine, too, and mostly in vain: its few productive entries count with the mean time of all.
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

    /// The sum over the selected ranks.
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
