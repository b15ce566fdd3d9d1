//! The breakdown by communicator, call site, message size, thread and partner.

use traces::signature::{Signature, UNKNOWN_BYTES, peer};

use super::breakdown::{GroupRow, SingleRankRow, by_calls, rows, single_rank_rows};
use super::totals::{self, world_rank};
use super::words::{object, peer_in_words};
use crate::meaning;
use model::rank::function;
use model::sites::SiteIdentity;
use model::sums::Grow;
use model::{Rank, Run};
use rustc_hash::FxHashMap;
use tables::part::PartName;
use tables::{Column, Row, Table, WorldRank};

/// Maximum number of rows shown to people, for tables that have rows for each rank.
const ROWS: usize = 64;

/// A communicator, window or file, as each rank names it.
pub struct CommunicatorName {
    communicator: String,
    processes: Option<u64>,
}

impl Row for CommunicatorName {
    const TABLE: &'static str = "communicators";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("communicator", "communicator", |name: &Self| name.communicator.clone())
                .means(meaning::COMMUNICATOR),
            Column::count("processes", "size", |name: &Self| name.processes).means("The communicator's size."),
        ]
    }
}

/// The breakdown by communicator, window or file.
pub fn communicators(run: &Run) -> Table<GroupRow<CommunicatorName>> {
    let groups = totals::group_calls(run, |rank, _, entry| Some(object(rank, &entry.signature)));
    let name = |(communicator, size): (String, u32)| CommunicatorName {
        communicator,
        processes: (size > 0).then_some(size.into()),
    };
    Table::new("by communicator", rows(run, groups.into_iter().map(|(key, group)| (name(key), group))))
}

pub struct SiteName {
    site: String,
    function: String,
}

impl Row for SiteName {
    const TABLE: &'static str = "sites";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("site", "call site", |name: &Self| name.site.clone())
                .means(meaning::SITE)
                .name()
                .in_part(PartName::Site),
            Column::text("function", "function", |name: &Self| name.function.clone())
                .means(meaning::FUNCTION)
                .name()
                .in_part(PartName::Function),
        ]
    }
}

/// The breakdown by call site and function.
pub fn sites(run: &Run) -> Table<GroupRow<SiteName>> {
    let groups = totals::by_site(run).into_iter().map(|((site, function), group)| (SiteName { site, function }, group));
    Table::new("by call site", rows(run, groups)).in_part(by_calls(&["time_total_s"]))
}

/// Warns of calls whose site lies in a Fortran binding that is linked into the program: the binding's caller cannot be
/// seen.
pub fn in_linked_binding(run: &Run) -> Option<String> {
    let is_binding = |rank: &Rank, signature: &Signature| {
        let call = function(signature).to_lowercase();
        let place = run.sites.function(rank, signature.site).to_lowercase();
        let place = place.trim_end_matches('_').trim_end_matches("_f08").trim_start_matches('p');
        place == call
            || place.strip_prefix("mpir_").and_then(|place| place.strip_suffix("_cdesc")) == call.strip_prefix("mpi_")
    };
    // Many ranks have the same sites.
    let mut known: FxHashMap<(SiteIdentity, u16), bool> = FxHashMap::default();
    let mut calls: u64 = 0;
    for rank in &run.ranks {
        for entry in rank.entries() {
            let signature = &entry.signature;
            let key = (run.sites.identity(rank, signature.site), signature.call);
            if *known.entry(key).or_insert_with(|| is_binding(rank, signature)) {
                calls.grow(entry.count);
            }
        }
    }
    let warning =
        "calls came through a Fortran binding that is linked into the program: their sites are in the binding";
    (calls > 0).then(|| format!("{calls} {warning}"))
}

/// A function and a class of message sizes, from a power of two to the next.
pub struct SizeName {
    at_least: u64,
    below: u64,
    function: String,
}

