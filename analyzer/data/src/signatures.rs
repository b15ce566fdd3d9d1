//! `signatures`: calls summed up by signature, as `report` does; the only calls of a profile.

use traces::signature::{peer, tag};

use super::meanings::rank_of;
use super::set::{DataSet, RankOfRows, rank_columns};
use super::table::DataRow;
use model::rank::{function, is_nested};
use model::tally::CallTotal;
use tables::{Column, Shared};

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

    fn columns() -> Vec<Column<SignatureRow, RankOfRows>> {
        type Row = SignatureRow;
        type Of = RankOfRows;
        let wanted_tag = |number: i32| Some(number).filter(|number| *number != tag::NONE && *number != tag::ANY);
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("thread", |row: &Row, _| row.thread)
                .means("thread of the rank; null for threads without room of their own in the file"),
            Shared::id("signature", |row: &Row, _| row.total.signature.number)
                .means("number by which the thread's rows of `calls` name it"),
            Shared::text("function", |row: &Row, _| function(&row.total.signature)).means("MPI function"),
            Shared::text("call_site", |row: &Row, _| row.call_site.clone())
                .means("where it was called, as `report` names it"),
            Shared::id("site", |row: &Row, _| row.total.signature.site).means("key into `sites`, with rank and world"),
            Shared::id("communicator", |row: &Row, _| row.communicator)
                .means("key into `communicators`; null for calls on none"),
            Shared::id("peer_rank", |row: &Row, _| row.peer)
                .means("rank in MPI_COMM_WORLD of destination, source, root or target; null for none or any"),
            Shared::tag("tag", move |row: &Row, _| wanted_tag(row.total.signature.tag))
                .means("tag that it sends or receives by; null for none or any"),
            Shared::id("source_rank", |row: &Row, _| row.source)
                .means("of a call that sends and receives: rank in MPI_COMM_WORLD that it receives from"),
            Shared::flag("any_source", |row: &Row, _| {
                row.total.signature.peer == peer::ANY || row.total.signature.source == peer::ANY
            })
            .means("it receives from MPI_ANY_SOURCE"),
            Shared::flag("nested", |row: &Row, _| is_nested(&row.total))
                .means("made inside other calls, whose time holds theirs"),
            Shared::count("calls", |row: &Row, _| row.total.count).means("how many calls"),
            Shared::count("open_calls", |row: &Row, _| row.total.open).means("how many have not returned"),
            Shared::count("failed_calls", |row: &Row, _| row.total.failed)
                .means("how many returned an error, or never"),
            Shared::seconds("time_s", |row: &Row, of: &Of| of.seconds(row.total.total)).means("time in them, added"),
            Shared::seconds("min_s", |row: &Row, of: &Of| (row.total.count > 0).then(|| of.seconds(row.total.min)))
                .means("the shortest that returned, if one has"),
            Shared::seconds("max_s", |row: &Row, of: &Of| of.seconds(row.total.max)).means("the longest"),
            Shared::bytes("sent_bytes", |row: &Row, _| row.total.sent).means("bytes they handed out, added"),
            Shared::bytes("received_bytes", |row: &Row, _| row.total.received)
                .means("bytes that came, added; as posted where nobody knows"),
            Shared::count("engine_entries", |row: &Row, _| row.total.engine.entries)
                .means("entries into the progress engine during them"),
            Shared::count("engine_productive_entries", |row: &Row, _| row.total.engine.productive)
                .means("entries that achieved something"),
            Shared::seconds("engine_s", |row: &Row, of: &Of| of.seconds(row.total.engine.ticks))
                .means("time inside the progress engine"),
        ]);
        columns
    }
}

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
