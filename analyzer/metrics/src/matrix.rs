//! The communication matrix: traffic by sender and receiver, from point-to-point messages, one-sided transfers and collective calls.
//!
//! Bytes go from the rank that has them to the one that gets them: for MPI_Get, from target to origin. Messages count
//! where they are sent. A persistent call counts each time it is started.

use std::collections::{BTreeMap, BTreeSet};

use traces::calls::{ArgumentKind, Call};
use traces::signature::{NESTED, Signature};

use super::collective_parts::CollectivePart;
use super::shares::{Share, share};
use super::totals::world_rank;
use super::words::plural;
use crate::meaning;
use model::error::Error;
use model::objects::Objects;
use model::tally::CallTotal;
use model::{Rank, Run};
use tables::number::whole;
use tables::part::Addend::{Bytes, Messages};
use tables::part::{PartName, PartRows, PartTable, added};
use tables::{Column, Fact, Named, Row, Table, Value, WorldRank, facts};

/// Maximum number of pairs shown to people.
const PAIRS: usize = 20;

/// The traffic from one rank to another.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traffic {
    /// Messages, or one-sided transfers.
    pub messages: u64,
    /// Bytes of these messages and transfers.
    pub bytes: u64,
    /// Bytes of collective calls.
    pub collective: u64,
}

/// The part of the traffic that a matrix is restricted to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrafficKind {
    /// Point-to-point messages and one-sided transfers.
    Messages,
    /// Collective calls.
    Collectives,
}

impl Named for TrafficKind {
    const NAMES: &'static [(&'static str, &'static str, TrafficKind)] = &[
        ("messages", "Point-to-point messages and one-sided transfers", TrafficKind::Messages),
        ("collectives", "Collective calls", TrafficKind::Collectives),
    ];
}

/// Traffic by sender and receiver, and the traffic that has no known pair.
#[derive(Default)]
pub struct Matrix {
    /// All ranks, of all worlds, that have a file or took part in traffic, in order.
    pub ranks: Vec<WorldRank>,
    /// Traffic by sender and receiver, each as an index into `ranks`.
    pub traffic: BTreeMap<(u32, u32), Traffic>,
    /// Messages in communicators whose members are unknown, or for which only totals were kept.
    pub elsewhere: Traffic,
    /// Bytes of collective calls that are split evenly among the processes, since the parts are unknown.
    pub spread: u64,
    /// Bytes of collective calls that belong to no pair of ranks, or to ranks that are unknown.
    pub nowhere: u64,
    /// Bytes of collective calls from each rank to each, if there are too many ranks to list their pairs.
    pub wide: u64,
}

/// Adds up the traffic of a run: all of it, one kind, or the traffic of the communicators with this name. Fails if no rank has
/// a communicator of that name.
pub fn matrix(run: &Run, communicator: Option<&str>, only: Option<TrafficKind>) -> Result<Matrix, Error> {
    if let Some(name) = communicator {
        let communicators = run.ranks.iter().flat_map(|rank| rank.communicators.values());
        let names: BTreeSet<String> = communicators.map(|communicator| communicator.name.clone()).collect();
        if !names.contains(name) {
            let names = names.into_iter().filter(|name| !name.is_empty()).collect();
            return Err(Error::no_communicator(&run.folder, name, names));
        }
    }
    let (objects, worlds) = (Objects::of(run), run.worlds());
    let mut sums = RankTraffic::default();
    for at in 0..run.ranks.len() {
        let of_rank = RankTraffic::of(run, &objects, &worlds, at, communicator, only);
        sums.merge(of_rank, world_rank(&run.ranks[at]), |number| {
            let group = &objects.groups[number as usize];
            (group.size() as u32, group.here().map(|place| world_rank(&run.ranks[place as usize])))
        });
    }
    if sums.traffic.is_empty() && sums.elsewhere.messages > 0 {
        // A profile keeps no partners, so its messages have no pairs.
        run.needs_calls("matrix")?;
    }
    let of_files = run.ranks.iter().map(world_rank).filter(|rank| rank.number.is_some());
    let ranks: BTreeSet<WorldRank> = of_files.chain(sums.traffic.keys().flat_map(|(from, to)| [*from, *to])).collect();
    let places: BTreeMap<WorldRank, u32> = ranks.iter().copied().zip(0..).collect();
    let traffic = sums.traffic.iter().map(|((from, to), traffic)| ((places[from], places[to]), *traffic)).collect();
    let RankTraffic { elsewhere, spread, nowhere, wide, .. } = sums;
    Ok(Matrix { ranks: ranks.into_iter().collect(), traffic, elsewhere, spread, nowhere, wide })
}

