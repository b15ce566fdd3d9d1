//! `samples`: the places of threads between calls, if the run was sampled.

use std::io;

use traces::read::{Visitor, Walk};
use traces::record::Sample;

use crate::data_table::{DataRow, RowSource, ShowRows};
use crate::set::{DataSet, OfRank, Piece, RankOfRows, rank_columns};
use model::Rank;
use model::selection::{Cursor, LEFT_OUT};
use model::sites::Sites;
use tables::{Column, Shared};

/// A sample, at a tick.
pub struct SampleRow {
    at: u64,
    sample: Sample,
    time: i64,
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
}

/// Context that all samples of a page share.
pub struct SamplesOfThread {
    rank: RankOfRows,
    thread: u32,
}

impl DataRow for SampleRow {
    type Common = SamplesOfThread;
    const TABLE: &'static str = "samples";
    const MEANING: &'static str = "Where a thread was between two calls when it had used another period of processor time; none where --sample was off.";

    fn columns() -> Vec<Column<SampleRow, SamplesOfThread>> {
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("thread", |_, of: &SamplesOfThread| of.thread).means("thread of the rank"),
            Shared::ticks("at_ticks", |row: &SampleRow, _| row.at).means("when, as the rank's counter said"),
            Shared::seconds("at_s", |row: &SampleRow, of: &SamplesOfThread| of.rank.at(row.at))
                .means("when, seconds since the first rank entered MPI_Init"),
            Shared::seconds("error_s", |row: &SampleRow, of: &SamplesOfThread| of.rank.error(row.at))
                .means("by how much at_s may be off against the first rank's clock"),
            Shared::seconds("time_s", |row: &SampleRow, _| row.time as f64 / 1e9)
                .means("processor time that it stands for, since the sample before"),
            Shared::id("site", |row: &SampleRow, _| row.sample.site).means("key into `paths`, with rank and world"),
            Shared::text("function", |row: &SampleRow, _| row.function.clone())
                .means("the innermost function, null if unknown"),
            Shared::text("file", |row: &SampleRow, _| row.file.clone()).means("its source file, without its folders"),
            Shared::id("line", |row: &SampleRow, _| row.line).means("the line that was to run"),
        ]);
        columns
    }
}

impl OfRank for SamplesOfThread {
    fn rank(&self) -> &RankOfRows {
        &self.rank
    }
}

pub struct SampleRows<'r> {
    set: &'r DataSet<'r>,
    pieces: Vec<Piece>,
}

impl<'r> SampleRows<'r> {
    pub fn new(set: &'r DataSet<'r>) -> SampleRows<'r> {
        let is_sampled = |piece: &Piece| set.run.ranks[piece.rank].samples.period > 0;
        SampleRows { set, pieces: set.pieces().into_iter().filter(is_sampled).collect() }
    }
}

impl RowSource<SampleRow> for SampleRows<'_> {
    fn parts(&self) -> Vec<usize> {
        self.pieces.iter().map(|piece| piece.rank).collect()
    }

    fn read(&self, part: usize, show: &mut ShowRows<'_, SampleRow>) -> io::Result<()> {
        let piece = self.pieces[part];
        let (run, thread) = (self.set.run, &self.set.threads(piece.rank)[piece.thread]);
        let rank = &run.ranks[piece.rank];
        let cursor = Cursor::new(rank.stretches(thread.number));
        let mut reader = SampleReader { cursor, rank, sites: &run.sites, rows: Vec::new() };
        if let Some(page) = self.set.pages(&piece).first() {
            // Damage is reported when the calls are counted.
            let _ = Walk::new(page).step(&mut reader, usize::MAX);
        }
        show(&reader.rows, &SamplesOfThread { rank: self.set.rank(piece.rank), thread: thread.number })
    }
}

struct SampleReader<'a> {
    cursor: Cursor<'a>,
    rank: &'a Rank,
    sites: &'a Sites,
    rows: Vec<SampleRow>,
}

impl Visitor for SampleReader<'_> {
    fn call(&mut self, _signature: u32, _start: u64, _duration: u64) {}

    fn sample(&mut self, at: u64, sample: Sample) {
        if self.cursor.part_at(at) == LEFT_OUT {
            return;
        }
        let known = self.sites.innermost(self.rank, sample.site);
        self.rows.push(SampleRow {
            at,
            sample,
            time: self.rank.samples.time(sample.periods),
            function: known.map(|(function, ..)| function.to_string()),
            file: known.map(|(_, file, _)| file.to_string()).filter(|file| !file.is_empty()),
            line: known.map(|(.., line)| line).filter(|line| *line > 0),
        });
    }
}
