//! Groups a run's messages and exchanges by hosts, pattern, calls and size.

use std::collections::{BTreeMap, BTreeSet};

use traces::calls::Call;

use super::points::{Between, MessagePattern, Point, Protocol};
use super::segments::{Segment, segments};
use super::weighted_median::spread;
use crate::mean::Mean;
use model::Run;
use model::batches::ValueBatch;
use model::exchanges::{ExchangeCalls, Exchanges, MessageWindows, RunExchanges, SendStreak, WindowShape, WindowSide};
use model::matching::{Account, Transfer, TransferKey};
use model::overlap::is_by_sockets;
use model::roles::CallSite;

/// The times of a run's messages and exchanges.
pub struct Network<'a> {
    run: &'a Run,
    account: &'a Account,
    /// The points by size, for each protocol.
    pub protocols: BTreeMap<Protocol, Vec<Point>>,
    /// The pieces that one line fits each, for each protocol.
    pub segments: BTreeMap<Protocol, Vec<Segment>>,
    /// Exchanges that only one of the two ranks recorded without a break.
    pub unpaired: u64,
    /// Ranks whose further exchanges were not kept.
    pub full: u64,
    /// One-way messages that took less than the error of the clocks.
    pub unresolved: u64,
    /// One-way messages of sizes for which hardly any receiver waited.
    pub early: u64,
    /// Messages and exchanges of sizes with too few of them.
    pub seldom: u64,
    /// Sizes of which nearly all exchanges have something else between their calls: how many have not, and all.
    pub parted: BTreeMap<(Protocol, u64), (u64, u64)>,
    sends: Vec<SendStreak>,
}

/// Minimum number of messages or exchanges of a size that count: the first ones do the setup for later ones.
const LEAST: u64 = 5;

/// The least share of a size's messages or exchanges that must tell a time, since fewer say nothing about the others: their receiver
/// waited, or nothing was done between their calls.
const FEW: f64 = 0.05;
/// The fewest batches of exchanges that show how the times are spread.
const MANY: usize = 6;

/// The values of one size, collected for a point.
#[derive(Default)]
struct Values {
    count: u64,
    /// With those that tell no time.
    all: u64,
    values: Vec<(f64, f64)>,
    clock_error: f64,
    /// Batches of consecutive times, with the number of messages each way that share one.
    batches: Vec<(ValueBatch<1>, f64)>,
}