/// The traffic shown by the calls of one rank.
#[derive(Default)]
pub struct RankTraffic {
    pub traffic: BTreeMap<(WorldRank, WorldRank), Traffic>,
    /// Bytes that the rank hands to each other process of a communicator, by the run's number for it.
    pub to_each: BTreeMap<u32, u64>,
    /// Same as the fields of [`Matrix`].
    pub elsewhere: Traffic,
    pub spread: u64,
    pub nowhere: u64,
    pub wide: u64,
}

/// Maximum number of processes of a call from each to each whose pairs are listed; more would be millions of pairs.
const MOST_EACH: u32 = 2048;

fn is_named(rank: &Rank, signature: &Signature, name: &str) -> bool {
    rank.communicators.get(&signature.object).is_some_and(|communicator| communicator.name == name)
}

impl RankTraffic {
    /// `worlds`: sizes of the worlds; `at`: the rank's place in the run.
    pub fn of(
        run: &Run,
        objects: &Objects,
        worlds: &BTreeMap<u32, u32>,
        at: usize,
        communicator: Option<&str>,
        only: Option<TrafficKind>,
    ) -> RankTraffic {
        let rank = &run.ranks[at];
        let wanted = |entry: &&CallTotal| communicator.is_none_or(|name| is_named(rank, &entry.signature, name));
        let elsewhere = |communicator, place| {
            let group = &objects.groups[objects.number(at, communicator)? as usize];
            Some(world_rank(&run.ranks[group.peer(at, place)? as usize]))
        };
        let is_rank = |rank: &WorldRank| {
            rank.number.is_some_and(|number| worlds.get(&rank.world).is_some_and(|size| number < *size))
        };
        let mut sums = RankTraffic::default();
        if only != Some(TrafficKind::Collectives) {
            for entry in rank.entries().filter(wanted) {
                sums.add(rank, entry, elsewhere, is_rank);
            }
        }
        if only != Some(TrafficKind::Messages) {
            for entry in rank.entries().filter(wanted) {
                sums.add_collective(run, objects, at, entry);
            }
        }
        sums
    }

    /// Adds another rank's traffic, and by pairs what it hands to each process of a communicator that is not too large. `processes`
    /// returns the size of a communicator and its members.
    fn merge<Others: Iterator<Item = WorldRank>>(
        &mut self,
        other: RankTraffic,
        own: WorldRank,
        processes: impl Fn(u32) -> (u32, Others),
    ) {
        for (pair, traffic) in other.traffic {
            self.traffic.entry(pair).or_default().add(traffic);
        }
        for (number, collective) in other.to_each {
            let (size, processes) = processes(number);
            if size > MOST_EACH {
                self.wide = self.wide.saturating_add(collective.saturating_mul(u64::from(size - 1)));
                continue;
            }
            for to in processes.filter(|to| *to != own) {
                let more = Traffic { collective, ..Traffic::default() };
                self.traffic.entry((own, to)).or_default().add(more);
            }
        }
        self.elsewhere.add(other.elsewhere);
        self.spread = self.spread.saturating_add(other.spread);
        self.nowhere = self.nowhere.saturating_add(other.nowhere);
        self.wide = self.wide.saturating_add(other.wide);
    }

