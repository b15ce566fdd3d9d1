//! `regions`: each stay of a thread in a named region of the program.

use traces::read::ThreadPages;

use crate::data_table::DataRow;
use crate::set::{DataSet, RankOfRows, rank_columns};
use model::Rank;
use model::selection::{Cursor, LEFT_OUT, RegionMark, region_marks};
use tables::{Column, Shared};

/// A region from entry to exit. Times in ticks.
pub struct RegionRow {
    thread: u32,
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

pub fn rows(set: &DataSet<'_>, at: usize) -> Vec<RegionRow> {
    let rank = &set.run.ranks[at];
    set.threads(at).iter().flat_map(|thread| rows_of_thread(rank, thread)).collect()
}

fn rows_of_thread(rank: &Rank, thread: &ThreadPages<'_>) -> Vec<RegionRow> {
    let mut cursor = Cursor::new(rank.stretches(thread.number));
    let mut rows: Vec<RegionRow> = Vec::new();
    // Regions that the thread is in, with the index of their row if they are selected.
    let mut open: Vec<(u32, Option<usize>)> = Vec::new();
    for RegionMark { at, is_begin, number } in region_marks(thread) {
        if is_begin {
            let counts = cursor.part_at(at) != LEFT_OUT;
            let place = counts.then_some(rows.len());
            if counts {
                let name =
                    rank.regions.get(&number).map_or_else(|| format!("region {number}"), |region| region.name.clone());
                rows.push(RegionRow { thread: thread.number, name, depth: open.len() as u32, start: at, end: None });
            }
            open.push((number, place));
        } else if let Some(found) = open.iter().rposition(|(open, _)| *open == number)
            && let (_, Some(place)) = open.remove(found)
        {
            rows[place].end = Some(at);
        }
    }
    rows
}