impl Values {
    /// Adds exchanges, or windows of `messages` each way. `count` of them took `times`.
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
    /// Groups the run's exchanges, windows and one-way messages.
    pub fn of(run: &'a Run, found: RunExchanges, account: &'a Account) -> Network<'a> {
        let RunExchanges { exchanges, windows, sends, parted, unpaired, full } = found;
        let mut network = Network {
            run,
            account,
            protocols: BTreeMap::new(),
            segments: BTreeMap::new(),
            unpaired,
            full,
            unresolved: 0,
            early: 0,
            seldom: 0,
            parted: BTreeMap::new(),
            sends,
        };
        // The exchanges of a pair are several rows, but those with something between them are counted once.
        let mut counted = BTreeSet::new();
        let mut counted_windows = BTreeSet::new();
        let mut all: BTreeMap<(Protocol, u64), Values> = BTreeMap::new();
        for exchange in &exchanges {
            let Exchanges { ranks, is_ordered, bytes, count, time, .. } = *exchange;
            let pattern = if is_ordered { MessagePattern::Ordered } else { MessagePattern::Unordered };
            let protocol = Protocol { between: network.between(ranks), pattern, calls: of_both(exchange) };
            let values = all.entry((protocol, bytes)).or_default();
            let is_first = counted.insert((ranks, exchange.calls, bytes));
            values.all += count + if is_first { parted.like(exchange) } else { 0 };
            match exchange.times.settled() {
                times if times.len() >= MANY => values.add(count, 1.0, times),
                _ => values.add(count, 1.0, &[ValueBatch::of(count, [time.max(0) as u64])]),
            }
        }
        for found in &windows {
            let MessageWindows { ranks, shapes: (own, other), count, .. } = *found;
            let is_crossing = own.sends.bytes == own.receives.bytes && own.sends.count == own.receives.count;
            let pattern = if is_crossing { MessagePattern::CrossingWindows } else { MessagePattern::Window };
            let protocol = Protocol { between: network.between(ranks), pattern, calls: of_windows(found) };
            let values = all.entry((protocol, own.sends.bytes)).or_default();
            let is_first = counted_windows.insert((ranks, own, other));
            let windows = count + if is_first { parted.like_windows(found) } else { 0 };
            values.all = values.all.saturating_add(windows.saturating_mul(own.sends.count));
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
                let sum = all.entry((protocol, key.bytes)).or_default();
                sum.count = sum.count.saturating_add(values.len() as u64);
                sum.all = sum.all.saturating_add(transfer.messages);
                sum.clock_error = sum.clock_error.max(error);
                sum.values.extend(values);
            }
        }
        for ((protocol, bytes), found) in all {
            let mean = found.mean();
            let Values { count, all, values, clock_error, .. } = found;
            if protocol.pattern != MessagePattern::OneWay && (count as f64) < FEW * all as f64 {
                network.parted.insert((protocol, bytes), (count, all));
                continue;
            }
            let time = spread(values).filter(|time| time.median > 0.0 && count >= LEAST);
            let Some(time) = time else {
                network.seldom = network.seldom.saturating_add(count);
                continue;
            };
            let point = Point { bytes, count, all, time, mean, clock_error };
            network.protocols.entry(protocol).or_default().push(point);
        }
        let pieces = network.protocols.iter().map(|(protocol, points)| (protocol.clone(), segments(points)));
        network.segments = pieces.collect();
        network
    }

    /// The number of messages or exchanges in patterns for which `is_meant` holds.
    pub fn count(&self, is_meant: impl Fn(MessagePattern) -> bool) -> u64 {
        let meant = self.protocols.iter().filter(|(protocol, _)| is_meant(protocol.pattern));
        meant.flat_map(|(_, points)| points).map(|point| point.count).sum()
    }

    /// Received messages, by ranks, calls and size, with the site of the send.
    pub fn transfers(&self) -> impl Iterator<Item = (Between, &'a CallSite, &'a TransferKey, &'a Transfer)> {
        let with_site = |(key, transfer): (&'a TransferKey, &'a Transfer)| {
            Some((self.between(key.ranks), self.run.call_sites().get(key.calls.0.number())?, key, transfer))
        };
        self.account.transfers.by_key.iter().filter_map(with_site)
    }

    /// True if sockets carried all messages of the ranks that were asked about. `None` if that cannot be told.
    pub fn is_by_sockets(&self) -> Option<bool> {
        let told: Vec<Option<bool>> = self.run.asked().map(is_by_sockets).collect();
        match told.contains(&Some(false)) {
            true => Some(false),
            false => told.into_iter().collect::<Option<Vec<bool>>>().map(|_| true),
        }
    }

    /// Streaks of consecutive sends, each with the place of its two ranks.
    pub fn sends(&self) -> impl Iterator<Item = (Between, &SendStreak)> {
        self.sends.iter().map(|streak| (self.between((streak.rank, streak.peer)), streak))
    }

    fn between(&self, ranks: (u32, u32)) -> Between {
        let host = |rank: u32| &self.run.ranks[rank as usize].process.host;
        if host(ranks.0) == host(ranks.1) { Between::SameHost } else { Between::Hosts }
    }

    /// Names the calls of a message, if the call that received it ended with the message and nothing else.
    fn calls_of(&self, key: &TransferKey) -> Option<String> {
        let places = self.run.call_sites();
        let (send, receive) = (places.get(key.calls.0.number())?, places.get(key.calls.1.number())?);
        let ends_with_it = [Call::Recv, Call::Mrecv, Call::Wait].contains(&receive.call()?);
        ends_with_it.then(|| format!("{} to {}", short(&send.function), short(&receive.function)))
    }
}

/// A function's name without `MPI_`.
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
    let both = |WindowShape { sends, receives }| {
        if sends.count >= receives.count {
            format!("{}+{}", side(sends), side(receives))
        } else {
            format!("{}+{}", side(receives), side(sends))
        }
    };
    let (one, other) = (both(windows.shapes.0), both(windows.shapes.1));
    if one == other { one } else { format!("{one}/{other}") }
}
