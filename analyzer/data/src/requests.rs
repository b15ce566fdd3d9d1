//! `requests`: nonblocking operations from the starting call to the completing call.

use std::io;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use traces::record::{Arrived, Fate};

use super::meanings::{CallMeaning, Meanings};
use super::set::{DataSet, OfRank, RankOfRows, rank_columns};
use crate::data_table::{DataRow, RowSource, ShowRows};
use model::request_numbers::RequestChange;
use model::selection::{Cursor, LEFT_OUT};
use model::thread_calls::{Detail, Extras, ThreadCall, ThreadCalls};
use tables::{Column, Shared};

/// A request, times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct RequestRow {
    number: u64,
    /// Signature that defines the operation; for a persistent request, of the creating call.
    signature: u32,
    /// Begin and end of the starting call.
    start: u64,
    posted: u64,
    /// Signature, begin and end of the completing call.
    completed: Option<(u32, u64, u64)>,
    came: Option<Arrived>,
    is_persistent: bool,
}

/// Context that all requests of a thread share.
pub struct RequestsOfThread {
    rank: RankOfRows,
    thread: u32,
    meanings: Arc<Meanings>,
}

impl OfRank for RequestsOfThread {
    fn rank(&self) -> &RankOfRows {
        &self.rank
    }
}

impl RequestsOfThread {
    fn of(&self, row: &RequestRow) -> &CallMeaning {
        self.meanings.get(row.signature)
    }

    fn completing(&self, row: &RequestRow) -> Option<&CallMeaning> {
        row.completed.map(|(signature, ..)| self.meanings.get(signature))
    }
}

impl DataRow for RequestRow {
    type Common = RequestsOfThread;
    const TABLE: &'static str = "requests";
    const MEANING: &'static str =
        "A request from the call that began it to the call of the same thread that completed it.";

    fn columns() -> Vec<Column<RequestRow, RequestsOfThread>> {
        type Row = RequestRow;
        type Of = RequestsOfThread;
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("thread", |_: &Row, of: &Of| of.thread).means("thread of the rank that began it"),
            Shared::count("request", |row: &Row, _| row.number)
                .means("its number, from 0 in the order the thread began them"),
            Shared::name("function", |of: &Of| &of.meanings.functions, |row: &Row, of| of.of(row).function)
                .means("MPI function that says what it does; of a persistent one, that created it"),
            Shared::name("call_site", |of: &Of| &of.meanings.call_sites, |row: &Row, of| of.of(row).call_site)
                .means("where that was called"),
            Shared::id("site", |row: &Row, of: &Of| of.of(row).site).means("key into `sites`, with rank and world"),
            Shared::id("signature", |row: &Row, of: &Of| of.of(row).number)
                .means("key into `signatures`, with rank, world and thread"),
            Shared::id("communicator", |row: &Row, of: &Of| of.of(row).communicator).means("key into `communicators`"),
            Shared::id("peer_rank", |row: &Row, of: &Of| of.of(row).peer)
                .means("rank in MPI_COMM_WORLD of destination, source, root or target; null for none or any"),
            Shared::tag("tag", |row: &Row, of: &Of| of.of(row).tag)
                .means("tag that it sends or receives by; null for none or any"),
            Shared::bytes("sent_bytes", |row: &Row, of: &Of| of.of(row).sent).means("bytes it hands out"),
            Shared::bytes("received_bytes", |row: &Row, of: &Of| {
                row.came.map_or(of.of(row).received, |came| came.bytes)
            })
            .means("bytes that came; where nobody knows, the room for them"),
            Shared::flag("persistent", |row: &Row, _| row.is_persistent)
                .means("it is one start of a persistent request"),
            Shared::flag("cancelled", |row: &Row, _| row.came.is_some_and(|came| came.fate == Fate::Cancelled))
                .means("it was cancelled"),
            Shared::ticks("start_ticks", |row: &Row, _| row.start)
                .means("when the call began that began it, as the rank's counter said"),
            Shared::ticks("posted_ticks", |row: &Row, _| row.posted).means("when that call ended"),
            Shared::ticks("end_ticks", |row: &Row, _| row.completed.map(|(.., end)| end))
                .means("when the call ended that completed it; null where none of the same thread did"),
            Shared::seconds("start_s", |row: &Row, of: &Of| of.rank.at(row.start))
                .means("when the call began that began it, seconds since the first rank entered MPI_Init"),
            Shared::seconds("posted_s", |row: &Row, of: &Of| of.rank.at(row.posted)).means("when that call ended"),
            Shared::seconds("completing_s", |row: &Row, of: &Of| row.completed.map(|(_, start, _)| of.rank.at(start)))
                .means("when the call began that completed it"),
            Shared::seconds("end_s", |row: &Row, of: &Of| row.completed.map(|(.., end)| of.rank.at(end)))
                .means("when that call ended"),
            Shared::seconds("error_s", |row: &Row, of: &Of| of.rank.error(row.start))
                .means("by how much start_s may be off against the first rank's clock"),
            Shared::name(
                "completed_by",
                |of: &Of| &of.meanings.functions,
                |row: &Row, of| of.completing(row).map(|call| call.function),
            )
            .means("MPI function that completed it, or began it where it was complete at once"),
            Shared::name(
                "completed_at",
                |of: &Of| &of.meanings.call_sites,
                |row: &Row, of| of.completing(row).map(|call| call.call_site),
            )
            .means("where that was called"),
        ]);
        columns
    }
}

