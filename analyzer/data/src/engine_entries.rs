//! `progress`: entries into the progress engine, if each was recorded.

use std::io;

use traces::progress::EntryRun;
use traces::read::{Visitor, Walk};

use crate::data_table::{DataRow, RowSource, ShowRows};
use crate::set::{DataSet, OfRank, Piece, RankOfRows, rank_columns, time_columns};
use model::selection::{Cursor, LEFT_OUT};
use tables::{Column, Shared};

/// One entry or several successive ones. Times in ticks.
pub struct EngineRow {
    start: u64,
    end: u64,
    entries: u64,
    is_outside: bool,
}

/// Context that all entries of a page share.
pub struct EngineOfThread {
    rank: RankOfRows,
    thread: u32,
}

impl OfRank for EngineOfThread {
    fn rank(&self) -> &RankOfRows {
        &self.rank
    }
}

impl DataRow for EngineRow {
    type Common = EngineOfThread;
    const TABLE: &'static str = "progress";
    const MEANING: &'static str = "Entries into the progress engine that achieved something, or were made outside MPI calls; those in vain are only counted, by call, in `calls`.";

    fn columns() -> Vec<Column<EngineRow, EngineOfThread>> {
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("thread", |_, of: &EngineOfThread| of.thread).means("thread of the rank"),
            Shared::flag("outside", |row: &EngineRow, _| row.is_outside)
                .means("made outside MPI calls, by progress threads and other libraries"),
            Shared::count("entries", |row: &EngineRow, _| row.entries).means("how many, one after another"),
        ]);
        columns.extend(time_columns(|row: &EngineRow| row.start, |row: &EngineRow| row.end));
        columns
    }
}

pub struct EngineEntries<'r> {
    set: &'r DataSet<'r>,
    pieces: Vec<Piece>,
}

impl<'r> EngineEntries<'r> {
    pub fn new(set: &'r DataSet<'r>) -> EngineEntries<'r> {
        EngineEntries { set, pieces: set.pieces() }
    }
}

impl RowSource<EngineRow> for EngineEntries<'_> {
    fn parts(&self) -> Vec<usize> {
        self.pieces.iter().map(|piece| piece.rank).collect()
    }

    fn read(&self, part: usize, show: &mut ShowRows<'_, EngineRow>) -> io::Result<()> {
        let piece = self.pieces[part];
        let thread = &self.set.threads(piece.rank)[piece.thread];
        let stretches = self.set.run.ranks[piece.rank].stretches(thread.number);
        let mut reader = EngineReader { cursor: Cursor::new(stretches), rows: Vec::new() };
        if let Some(page) = self.set.pages(&piece).first() {
            // Damage is reported when the calls are counted.
            let _ = Walk::new(page).step(&mut reader, usize::MAX);
        }
        if piece.is_last {
            thread.tail.show(&mut reader);
        }
        show(&reader.rows, &EngineOfThread { rank: self.set.rank(piece.rank), thread: thread.number })
    }
}

struct EngineReader<'a> {
    cursor: Cursor<'a>,
    rows: Vec<EngineRow>,
}

impl EngineReader<'_> {
    fn add(&mut self, run: &EntryRun, is_outside: bool) {
        if self.cursor.part_at(run.start) != LEFT_OUT {
            self.rows.push(EngineRow { start: run.start, end: run.end, entries: run.count, is_outside });
        }
    }
}

impl Visitor for EngineReader<'_> {
    fn call(&mut self, _signature: u32, _start: u64, _duration: u64) {}

    fn productive(&mut self, run: &EntryRun) {
        self.add(run, false);
    }

    fn outside(&mut self, run: &EntryRun) {
        self.add(run, true);
    }
}
