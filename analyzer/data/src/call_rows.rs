//! `calls`: every call with a record of its own.
//!
//! A piece is a page of a thread: pages hold their first time and request number, so each can be read by itself.

use std::io;
use std::sync::{Arc, OnceLock};

use traces::progress::{Depth, Entries, Polls};
use traces::read::{OpenCall, Visitor, Walk};
use traces::record::{Arrived, LEFT, RecordKind};

use crate::data_table::{DataRow, RowSource, ShowRows};
use crate::meanings::{CallMeaning, Meanings};
use crate::set::{DataSet, OfRank, Piece, RankOfRows, rank_columns, time_columns};
use model::request_numbers::{RequestChange, RequestNumbers};
use model::selection::{Cursor, LEFT_OUT};
use tables::{Column, Shared};

/// A call, or a recorded run of polls without success. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct CallRow {
    signature: u32,
    count: u64,
    start: u64,
    end: u64,
    inside: u64,
    /// Number of the first request that it began; [`NO_REQUEST`] if it began none.
    request: u64,
    /// Bytes of a message that the call itself received.
    came: Option<u64>,
    engine: Entries,
    failed: bool,
    left: bool,
    is_open: bool,
}

const NO_REQUEST: u64 = u64::MAX;

pub struct CallsOfThread {
    rank: RankOfRows,
    thread: u32,
    meanings: Arc<Meanings>,
    /// The progress engine was recorded.
    has_engine: bool,
}

impl OfRank for CallsOfThread {
    fn rank(&self) -> &RankOfRows {
        &self.rank
    }
}

impl CallsOfThread {
    fn of(&self, row: &CallRow) -> &CallMeaning {
        self.meanings.get(row.signature)
    }
}

impl CallRow {
    /// True if the call moved the bytes of its signature.
    fn has_moved(&self) -> bool {
        !self.failed && !self.is_open
    }
}

impl DataRow for CallRow {
    type Common = CallsOfThread;
    const TABLE: &'static str = "calls";
    const MEANING: &'static str = "A call that was recorded for itself, or has not returned: not those inside other calls, and not those of a profile, which are in `signatures`.";

    fn columns() -> Vec<Column<CallRow, CallsOfThread>> {
        type Of = CallsOfThread;
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("thread", |_, of: &Of| of.thread)
                .means("thread of the rank, from 0 in the order they first called MPI"),
            Shared::name("function", |of: &Of| &of.meanings.functions, |row: &CallRow, of| of.of(row).function)
                .means("MPI function"),
            Shared::name("call_site", |of: &Of| &of.meanings.call_sites, |row: &CallRow, of| of.of(row).call_site)
                .means("where it was called, as `report` names it"),
            Shared::id("site", |row: &CallRow, of: &Of| of.of(row).site).means("key into `sites`, with rank and world"),
            Shared::id("signature", |row: &CallRow, of: &Of| of.of(row).number)
                .means("key into `signatures`, with rank, world and thread"),
            Shared::id("communicator", |row: &CallRow, of: &Of| of.of(row).communicator)
                .means("key into `communicators`; null for calls on none"),
            Shared::id("peer_rank", |row: &CallRow, of: &Of| of.of(row).peer)
                .means("rank in MPI_COMM_WORLD of destination, source, root or target; null for none or any"),
            Shared::tag("tag", |row: &CallRow, of: &Of| of.of(row).tag)
                .means("tag that it sends or receives by; null for none or any"),
            Shared::bytes("sent_bytes", |row: &CallRow, of: &Of| if row.has_moved() { of.of(row).sent } else { 0 })
                .means("bytes it handed out, or its request will"),
            Shared::bytes(
                "received_bytes",
                |row: &CallRow, of: &Of| {
                    if row.has_moved() { row.came.unwrap_or(of.of(row).received) } else { 0 }
                },
            )
            .means("bytes that came; of a nonblocking receive, the room for them"),
            Shared::count("calls", |row: &CallRow, _| row.count)
                .means("calls that the row tells of: more than one where tests asked in vain"),
        ]);
        columns.extend(time_columns(|row: &CallRow| row.start, |row: &CallRow| row.end));
        columns.extend([
            Shared::seconds("inside_s", |row: &CallRow, of: &Of| of.rank.seconds(row.inside))
                .means("time inside MPI: less than from start to end where calls is more than 1"),
            Shared::count("request", |row: &CallRow, _| Some(row.request).filter(|request| *request != NO_REQUEST))
                .means("key into `requests`, with rank, world and thread: the first request it began"),
            Shared::count("engine_entries", |row: &CallRow, of: &Of| of.has_engine.then_some(row.engine.entries))
                .means("entries into the progress engine during it; null where not recorded"),
            Shared::count("engine_productive_entries", |row: &CallRow, of: &Of| {
                of.has_engine.then_some(row.engine.productive)
            })
            .means("entries that achieved something"),
            Shared::flag("failed", |row: &CallRow, _| row.failed).means("it returned an error, or never"),
            Shared::flag("left", |row: &CallRow, _| row.left)
                .means("it never returned: an exception or longjmp left it, or its thread ended"),
            Shared::flag("open", |row: &CallRow, _| row.is_open)
                .means("it has not returned: it ends now if its process runs, else when that was last known to live"),
        ]);
        columns
    }
}

