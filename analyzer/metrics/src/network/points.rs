//! Times by size, of messages and exchanges that have ranks, pattern and calls in common.

use std::collections::BTreeMap;

use traces::calls::Call;

use super::spread::{Spread, spread};
use crate::mean::Mean;
use model::Run;
use model::batches::ValueBatch;
use model::exchanges::{ExchangeCalls, Exchanges, MessageWindows, RunExchanges, SendStreak, WindowShape, WindowSide};
use model::matching::{Account, Transfer, TransferKey};

/// Where two ranks run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Between {
    /// On one host.
    SameHost,
    /// On two.
    Hosts,
}

/// How messages follow each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MessagePattern {
    /// One way, to a receiver that waits.
    OneWay,
    /// There and back.
    Ordered,
    /// Both ways at once.
    Unordered,
    /// Several one way, answered by one.
    Window,
    /// Several both ways at once.
    CrossingWindows,
}

impl MessagePattern {
    /// Messages whose bytes count in a time: those of an exchange both ways together.
    pub fn messages(self) -> f64 {
        match self {
            MessagePattern::OneWay | MessagePattern::Window => 1.0,
            MessagePattern::Ordered | MessagePattern::Unordered | MessagePattern::CrossingWindows => 2.0,
        }
    }

    /// Whether its messages are exchanges.
    pub fn is_exchange(self) -> bool {
        matches!(self, MessagePattern::Ordered | MessagePattern::Unordered)
    }

    /// Whether its messages hide each other's latency.
    pub fn has_windows(self) -> bool {
        matches!(self, MessagePattern::Window | MessagePattern::CrossingWindows)
    }
}

/// What messages have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Protocol {
    /// Where the ranks run.
    pub between: Between,
    /// How the messages follow each other.
    pub pattern: MessagePattern,
    /// What the ranks call: the one that sends first, then the other where that calls something else.
    pub calls: String,
}

/// Messages of one size. Times in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// Bytes of each message.
    pub bytes: u64,
    /// Messages, or exchanges.
    pub count: u64,
    /// Of one of them; of windows, of one message each way.
    pub time: Spread,
    /// The same in the mean, without the first, where those came one behind the other.
    pub mean: Option<Mean>,
    /// By how much clocks may be off.
    pub clock_error: f64,
}

/// All that is known of the network.
pub struct Network<'a> {
    run: &'a Run,
    account: &'a Account,
    /// By protocol, the points by size.
    pub protocols: BTreeMap<Protocol, Vec<Point>>,
    /// Exchanges of which only one rank tells.
    pub unpaired: u64,
    /// Ranks of which no more could be kept.
    pub full: u64,
    /// One-way messages that took less than what the clocks may be off.
    pub unresolved: u64,
    /// One-way messages of sizes that hardly any of found its receiver waiting.
    pub early: u64,
    /// Messages and exchanges of sizes that there are too few of.
    pub seldom: u64,
    sends: Vec<SendStreak>,
}

/// So many messages or exchanges of a size say what it takes: the first ones set up what later ones find.
const LEAST: u64 = 5;

/// Of so many messages of a size that were received, one found its receiver waiting: else those say nothing of the others.
const FEW: f64 = 0.05;
/// Batches of exchanges that tell how they are spread.
const MANY: usize = 6;

/// Values of one size, on the way to a point.
#[derive(Default)]
struct Values {
    count: u64,
    values: Vec<(f64, f64)>,
    clock_error: f64,
    /// Of times that followed each other, with the messages each way that share one.
    batches: Vec<(ValueBatch<1>, f64)>,
}

impl Values {
    /// Adds exchanges or windows of so many messages each way, of which `count` took `times`.
    fn add(&mut self, count: u64, messages: f64, times: &[ValueBatch<1>]) {
        let share = |batch: &ValueBatch<1>| batch.mean(0) / 1e9 / messages;
        self.count = self.count.saturating_add(count);
        self.values.extend(times.iter().map(|batch| (share(batch), batch.count as f64)));
        self.batches.extend(times.iter().map(|batch| (*batch, messages)));
    }

    fn mean(&self) -> Option<Mean> {
        let messages = self.batches.first()?.1;
        let batches: Vec<ValueBatch<1>> = self.batches.iter().map(|(batch, _)| *batch).collect();
        Mean::of([&batches[..]], |batch| batch.mean(0) / 1e9 / messages)
    }
}