    /// Adds calls of a rank. `elsewhere` finds a process of a communicator that belongs to another world.
    fn add(
        &mut self,
        rank: &Rank,
        entry: &CallTotal,
        elsewhere: impl Fn(u32, i32) -> Option<WorldRank>,
        is_rank: impl Fn(&WorldRank) -> bool,
    ) {
        let signature = &entry.signature;
        let Some(call) = Call::from_number(signature.call) else { return };
        let reads = call.class() == traces::calls::Class::Rma && signature.sent == 0;
        if !call.has(ArgumentKind::Dest) && !call.has(ArgumentKind::Target) {
            return;
        }
        let messages = entry.transfers();
        let each = if reads { signature.moves().1 } else { signature.moves().0 };
        // One-sided calls name ranks of the communicator that the window was made from.
        let of_window = rank.origins.get(&signature.object).filter(|_| call.has(ArgumentKind::Target));
        let communicator = of_window.map_or(signature.object, |origin| origin.parent);
        let in_own = rank
            .in_world(communicator, signature.peer)
            .map(|there| WorldRank { world: rank.header.world, number: Some(there) });
        let there = in_own.or_else(|| elsewhere(communicator, signature.peer));
        let more = Traffic { messages, bytes: each.saturating_mul(messages), collective: 0 };
        if signature.peer == traces::signature::peer::PROC_NULL || messages == 0 {
            return;
        }
        match (Some(world_rank(rank)).filter(&is_rank), there.filter(&is_rank)) {
            (Some(own), Some(other)) if reads => self.traffic.entry((other, own)).or_default().add(more),
            (Some(own), Some(other)) => self.traffic.entry((own, other)).or_default().add(more),
            _ => self.elsewhere.add(more),
        }
    }

    /// Adds a rank's part in collective calls.
    fn add_collective(&mut self, run: &Run, objects: &Objects, at: usize, entry: &CallTotal) {
        let (rank, signature, times) = (&run.ranks[at], &entry.signature, entry.transfers());
        let Some(communicator) = rank.communicators.get(&signature.object).filter(|_| signature.flags & NESTED == 0)
        else {
            return;
        };
        let Some(call) = Call::from_number(signature.call) else { return };
        let Some(share) = share(call, signature, communicator.size.into()) else { return };
        // Between two groups, the file does not say which process gets which bytes, except to or from a root.
        let is_rooted = matches!(share, Share::ToRoot(_) | Share::FromRoot(_));
        let number = objects.number(at, signature.object).filter(|_| !communicator.inter || is_rooted);
        let Some(number) = number else {
            return self.nowhere = self.nowhere.saturating_add(signature.moves().0.saturating_mul(times));
        };
        let part = CollectivePart { run, objects, at, signature, times, size: communicator.size, number };
        let (own, root) = (Some(world_rank(rank)), part.peer(signature.peer));
        match share {
            Share::ToRoot(sent) => self.give(own, root, sent.saturating_mul(times)),
            Share::FromRoot(received) => self.give(root, own, received.saturating_mul(times)),
            Share::ToEach(each) => self.give_each(number, each.saturating_mul(times)),
            Share::ToNeighbors(each) => self.give_neighbors(&part, std::iter::repeat(each)),
            Share::ToAll(sent) => self.give_all(&part, sent),
            Share::ToAllNeighbors(sent) => {
                let neighbors = part.neighbors().len();
                let parts = part.parts(neighbors).unwrap_or_else(|| {
                    if !call.has(ArgumentKind::NeighborSendEach) {
                        self.spread = self.spread.saturating_add(sent.saturating_mul(times));
                    }
                    vec![sent / (neighbors as u64).max(1); neighbors]
                });
                self.give_neighbors(&part, parts.into_iter());
            }
            Share::Nowhere(sent) => self.nowhere = self.nowhere.saturating_add(sent.saturating_mul(times)),
        }
    }

    /// Adds bytes that each neighbor gets by each call.
    fn give_neighbors(&mut self, part: &CollectivePart, bytes: impl Iterator<Item = u64>) {
        for (to, bytes) in part.neighbors().iter().zip(bytes) {
            self.give(part.own(), to.map(|to| part.rank(to)), bytes.saturating_mul(part.times));
        }
    }

