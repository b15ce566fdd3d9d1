//! `regions`: each time that a thread was in a part of the program that has a name.

use traces::read::{ThreadPages, Visitor, walk};
use traces::record::RecordKind;

use super::set::{DataSet, RankOfRows, rank_columns};
use super::table::DataRow;
use model::selection::{Cursor, LEFT_OUT};
use tables::{Column, Shared};

/// A region from where it was entered to where it was left.
pub struct RegionRow {
    thread: u32,
    number: u32,
    name: String,
    depth: u32,
    start: u64,
    end: Option<u64>,
}

impl DataRow for RegionRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "regions";
    const MEANING: &'static str =
        "A time that a thread was in a region, from where it was entered to where it was left.";

    fn columns() -> Vec<Column<RegionRow, RankOfRows>> {
        type Row = RegionRow;
        type Of = RankOfRows;
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("thread", |row: &Row, _| row.thread).means("thread of the rank"),
            Shared::text("region", |row: &Row, _| row.name.clone()).means("its name"),
            Shared::id("depth", |row: &Row, _| row.depth).means("how many other regions it lies in"),
            Shared::ticks("start_ticks", |row: &Row, _| row.start)
                .means("when it was entered, as the rank's counter said"),
            Shared::ticks("end_ticks", |row: &Row, _| row.end)
                .means("when it was left, as the rank's counter said; null where it never was"),
            Shared::seconds("start_s", |row: &Row, of: &Of| of.at(row.start))
                .means("when it was entered, seconds since the first rank entered MPI_Init"),
            Shared::seconds("end_s", |row: &Row, of: &Of| row.end.map(|end| of.at(end)))
                .means("when it was left; null where it never was"),
            Shared::seconds("error_s", |row: &Row, of: &Of| of.error(row.start))
                .means("by how much start_s may be off against the first rank's clock"),
        ]);
        columns
    }
}

/// The regions that a rank's threads were in.
pub fn rows(set: &DataSet<'_>, at: usize) -> Vec<RegionRow> {
    let rank = &set.run.ranks[at];
    let of_thread = |thread: &ThreadPages<'_>| {
        let cursor = Cursor::new(rank.stretches(thread.number));
        let mut reader = RegionReader { thread: thread.number, cursor, open: Vec::new(), rows: Vec::new() };
        for page in &thread.pages {
            // What is damaged was said when the calls were added up.
            let _ = walk(page, &mut reader);
        }
        let name =
            |number| rank.regions.get(&number).map_or_else(|| format!("region {number}"), |region| region.name.clone());
        reader.rows.iter_mut().for_each(|row| row.name = name(row.number));
        reader.rows
    };
    set.threads(at).iter().flat_map(of_thread).collect()
}

struct RegionReader<'a> {
    thread: u32,
    cursor: Cursor<'a>,
    /// Places of the rows of those the thread is in, and of one that is not asked about, with their numbers.
    open: Vec<(u32, Option<usize>)>,
    rows: Vec<RegionRow>,
}

impl Visitor for RegionReader<'_> {
    fn call(&mut self, _signature: u32, _start: u64, _duration: u64) {}

    fn region(&mut self, kind: RecordKind, at: u64, number: u32) {
        if kind == RecordKind::RegionBegin {
            let counts = self.cursor.part_at(at) != LEFT_OUT;
            let place = counts.then_some(self.rows.len());
            if counts {
                let (thread, depth) = (self.thread, self.open.len() as u32);
                self.rows.push(RegionRow { thread, number, name: String::new(), depth, start: at, end: None });
            }
            self.open.push((number, place));
        } else if let Some(found) = self.open.iter().rposition(|(open, _)| *open == number)
            && let (_, Some(place)) = self.open.remove(found)
        {
            self.rows[place].end = Some(at);
        }
    }
}
