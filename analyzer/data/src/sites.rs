//! `sites`: where the program calls MPI.

use super::column::DataColumn;
use super::set::{DataSet, RankOfRows, rank_columns};
use super::table::DataRow;

/// A call site of a rank.
pub struct SiteRow {
    site: u32,
    call_site: String,
    caller: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    module: Option<String>,
    offset: Option<u64>,
}

impl DataRow for SiteRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "sites";
    const MEANING: &'static str = "A place in a rank's program that MPI was called from.";

    fn columns() -> Vec<DataColumn<SiteRow, RankOfRows>> {
        let mut columns = rank_columns();
        columns.extend([
            DataColumn::number("site", "the rank's number of it", |row: &SiteRow, _| row.site),
            DataColumn::text("call_site", "in words, as `report` names it", |row: &SiteRow, _| row.call_site.clone()),
            DataColumn::text("caller", "function of the program that it lies in", |row: &SiteRow, _| {
                row.caller.clone()
            }),
            DataColumn::text("file", "source file, without its folders", |row: &SiteRow, _| row.file.clone()),
            DataColumn::number("line", "line of the source file", |row: &SiteRow, _| row.line),
            DataColumn::text("module", "path of the program or library that it lies in", |row: &SiteRow, _| {
                row.module.clone()
            }),
            DataColumn::whole("offset", "the return address, in bytes from the module's begin", |row: &SiteRow, _| {
                row.offset
            }),
        ]);
        columns
    }
}

/// A rank's call sites.
pub fn rows(set: &DataSet<'_>, at: usize) -> Vec<SiteRow> {
    let (rank, sites) = (&set.run.ranks[at], &set.run.sites);
    let mut numbers: Vec<u32> = rank.sites.keys().chain(rank.places.keys()).copied().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let row = |site: u32| {
        let known = sites.innermost(rank, site);
        let of_module = rank.sites.get(&site);
        SiteRow {
            site,
            call_site: sites.place(rank, site),
            caller: known.map(|(function, ..)| function.to_string()),
            file: known.map(|(_, file, _)| file.to_string()).filter(|file| !file.is_empty()),
            line: known.map(|(.., line)| line).filter(|line| *line > 0),
            module: of_module.and_then(|site| Some(rank.modules.get(&site.module)?.path.clone())),
            offset: of_module.map(|site| site.offset),
        }
    };
    numbers.into_iter().map(row).collect()
}