pub struct CallRows<'r> {
    set: &'r DataSet<'r>,
    pieces: Vec<Piece>,
    /// By rank and thread, filled on first use.
    meanings: Vec<Vec<OnceLock<Arc<Meanings>>>>,
}

impl<'r> CallRows<'r> {
    pub fn new(set: &'r DataSet<'r>) -> CallRows<'r> {
        let of_rank = |rank: usize| set.threads(rank).iter().map(|_| OnceLock::new()).collect();
        let meanings = (0..set.run.ranks.len()).map(of_rank).collect();
        CallRows { set, pieces: set.pieces(), meanings }
    }
}

impl RowSource<CallRow> for CallRows<'_> {
    fn parts(&self) -> Vec<usize> {
        self.pieces.iter().map(|piece| piece.rank).collect()
    }

    fn read(&self, part: usize, show: &mut ShowRows<'_, CallRow>) -> io::Result<()> {
        let piece = self.pieces[part];
        let rank = &self.set.run.ranks[piece.rank];
        let thread = &self.set.threads(piece.rank)[piece.thread];
        let meanings = &self.meanings[piece.rank][piece.thread];
        let meanings = Arc::clone(meanings.get_or_init(|| Arc::new(Meanings::of(self.set, piece.rank, thread))));
        let mut reader = CallReader::new(&meanings, Cursor::new(rank.stretches(thread.number)));
        let mut pages = self.set.pages(&piece).iter();
        if let Some(page) = pages.next() {
            reader.numbers = RequestNumbers::new(thread.number, page.requests);
            reader.rows.reserve(page.words.len());
            // Damage is reported when the calls are counted.
            let _ = Walk::new(page).step(&mut reader, usize::MAX);
        }
        // Records of the page's last call may continue on the next page.
        reader.is_behind = true;
        for page in pages {
            let mut walk = Walk::new(page);
            while !reader.is_over && walk.step(&mut reader, 1).is_ok_and(|more| more) {}
            if reader.is_over {
                break;
            }
        }
        if piece.is_last {
            reader.is_behind = false;
            thread.tail.show(&mut reader);
        }
        let rows = reader.rows;
        let has_engine = rank.progress > Depth::Off;
        show(&rows, &CallsOfThread { rank: self.set.rank(piece.rank), thread: thread.number, meanings, has_engine })
    }
}

struct CallReader<'a> {
    meanings: &'a Meanings,
    cursor: Cursor<'a>,
    rows: Vec<CallRow>,
    /// The next records belong to the last row.
    is_open: bool,
    numbers: RequestNumbers,
    /// The reader is past its page and stops at the next call.
    is_behind: bool,
    is_over: bool,
}

impl<'a> CallReader<'a> {
    fn new(meanings: &'a Meanings, cursor: Cursor<'a>) -> CallReader<'a> {
        let numbers = RequestNumbers::default();
        CallReader { meanings, cursor, rows: Vec::new(), is_open: false, numbers, is_behind: false, is_over: false }
    }

    #[inline]
    fn add(&mut self, signature: u32, start: u64, end: u64, count: u64, inside: u64) {
        if self.is_behind {
            (self.is_open, self.is_over) = (false, true);
            return;
        }
        let meaning = self.meanings.get(signature);
        let number = self.numbers.begin(meaning.takes);
        let request = if meaning.takes { number } else { NO_REQUEST };
        self.is_open = meaning.counts && self.cursor.part_at(start) != LEFT_OUT;
        if self.is_open {
            self.rows.push(CallRow {
                signature,
                count,
                start,
                end,
                inside,
                request,
                came: None,
                engine: Entries::default(),
                failed: false,
                left: false,
                is_open: false,
            });
        }
    }

    #[inline]
    fn current(&mut self) -> Option<&mut CallRow> {
        if self.is_open { self.rows.last_mut() } else { None }
    }

    fn change(&mut self, change: RequestChange) {
        if let RequestChange::Started { first, .. } = change
            && let Some(row) = self.current()
            && row.request == NO_REQUEST
        {
            row.request = first;
        }
    }
}

impl Visitor for CallReader<'_> {
    #[inline]
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        self.add(signature, start, start.wrapping_add(duration), 1, duration);
    }

    fn open(&mut self, call: &OpenCall) {
        self.call(call.number, call.start, call.duration());
        if let Some(row) = self.current() {
            row.is_open = true;
        }
    }

    fn polls(&mut self, polls: &Polls) {
        self.add(polls.signature as u32, polls.start, polls.end, polls.count, polls.total);
    }

    fn arrived(&mut self, arrived: Arrived) {
        let meanings = self.meanings;
        // The table `requests` has the messages of completed requests.
        if let Some(row) = self.current()
            && meanings.get(row.signature).received > 0
        {
            row.came = Some(arrived.bytes);
        }
    }

    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        let change = self.numbers.own(kind, count, age);
        self.change(change);
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, thread: u32, number: u64) {
        let change = self.numbers.foreign(kind, count, thread, number);
        self.change(change);
    }

    fn failed(&mut self, class: u16, _code: i32) {
        if let Some(row) = self.current() {
            (row.failed, row.left) = (true, class == LEFT);
        }
    }

    fn engine(&mut self, during: Entries) {
        if let Some(row) = self.current() {
            row.engine += during;
        }
    }
}