/// The requests of a run. A part is a thread.
pub struct RequestRows<'r> {
    set: &'r DataSet<'r>,
    threads: Vec<(usize, usize)>,
}

impl<'r> RequestRows<'r> {
    pub fn new(set: &'r DataSet<'r>) -> RequestRows<'r> {
        let of_rank = |rank: usize| (0..set.threads(rank).len()).map(move |thread| (rank, thread));
        RequestRows { set, threads: set.asked().flat_map(of_rank).collect() }
    }
}

/// Rows shown at a time.
const ROWS: usize = 1 << 14;

impl RowSource<RequestRow> for RequestRows<'_> {
    fn parts(&self) -> Vec<usize> {
        self.threads.iter().map(|(rank, _)| *rank).collect()
    }

    fn read(&self, part: usize, show: &mut ShowRows<'_, RequestRow>) -> io::Result<()> {
        let (rank, place) = self.threads[part];
        let thread = &self.set.threads(rank)[place];
        let meanings = Arc::new(Meanings::of(self.set, rank, thread));
        let common =
            RequestsOfThread { rank: self.set.rank(rank), thread: thread.number, meanings: Arc::clone(&meanings) };
        let cursor = Cursor::new(self.set.run.ranks[rank].stretches(thread.number));
        let mut reader = RequestReader::new(&meanings, thread.number, cursor);
        let mut calls = ThreadCalls::of_records(thread, Extras::empty());
        while let Some(call) = calls.peek() {
            reader.call(call, calls.details(call));
            calls.advance();
            if reader.rows.len() >= ROWS {
                show(&reader.rows, &common)?;
                reader.rows.clear();
            }
        }
        reader.give_up();
        for rows in reader.rows.chunks(ROWS) {
            show(rows, &common)?;
        }
        Ok(())
    }
}

struct RequestReader<'a> {
    meanings: &'a Meanings,
    thread: u32,
    cursor: Cursor<'a>,
    /// Requests that are not complete.
    open: FxHashMap<u64, RequestRow>,
    /// Persistent requests with the signatures of the creating calls.
    created: FxHashMap<u64, u32>,
    rows: Vec<RequestRow>,
}

impl<'a> RequestReader<'a> {
    fn new(meanings: &'a Meanings, thread: u32, cursor: Cursor<'a>) -> RequestReader<'a> {
        RequestReader {
            meanings,
            thread,
            cursor,
            open: FxHashMap::default(),
            created: FxHashMap::default(),
            rows: Vec::new(),
        }
    }

    fn call(&mut self, call: &ThreadCall, details: &[Detail]) {
        let counts = self.cursor.part_at(call.start) != LEFT_OUT;
        let meaning = self.meanings.get(call.signature);
        // The next message belongs to the request of the last row.
        let mut is_last = false;
        if meaning.creates {
            self.created.insert(call.request, call.signature);
        } else if meaning.takes && !call.failed {
            self.begin(call, counts, (call.request, call.signature), false);
            is_last = meaning.at_once && self.complete(call, call.request);
        }
        for detail in details {
            match *detail {
                Detail::Requests(RequestChange::Started { created, first }) if created.thread == self.thread => {
                    for (created, number) in created.numbers().zip(first..) {
                        let signature = self.created.get(&created).copied().unwrap_or(0);
                        self.begin(call, counts, (number, signature), true);
                    }
                }
                Detail::Requests(RequestChange::Completed(run)) if run.thread == self.thread => {
                    for number in run.numbers() {
                        is_last = self.complete(call, number);
                    }
                }
                Detail::Requests(RequestChange::Freed(run)) if run.thread == self.thread => {
                    for number in run.numbers() {
                        self.rows.extend(self.open.remove(&number));
                    }
                }
                Detail::Requests(_) => is_last = false,
                Detail::Arrived(arrived) => {
                    if let Some(row) = self.rows.last_mut().filter(|_| is_last) {
                        row.came = Some(arrived);
                    }
                }
                Detail::Content(_) | Detail::FoundComplete(..) => {}
            }
        }
    }

    fn begin(&mut self, call: &ThreadCall, counts: bool, (number, signature): (u64, u32), is_persistent: bool) {
        if counts && self.meanings.get(signature).counts {
            let (start, posted) = (call.start, call.end);
            let row = RequestRow { number, signature, start, posted, completed: None, came: None, is_persistent };
            self.open.insert(number, row);
        }
    }

    /// Completes a request; returns whether it has a row.
    fn complete(&mut self, call: &ThreadCall, number: u64) -> bool {
        let Some(row) = self.open.remove(&number) else { return false };
        self.rows.push(RequestRow { completed: Some((call.signature, call.start, call.end)), ..row });
        true
    }

    /// Adds the requests that no call completed.
    fn give_up(&mut self) {
        let mut open: Vec<RequestRow> = self.open.drain().map(|(_, row)| row).collect();
        open.sort_unstable_by_key(|row| row.number);
        self.rows.extend(open);
    }
}
