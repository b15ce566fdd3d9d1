//! Typical message lengths, as Gabriel gives them for a program: one for each call of MPI_Allreduce, one for each pair
//! of processes for MPI_Alltoallv.
//!
//! A call counts by the larger of what it sends and receives; a persistent one counts each time it is started.

use std::collections::BTreeMap;

use traces::calls::ArgumentKind::{BcastCount, Dest, ReduceCount, Source};
use traces::calls::{Call, Class};
use traces::signature::{CREATES, Signature, peer};

use crate::meaning;
use crate::shares::{Share, share};
use crate::totals::percent;
use model::rank::{function_of, is_nested};
use model::sums::{Grow, Total};
use model::tally::CallTotal;
use model::{Rank, Run};
use tables::{Column, Row, Table};

/// The message lengths of one function's calls.
pub struct LengthRow {
    function: String,
    is_of_pair: bool,
    calls: u64,
    /// Number of uses of each length.
    lengths: BTreeMap<u64, u64>,
}

impl Row for LengthRow {
    const TABLE: &'static str = "message_lengths";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("function", "function", |row: &Self| row.function.clone()).means(meaning::FUNCTION),
            Column::text("length_of", "per", |row: &Self| if row.is_of_pair { "pair" } else { "call" }.to_string())
                .means("The unit that has one length: a call, or in all-to-all operations a pair of processes."),
            Column::count("calls", "calls", |row: &Self| row.calls).means(meaning::CALLS),
            Column::bytes("percentile_5_bytes", "5 %", |row: &Self| row.at_least(0.05))
                .means("The 5th percentile over the calls.")
                .spare(1),
            Column::bytes("median_bytes", "median", |row: &Self| row.at_least(0.5)).means("The median."),
            Column::bytes("percentile_95_bytes", "95 %", |row: &Self| row.at_least(0.95))
                .means("The 95th percentile over the calls.")
                .spare(1),
            Column::bytes("most_frequent_bytes", "mode", |row: &Self| row.most_frequent().map(|(length, _)| length))
                .means("The most frequent length."),
            Column::percent("most_frequent_percent", "% of calls", |row: &Self| {
                row.most_frequent().and_then(|(_, times)| percent(times as f64, row.calls as f64))
            })
            .means("Share of the calls that have it."),
            Column::count("lengths", "", |row: &Self| row.lengths.len() as u64).means("How many different lengths."),
        ]
    }
}

impl LengthRow {
    /// The quantile of the lengths at `share` (0 to 1): the least length that this share of the calls does not exceed.
    fn at_least(&self, share: f64) -> Option<u64> {
        let wanted = (share * self.calls as f64).ceil().max(1.0);
        let mut seen = 0.0;
        let mut reaches = |times: u64| {
            seen += times as f64;
            seen >= wanted
        };
        self.lengths.iter().find(|(_, times)| reaches(**times)).map(|(length, _)| *length)
    }

    /// The most frequent length, and the number of calls that have it. Of equally frequent lengths, the largest.
    fn most_frequent(&self) -> Option<(u64, u64)> {
        self.lengths.iter().map(|(length, times)| (*length, *times)).max_by_key(|(_, times)| *times)
    }

    fn bytes(&self) -> u64 {
        self.lengths.iter().map(|(length, times)| length.saturating_mul(*times)).total()
    }
}

/// Message lengths by function, the one that moves the most bytes first. Functions that move nothing are left out.
pub fn lengths(run: &Run) -> Table<LengthRow> {
    let mut by_call: BTreeMap<(u16, bool), BTreeMap<u64, u64>> = BTreeMap::new();
    for (rank, entry) in run.asked().flat_map(|rank| rank.entries().map(move |entry| (rank, entry))) {
        let Some((length, is_of_pair)) = length(rank, entry).filter(|_| !is_nested(entry)) else { continue };
        let times = entry.transfers();
        if times > 0 {
            let lengths = by_call.entry((entry.signature.call, is_of_pair)).or_default();
            lengths.entry(length).or_default().grow(times);
        }
    }
    let row = |((call, is_of_pair), lengths): ((u16, bool), BTreeMap<u64, u64>)| LengthRow {
        function: function_of(call),
        is_of_pair,
        calls: lengths.values().copied().total(),
        lengths,
    };
    let mut rows: Vec<LengthRow> = by_call.into_iter().map(row).filter(|row| row.bytes() > 0).collect();
    rows.sort_by(|a, b| b.bytes().cmp(&a.bytes()).then_with(|| a.function.cmp(&b.function)));
    Table::new("message lengths of a call; all-to-all ones have one for each pair of processes", rows)
}

/// The message length of a call; true if each pair of processes has one. `None` if the call moves no data.
fn length(rank: &Rank, entry: &CallTotal) -> Option<(u64, bool)> {
    let signature: &Signature = &entry.signature;
    let call = Call::from_number(signature.call)?;
    let (sent, received) = signature.moves();
    // To or from MPI_PROC_NULL nothing is sent. An exchange may still receive.
    if signature.peer == peer::PROC_NULL && !(call.has(Dest) && call.has(Source)) {
        return None;
    }
    let processes =
        rank.communicators.get(&signature.object).map_or(1, |communicator| u64::from(communicator.size.max(1)));
    // The statuses of receives give the bytes that arrived, which may be less than the receive had room for.
    let arrived = if signature.flags & CREATES == 0 { entry.received.checked_div(entry.count) } else { None };
    // A root holds the parts of all ranks, and a call with MPI_IN_PLACE sends nothing of its own.
    let has = |kind| call.has(kind);
    let known = |own: u64, other: u64| if own > 0 { own } else { other };
    Some(match share(call, signature, processes) {
        Some(Share::ToAll(sent)) => (known(sent, received) / processes, true),
        Some(Share::ToEach(each)) => (known(each, received / processes), true),
        Some(Share::ToRoot(part)) if has(ReduceCount) => (known(part, received), false),
        Some(Share::ToRoot(part)) => (known(part, received / processes), false),
        Some(Share::FromRoot(part)) if has(BcastCount) => (known(part, sent), false),
        Some(Share::FromRoot(part)) => (known(part, sent / processes), false),
        Some(Share::ToNeighbors(part) | Share::ToAllNeighbors(part) | Share::Nowhere(part)) => {
            (known(part, received), false)
        }
        None if [Class::PointToPoint, Class::Rma].contains(&call.class()) => {
            (sent.max(arrived.unwrap_or(received)), false)
        }
        None => return None,
    })
}
