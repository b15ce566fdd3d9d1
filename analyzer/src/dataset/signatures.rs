//! `signatures`: calls added up by all that repeats about them. What `report` adds up, and all that a profile has.

use traces::signature::{peer, tag};

use super::column::DataColumn;
use super::meanings::rank_of;
use super::set::{DataSet, RankOfRows, rank_columns};
use super::table::DataRow;
use crate::model::rank::{function, is_nested};
use crate::model::tally::CallTotal;

/// The calls of one signature.
pub struct SignatureRow {
    thread: Option<u32>,
    total: CallTotal,
    call_site: String,
    communicator: Option<u32>,
    peer: Option<u32>,
    source: Option<u32>,
}

impl DataRow for SignatureRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "signatures";
    const MEANING: &'static str = "Calls of a thread that agree in function, call site, communicator, partner, tag and bytes, added up; also those of a profile.";

    fn columns() -> Vec<DataColumn<SignatureRow, RankOfRows>> {
        type Row = SignatureRow;
        type Of = RankOfRows;
        let wanted_tag = |number: i32| Some(number).filter(|number| *number != tag::NONE && *number != tag::ANY);
        let mut columns = rank_columns();
        columns.extend([
            DataColumn::number(
                "thread",
                "thread of the rank; null for threads without room of their own in the file",
                |row: &Row, _| row.thread,
            ),
            DataColumn::number("signature", "number by which the thread's rows of `calls` name it", |row: &Row, _| {
                row.total.signature.number
            }),
            DataColumn::text("function", "MPI function", |row: &Row, _| function(&row.total.signature)),
            DataColumn::text("call_site", "where it was called, as `report` names it", |row: &Row, _| {
                row.call_site.clone()
            }),
            DataColumn::number("site", "key into `sites`, with rank and world", |row: &Row, _| {
                row.total.signature.site
            }),
            DataColumn::number("communicator", "key into `communicators`; null for calls on none", |row: &Row, _| {
                row.communicator
            }),
            DataColumn::number(
                "peer_rank",
                "rank in MPI_COMM_WORLD of destination, source, root or target; null for none or any",
                |row: &Row, _| row.peer,
            ),
            DataColumn::signed("tag", "tag that it sends or receives by; null for none or any", move |row: &Row, _| {
                wanted_tag(row.total.signature.tag)
            }),
            DataColumn::number(
                "source_rank",
                "of a call that sends and receives: rank in MPI_COMM_WORLD that it receives from",
                |row: &Row, _| row.source,
            ),
            DataColumn::flag("any_source", "it receives from MPI_ANY_SOURCE", |row: &Row, _| {
                row.total.signature.peer == peer::ANY || row.total.signature.source == peer::ANY
            }),
            DataColumn::flag("nested", "made inside other calls, whose time holds theirs", |row: &Row, _| {
                is_nested(&row.total)
            }),
            DataColumn::whole("calls", "how many calls", |row: &Row, _| row.total.count),
            DataColumn::whole("open_calls", "how many have not returned", |row: &Row, _| row.total.open),
            DataColumn::whole("failed_calls", "how many returned an error, or never", |row: &Row, _| row.total.failed),
            DataColumn::real("time_s", "time in them, added", |row: &Row, of: &Of| of.seconds(row.total.total)),
            DataColumn::real("min_s", "the shortest that returned, if one has", |row: &Row, of: &Of| {
                (row.total.count > 0).then(|| of.seconds(row.total.min))
            }),
            DataColumn::real("max_s", "the longest", |row: &Row, of: &Of| of.seconds(row.total.max)),
            DataColumn::whole("sent_bytes", "bytes they handed out, added", |row: &Row, _| row.total.sent),
            DataColumn::whole(
                "received_bytes",
                "bytes that came, added; as posted where nobody knows",
                |row: &Row, _| row.total.received,
            ),
            DataColumn::whole("engine_entries", "entries into the progress engine during them", |row: &Row, _| {
                row.total.engine.entries
            }),
            DataColumn::whole("engine_productive_entries", "entries that achieved something", |row: &Row, _| {
                row.total.engine.productive
            }),
            DataColumn::real("engine_s", "time inside the progress engine", |row: &Row, of: &Of| {
                of.seconds(row.total.engine.ticks)
            }),
        ]);
        columns
    }
}

/// A rank's signatures.
pub fn rows(set: &DataSet<'_>, at: usize) -> Vec<SignatureRow> {
    let rank = &set.run.ranks[at];
    let row = |thread: Option<u32>, total: &CallTotal| {
        let signature = &total.signature;
        let peer = |number| rank_of(set.run, &set.objects, at, signature.object, number);
        SignatureRow {
            thread,
            total: *total,
            call_site: set.run.sites.place(rank, signature.site),
            communicator: set.objects.number(at, signature.object),
            peer: peer(signature.peer),
            source: peer(signature.source),
        }
    };
    let of_threads = rank.threads.iter().flat_map(|thread| {
        let number = Some(thread.number);
        thread.entries.iter().map(move |total| row(number, total))
    });
    of_threads.chain(rank.shared.iter().map(|total| row(None, total))).collect()
}