impl<'a> Network<'a> {
    /// From what ranks exchanged, and what messages took.
    pub fn of(run: &'a Run, found: RunExchanges, account: &'a Account) -> Network<'a> {
        let RunExchanges { exchanges, windows, sends, unpaired, full } = found;
        let protocols = BTreeMap::new();
        let mut network =
            Network { run, account, protocols, unpaired, full, unresolved: 0, early: 0, seldom: 0, sends };
        let mut all: BTreeMap<(Protocol, u64), Values> = BTreeMap::new();
        for exchange in &exchanges {
            let Exchanges { ranks, is_ordered, bytes, count, time, .. } = *exchange;
            let pattern = if is_ordered { MessagePattern::Ordered } else { MessagePattern::Unordered };
            let protocol = Protocol { between: network.between(ranks), pattern, calls: of_both(exchange) };
            let values = all.entry((protocol, bytes)).or_default();
            match exchange.times.settled() {
                times if times.len() >= MANY => values.add(count, 1.0, times),
                _ => values.add(count, 1.0, &[ValueBatch::of(count, [time.max(0) as u64])]),
            }
        }
        for found in &windows {
            let MessageWindows { ranks, shapes: (own, _), count, .. } = *found;
            let is_crossing = own.sends.bytes == own.receives.bytes && own.sends.count == own.receives.count;
            let pattern = if is_crossing { MessagePattern::CrossingWindows } else { MessagePattern::Window };
            let protocol = Protocol { between: network.between(ranks), pattern, calls: of_windows(found) };
            let values = all.entry((protocol, own.sends.bytes)).or_default();
            values.add(count.saturating_mul(own.sends.count), own.sends.count as f64, found.times.settled());
        }
        for (key, transfer) in &account.transfers.by_key {
            let Some(calls) = network.calls_of(key) else { continue };
            let protocol = Protocol { between: network.between(key.ranks), pattern: MessagePattern::OneWay, calls };
            let error = transfer.error as f64 / 1e9;
            let ways: Vec<f64> = transfer.ways.values().map(|way| *way as f64 / 1e9).collect();
            let resolved = ways.iter().filter(|way| **way > error);
            let values: Vec<(f64, f64)> = resolved.map(|way| (*way, 1.0)).collect();
            network.unresolved += (ways.len() - values.len()) as u64;
            if (transfer.ways.count() as f64) < FEW * transfer.messages as f64 {
                network.early = network.early.saturating_add(values.len() as u64);
            } else if !values.is_empty() {
                let of = all.entry((protocol, key.bytes)).or_default();
                of.count = of.count.saturating_add(values.len() as u64);
                of.clock_error = of.clock_error.max(error);
                of.values.extend(values);
            }
        }
        for ((protocol, bytes), found) in all {
            let mean = found.mean();
            let Values { count, values, clock_error, .. } = found;
            let time = spread(values).filter(|time| time.median > 0.0 && count >= LEAST);
            let Some(time) = time else {
                network.seldom = network.seldom.saturating_add(count);
                continue;
            };
            let point = Point { bytes, count, time, mean, clock_error };
            network.protocols.entry(protocol).or_default().push(point);
        }
        network
    }

    /// Messages or exchanges of a pattern.
    pub fn count(&self, is_meant: impl Fn(MessagePattern) -> bool) -> u64 {
        let meant = self.protocols.iter().filter(|(protocol, _)| is_meant(protocol.pattern));
        meant.flat_map(|(_, points)| points).map(|point| point.count).sum()
    }

    /// Messages that were received, by ranks, calls and size.
    pub fn transfers(&self) -> impl Iterator<Item = (Between, String, &'a TransferKey, &'a Transfer)> {
        let function = |key: &TransferKey| self.account.places.get(key.calls.0.number()).map(|place| &place.function);
        let of = move |(key, transfer): (&'a TransferKey, &'a Transfer)| {
            Some((self.between(key.ranks), short(function(key)?), key, transfer))
        };
        self.account.transfers.by_key.iter().filter_map(of)
    }

    /// Sends in a row.
    pub fn sends(&self) -> impl Iterator<Item = (Between, &SendStreak)> {
        self.sends.iter().map(|streak| (self.between((streak.rank, streak.peer)), streak))
    }

    fn between(&self, ranks: (u32, u32)) -> Between {
        let host = |rank: u32| &self.run.ranks[rank as usize].process.host;
        if host(ranks.0) == host(ranks.1) { Between::SameHost } else { Between::Hosts }
    }

    /// Of a message whose receive ended with it, and with nothing else.
    fn calls_of(&self, key: &TransferKey) -> Option<String> {
        let function = |place: usize| self.account.places.get(place).map(|place| short(&place.function));
        let (send, receive) = (function(key.calls.0.number())?, function(key.calls.1.number())?);
        let ends_with_it = ["Recv", "Mrecv", "Wait", "Recv_c", "Mrecv_c"].contains(&receive.as_str());
        ends_with_it.then(|| format!("{send} to {receive}"))
    }
}

/// A function without what all begin with.
fn short(function: &str) -> String {
    function.strip_prefix("MPI_").unwrap_or(function).to_string()
}

fn of_both(exchange: &Exchanges) -> String {
    let (one, other) = (of_one(exchange.calls.0), of_one(exchange.calls.1));
    if one == other { one } else { format!("{one}/{other}") }
}

fn of_one(calls: ExchangeCalls) -> String {
    let name = |number| Call::from_number(number).map_or("?".into(), |call| short(&call.mpi_name()));
    match (calls.send == calls.receive, calls.receives_first) {
        (true, _) => name(calls.send),
        (_, true) => format!("{}+{}", name(calls.receive), name(calls.send)),
        (_, false) => format!("{}+{}", name(calls.send), name(calls.receive)),
    }
}

fn of_windows(windows: &MessageWindows) -> String {
    let side = |side: WindowSide| {
        let name = Call::from_number(side.function).map_or("?".into(), |call| short(&call.mpi_name()));
        if side.count == 1 { name } else { format!("{} {name}", side.count) }
    };
    let of = |WindowShape { sends, receives }| match sends.count >= receives.count {
        true => format!("{}+{}", side(sends), side(receives)),
        false => format!("{}+{}", side(receives), side(sends)),
    };
    let (one, other) = (of(windows.shapes.0), of(windows.shapes.1));
    if one == other { one } else { format!("{one}/{other}") }
}