impl Row for SizeName {
    const TABLE: &'static str = "sizes";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::bytes("size_at_least_bytes", "from", |name: &Self| name.at_least)
                .means("The least bytes of these calls, a power of two.")
                .name()
                .in_part(PartName::Size),
            Column::bytes("size_below_bytes", "", |name: &Self| name.below).means(meaning::SIZE_BELOW_BYTES).name(),
            Column::text("function", "function", |name: &Self| name.function.clone())
                .means(meaning::FUNCTION)
                .name()
                .in_part(PartName::Function),
        ]
    }
}

/// The breakdown by size of message and function, the smallest first. A call that sends and receives counts by the
/// larger.
pub fn sizes(run: &Run) -> Table<GroupRow<SizeName>> {
    let bytes = |signature: &Signature| {
        let known = |bytes| if bytes == UNKNOWN_BYTES { 0 } else { bytes };
        known(signature.sent).max(known(signature.received))
    };
    let groups = totals::group_calls_named(
        run,
        |_, entry| Some((bytes(&entry.signature).checked_ilog2()?, entry.signature.call)),
        |_, entry| (bytes(&entry.signature).ilog2(), function(&entry.signature)),
    );
    let groups = groups.into_iter().map(|((power, function), group)| {
        let at_least = 1u64 << power;
        (SizeName { at_least, below: at_least.saturating_mul(2), function }, group)
    });
    let mut rows = rows(run, groups);
    rows.sort_by_key(|row| row.name.at_least);
    Table::new("by bytes of a call, from a power of two to the next", rows)
        .in_part(by_calls(&["-size_at_least_bytes", "time_total_s"]))
}

/// A thread of a rank. Calls of threads without room of their own in the file have neither number nor id.
pub struct ThreadName {
    rank: WorldRank,
    number: Option<u64>,
    id: Option<u64>,
}

impl Row for ThreadName {
    const TABLE: &'static str = "threads";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "of rank", |name: &Self| name.rank).means(meaning::RANK),
            Column::number("thread", "thread", |name: &Self| name.number)
                .means("The thread, from 0, in the order in which they first called MPI."),
            Column::number("thread_id", "", |name: &Self| name.id).means("The system's number of the thread."),
        ]
    }
}

pub fn threads(run: &Run) -> Table<SingleRankRow<ThreadName>> {
    let groups = totals::group_calls(run, |rank, thread, _| {
        Some((world_rank(rank), thread.map(|thread| (thread.number, thread.tid))))
    });
    let groups = groups.into_iter().map(|((rank, thread), group)| {
        let (number, id) = thread.map(|(number, tid)| (number.into(), tid.into())).unzip();
        (ThreadName { rank, number, id }, group)
    });
    Table::new("by thread", single_rank_rows(run, groups)).most(ROWS)
}

/// A function, the rank that called it, and the rank at the other end as the communicator numbers it.
pub struct PeerName {
    communicator: String,
    rank: WorldRank,
    peer: String,
    function: String,
}

impl Row for PeerName {
    const TABLE: &'static str = "peers";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("communicator", "communicator", |name: &Self| name.communicator.clone())
                .means(meaning::COMMUNICATOR),
            Column::rank("rank", "of", |name: &Self| name.rank).means(meaning::RANK),
            Column::text("peer", "peer", |name: &Self| name.peer.clone())
                .means("The rank at the other end, as the communicator numbers it."),
            Column::text("function", "function", |name: &Self| name.function.clone()).means(meaning::FUNCTION),
        ]
    }
}

/// The breakdown by communicator, rank, rank at the other end, and function.
pub fn peers(run: &Run) -> Table<SingleRankRow<PeerName>> {
    let groups = totals::group_calls(run, |rank, _, entry| {
        let signature = &entry.signature;
        let (name, _) = object(rank, signature);
        let key = || (name, world_rank(rank), peer_in_words(signature.peer), function(signature));
        (signature.peer != peer::NONE).then(key)
    });
    let groups = groups
        .into_iter()
        .map(|((communicator, rank, peer, function), group)| (PeerName { communicator, rank, peer, function }, group));
    Table::new("by partner", single_rank_rows(run, groups)).most(ROWS)
}
