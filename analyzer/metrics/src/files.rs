//! Files that the ranks accessed between their calls of MPI: by file, by line of the program, and by rank.

use std::collections::BTreeMap;

use super::accessed::{Accessed, RankAccesses, of_run};
use super::totals::{percent, world_rank};
use crate::meaning;
use model::accesses::AccessSums;
use model::{Rank, Run};
use tables::{Column, Row, Table, WorldRank};
use traces::accesses::Operation;

/// The name of a rank's file.
pub fn file_name(rank: &Rank, file: u32) -> String {
    rank.files.get(&file).cloned().unwrap_or_else(|| UNNAMED.into())
}

/// Files without a number, and what no descriptor stands for.
pub const UNNAMED: &str = "(other files)";

/// The accesses to files of the selected ranks that have any.
pub fn of_files(run: &Run) -> Vec<RankAccesses<'_>> {
    of_run(run, |operation| !operation.sleeps())
}

/// A file that ranks accessed.
pub struct FileRow {
    file: String,
    all: Accessed,
    read: Accessed,
    written: Accessed,
    opened: u64,
    synced: f64,
}

impl Row for FileRow {
    const TABLE: &'static str = "files";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("file", "file", |row: &Self| row.file.clone()).means(
                "The file, by the path that the program opened it by; pipes, sockets and the like by what they are.",
            ),
            Column::count("ranks", "ranks", |row: &Self| row.all.count_of_ranks())
                .means("How many ranks accessed it.")
                .spare(5),
            Column::seconds("time_s", "time", |row: &Self| row.all.time)
                .means("Time in accesses to it, all ranks together."),
            Column::seconds("time_max_s", "most", |row: &Self| row.all.most().map(|most| most.1))
                .means("The same of the rank with the most.")
                .spare(3),
            Column::rank("max_rank", "by rank", |row: &Self| row.all.most().map(|most| most.0))
                .means(meaning::MAX_RANK)
                .spare(3),
            Column::seconds("longest_s", "longest", |row: &Self| row.all.longest)
                .means("The longest single access.")
                .spare(6),
            Column::count("opens", "opens", |row: &Self| row.opened).means("How often it was opened.").spare(7),
            Column::count("reads", "reads", |row: &Self| row.read.sums.count)
                .means("How often it was read from.")
                .spare(4),
            Column::bytes("read_bytes", "bytes read", |row: &Self| row.read.sums.bytes).means("Bytes read from it."),
            Column::seconds("read_s", "", |row: &Self| row.read.time).means("Time in reading from it."),
            Column::count("writes", "writes", |row: &Self| row.written.sums.count)
                .means("How often it was written to.")
                .spare(4),
            Column::bytes("written_bytes", "bytes written", |row: &Self| row.written.sums.bytes)
                .means("Bytes written to it."),
            Column::seconds("write_s", "", |row: &Self| row.written.time).means("Time in writing to it."),
            Column::seconds("sync_s", "syncing", |row: &Self| row.synced)
                .means("Time in waiting until what was written is on the disk: fsync, fdatasync.")
                .silent_empty(),
        ]
    }
}

/// One row for each file, the one with the most time first.
pub fn by_file(ranks: &[RankAccesses<'_>]) -> Table<FileRow> {
    let mut rows: BTreeMap<String, FileRow> = BTreeMap::new();
    for RankAccesses { rank, sums } in ranks {
        for (key, sums) in sums {
            let file = file_name(rank, key.file);
            let row = rows.entry(file.clone()).or_insert_with(|| FileRow {
                file,
                all: Accessed::default(),
                read: Accessed::default(),
                written: Accessed::default(),
                opened: 0,
                synced: 0.0,
            });
            row.all.add(rank, sums);
            match key.operation {
                Operation::Read => row.read.add(rank, sums),
                Operation::Write => row.written.add(rank, sums),
                Operation::Open => row.opened += sums.count,
                Operation::Sync => row.synced += rank.clock.seconds(sums.time),
                _ => {}
            }
        }
    }
    let mut rows: Vec<FileRow> = rows.into_values().collect();
    rows.sort_by(|a, b| b.all.time.total_cmp(&a.all.time));
    Table::new("files", rows)
}

/// Accesses of one operation from one place in the program.
pub struct AccessRow {
    operation: Operation,
    site: String,
    place: String,
    file: String,
    files: u64,
    all: Accessed,
}

impl Row for AccessRow {
    const TABLE: &'static str = "file_accesses";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("operation", "operation", |row: &Self| row.operation.name().to_string())
                .means("What it does: open, close, read, write, sync (fsync, fdatasync), flush (of a stream's buffer) or truncate."),
            Column::text("site", "", |row: &Self| row.site.clone())
                .means("Where the program accesses the file, by its callers or path if these were chosen."),
            Column::text("place", "accessed at", |row: &Self| row.place.clone())
                .means("The same in short: file and line."),
            Column::text("file", "file", |row: &Self| row.file.clone())
                .means("The file with the most time there; the whole table by file is `files`."),
            Column::count("files", "", |row: &Self| row.files).means("How many files are accessed there."),
            Column::count("ranks", "ranks", |row: &Self| row.all.count_of_ranks()).means("How many ranks do.").spare(5),
            Column::count("accesses", "accesses", |row: &Self| row.all.sums.count)
                .means("How often, all ranks together."),
            Column::seconds("time_s", "time", |row: &Self| row.all.time).means("Time in these, all ranks together."),
            Column::seconds("time_max_s", "most", |row: &Self| row.all.most().map(|most| most.1))
                .means("The same of the rank with the most.")
                .spare(3),
            Column::rank("max_rank", "by rank", |row: &Self| row.all.most().map(|most| most.0))
                .means(meaning::MAX_RANK)
                .spare(3),
            Column::seconds("longest_s", "longest", |row: &Self| row.all.longest)
                .means("The longest single access.")
                .spare(6),
            Column::bytes("bytes", "bytes", |row: &Self| moved(row, row.all.sums.bytes))
                .means("Bytes read or written."),
            Column::bytes("smallest_bytes", "smallest", |row: &Self| moved(row, row.all.sums.smallest))
                .means("Bytes of the smallest one; 0 at the end of a file.")
                .spare(7),
            Column::bytes("largest_bytes", "largest", |row: &Self| moved(row, row.all.sums.largest))
                .means("Bytes of the largest one.")
                .spare(7),
            Column::percent("sequential_percent", "sequential", |row: &Self| {
                let sums = &row.all.sums;
                percent((sums.count - sums.jumps.min(sums.count)) as f64, sums.count as f64).filter(|_| moves(row))
            })
            .means("Share of them that began where the rank's access to the file before had ended.")
            .spare(4),
            Column::count("failed", "", |row: &Self| row.all.sums.failed).means("How many returned an error."),
        ]
    }
}