    /// Adds bytes that all processes together get by each call, in parts if these are known.
    fn give_all(&mut self, part: &CollectivePart, sent: u64) {
        let even = sent / u64::from(part.size.max(1));
        if part.size > MOST_EACH {
            let others = sent.saturating_sub(part.to_itself().unwrap_or(even));
            self.wide = self.wide.saturating_add(others.saturating_mul(part.times));
        } else if let Some(parts) = part.parts(part.size as usize) {
            for (to, bytes) in (0..).zip(parts) {
                self.give(part.own(), part.peer(to), bytes.saturating_mul(part.times));
            }
        } else {
            self.give_each(part.number, even.saturating_mul(part.times));
            self.spread = self.spread.saturating_add(sent.saturating_mul(part.times));
        }
    }

    /// Adds bytes that one rank hands to another, if both are known.
    fn give(&mut self, from: Option<WorldRank>, to: Option<WorldRank>, collective: u64) {
        if let Some(pair) = from.zip(to).filter(|(from, to)| from != to && collective > 0) {
            self.traffic.entry(pair).or_default().add(Traffic { collective, ..Traffic::default() });
        }
    }

    fn give_each(&mut self, number: u32, bytes: u64) {
        if bytes > 0 {
            let sum = self.to_each.entry(number).or_default();
            *sum = sum.saturating_add(bytes);
        }
    }
}

facts! {
    MESSAGES = "messages", Count, always, meaning::MESSAGES;
    BYTES = "message_bytes", Bytes, always, "Bytes of messages and one-sided transfers.";
    COLLECTIVE = "collective_bytes", Bytes, always,
        "Bytes that collective calls hand over, by the definition of the operation.";
}

/// Columns for the sender and the receiver of a row.
pub fn sender_and_receiver<R: 'static>(ranks: fn(&R) -> (WorldRank, WorldRank)) -> [Column<R>; 2] {
    [
        Column::rank("from_rank", "from", move |row: &R| ranks(row).0)
            .means(meaning::FROM_RANK)
            .in_part(PartName::Sender),
        Column::rank("to_rank", "to", move |row: &R| ranks(row).1).means(meaning::TO_RANK).in_part(PartName::Receiver),
    ]
}

pub struct TrafficRow {
    from: WorldRank,
    to: WorldRank,
    traffic: Traffic,
}

impl Row for TrafficRow {
    const TABLE: &'static str = "pairs";
    fn columns() -> Vec<Column<Self>> {
        let [from, to] = sender_and_receiver(|row: &Self| (row.from, row.to));
        vec![
            from,
            to,
            Column::count("messages", "messages", |row: &Self| row.traffic.messages)
                .means("Messages that were received; in `matrix`, that were sent.")
                .in_part(Messages),
            Column::bytes("bytes", "bytes", |row: &Self| row.traffic.bytes)
                .means("Bytes of messages and one-sided transfers.")
                .in_part(Bytes),
            Column::bytes("message_mean_bytes", "mean", |row: &Self| {
                row.traffic.bytes.checked_div(row.traffic.messages)
            })
            .means("A message, on average.")
            .in_part(added(Bytes).over(Messages)),
            Column::bytes("collective_bytes", "collectives", |row: &Self| row.traffic.collective)
                .means("Bytes that collective calls hand over, by the definition of the operation."),
            Column::bytes("total_bytes", "total", |row: &Self| row.traffic.total())
                .means("Bytes of messages and of collective calls together."),
        ]
    }
}

/// The bytes from one rank to each rank.
pub struct SquareRow {
    from: WorldRank,
    bytes: Vec<Option<u64>>,
}

/// Maximum number of ranks whose square of bytes fits into 80 columns.
const SQUARE: usize = 6;

impl Matrix {
    /// The traffic of all pairs together.
    pub fn total(&self) -> Traffic {
        let mut total = Traffic::default();
        for traffic in self.traffic.values() {
            total.add(*traffic);
        }
        total
    }