fn moves(row: &AccessRow) -> bool {
    matches!(row.operation, Operation::Read | Operation::Write)
}

fn moved(row: &AccessRow, bytes: u64) -> Option<u64> {
    moves(row).then_some(bytes)
}

/// One row for each operation and place, the one with the most time first.
pub fn by_place(run: &Run, ranks: &[RankAccesses<'_>]) -> Table<AccessRow> {
    let mut rows: BTreeMap<(Operation, String, String), AccessRow> = BTreeMap::new();
    let mut times: BTreeMap<(Operation, String, String), BTreeMap<String, f64>> = BTreeMap::new();
    for RankAccesses { rank, sums } in ranks {
        for (key, sums) in sums {
            let operation = key.operation;
            let (site, place) = run.sites.outside_headers(rank, key.site);
            let name = (operation, site.clone(), place.clone());
            let file = file_name(rank, key.file);
            *times.entry(name.clone()).or_default().entry(file.clone()).or_default() += rank.clock.seconds(sums.time);
            let new = || AccessRow { operation, site, place, file, files: 1, all: Accessed::default() };
            rows.entry(name).or_insert_with(new).all.add(rank, sums);
        }
    }
    for (name, row) in &mut rows {
        let files = times.remove(name).unwrap_or_default();
        row.files = files.len() as u64;
        if let Some((file, _)) = files.into_iter().reduce(|most, next| if next.1 > most.1 { next } else { most }) {
            row.file = file;
        }
    }
    let mut rows: Vec<AccessRow> = rows.into_values().collect();
    rows.sort_by(|a, b| b.all.time.total_cmp(&a.all.time));
    Table::new("by line", rows)
}

/// A rank's time in files.
pub struct RankFilesRow {
    rank: WorldRank,
    accesses: u64,
    time: f64,
    share: Option<f64>,
    read: u64,
    written: u64,
}

impl Row for RankFilesRow {
    const TABLE: &'static str = "file_ranks";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::count("accesses", "accesses", |row: &Self| row.accesses).means("How often it accessed files."),
            Column::seconds("time_s", "time", |row: &Self| row.time).means("Its time in that."),
            Column::percent("time_share_percent", "of its time", |row: &Self| row.share)
                .means("The same as a share of the rank's time."),
            Column::bytes("read_bytes", "bytes read", |row: &Self| row.read).means("Bytes that it read."),
            Column::bytes("written_bytes", "bytes written", |row: &Self| row.written).means("Bytes that it wrote."),
        ]
    }
}

/// One row for each rank that accessed files.
pub fn by_rank(ranks: &[RankAccesses<'_>]) -> Table<RankFilesRow> {
    let row = |RankAccesses { rank, sums }: &RankAccesses<'_>| {
        let mut all = AccessSums::default();
        let (mut read, mut written) = (0, 0);
        for (key, sums) in sums {
            all.merge(sums);
            match key.operation {
                Operation::Read => read += sums.bytes,
                Operation::Write => written += sums.bytes,
                _ => {}
            }
        }
        let (from, until) = rank.selected_ends();
        let time = rank.clock.seconds(all.time);
        let share = percent(time, rank.clock.seconds(until.saturating_sub(from)));
        RankFilesRow { rank: world_rank(rank), accesses: all.count, time, share, read, written }
    };
    Table::new("by rank", ranks.iter().map(row).collect())
}