    /// Messages and bytes of the whole matrix.
    pub fn facts(&self) -> Vec<Fact> {
        let mut total = self.total();
        total.collective = total.collective.saturating_add(self.wide);
        let pairs = self.traffic.values().filter(|traffic| traffic.messages > 0).count();
        vec![
            Fact::new(MESSAGES, "messages", Value::Count(total.messages))
                .note(format!(" between {} of ranks", plural(pairs as u64, "pair"))),
            Fact::new(BYTES, "bytes", Value::Bytes(total.bytes))
                .note(" of messages, ")
                .figure(Value::Bytes(total.collective))
                .note(" of collective calls"),
            Fact::hidden(COLLECTIVE, Value::Bytes(total.collective)),
        ]
    }

    /// Warns of the traffic that the pairs leave out or only estimate.
    pub fn warnings(&self) -> Vec<String> {
        let Traffic { messages, bytes, .. } = self.elsewhere;
        let mut said = Vec::new();
        if messages > 0 {
            said.push(format!(
                "{} ({}) went to processes unknown here",
                plural(messages, "message"),
                Value::Bytes(bytes)
            ));
        }
        if self.spread > 0 {
            said.push(format!(
                "{} of MPI_Alltoallv and the like are split evenly: how much each process got is not recorded",
                Value::Bytes(self.spread)
            ));
        }
        if self.wide > 0 {
            said.push(format!(
                "{} of collective calls from each to each of more than {} ranks are in no pair",
                Value::Bytes(self.wide),
                whole(u64::from(MOST_EACH))
            ));
        }
        if self.nowhere > 0 {
            said.push(format!(
                "{} of reductions to all ranks, of scans, and of calls between two groups without a root have no pairs",
                Value::Bytes(self.nowhere)
            ));
        }
        said
    }

    /// One row for each pair, the one with the most bytes first.
    pub fn pairs(&self) -> Table<TrafficRow> {
        let mut pairs: Vec<_> = self.traffic.iter().collect();
        pairs.sort_by_key(|(place, traffic)| {
            (std::cmp::Reverse(traffic.total()), std::cmp::Reverse(traffic.messages), **place)
        });
        let row = |((from, to), traffic): (&(u32, u32), &Traffic)| TrafficRow {
            from: self.ranks[*from as usize],
            to: self.ranks[*to as usize],
            traffic: *traffic,
        };
        let part = PartTable::new(PartRows::Messages, &["bytes", "messages", "from_rank", "to_rank"]);
        Table::new("from rank to rank", pairs.into_iter().map(row).collect())
            .most(PAIRS)
            .in_part(part.left_out("what collective calls hand over is known of the whole run alone"))
    }

    /// The bytes as a square, for people, if all ranks fit side by side.
    pub fn square(&self) -> Option<Table<SquareRow>> {
        if self.ranks.len() > SQUARE || self.traffic.is_empty() {
            return None;
        }
        let ranks = 0..self.ranks.len() as u32;
        let mut columns =
            vec![Column::rank("from_rank", "from \\ to", |row: &SquareRow| row.from).means(meaning::FROM_RANK)];
        columns.extend(self.ranks.iter().enumerate().map(|(to, rank)| {
            Column::bytes(format!("to_{to}_bytes"), rank.to_string(), move |row: &SquareRow| row.bytes[to])
        }));
        let cell = |from, to| self.traffic.get(&(from, to)).map(Traffic::total);
        let row = |(from, rank): (u32, &WorldRank)| SquareRow {
            from: *rank,
            bytes: ranks.clone().map(|to| cell(from, to)).collect(),
        };
        let rows = (0..).zip(&self.ranks).map(row).collect();
        Some(Table::with_columns("square", "bytes", columns, rows).whole().for_people())
    }
}

impl Traffic {
    /// Bytes of messages and of collective calls together.
    pub fn total(&self) -> u64 {
        self.bytes.saturating_add(self.collective)
    }

    fn add(&mut self, other: Traffic) {
        self.messages = self.messages.saturating_add(other.messages);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.collective = self.collective.saturating_add(other.collective);
    }
}
