//! `sites`: the program's call sites of MPI.

use super::set::{DataSet, RankOfRows, rank_columns};
use super::table::DataRow;
use tables::{Column, Shared};

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

    fn columns() -> Vec<Column<SiteRow, RankOfRows>> {
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("site", |row: &SiteRow, _| row.site).means("the rank's number of it"),
            Shared::text("call_site", |row: &SiteRow, _| row.call_site.clone()).means("in words, as `report` names it"),
            Shared::text("caller", |row: &SiteRow, _| row.caller.clone())
                .means("function of the program that it lies in"),
            Shared::text("file", |row: &SiteRow, _| row.file.clone()).means("source file, without its folders"),
            Shared::id("line", |row: &SiteRow, _| row.line).means("line of the source file"),
            Shared::text("module", |row: &SiteRow, _| row.module.clone())
                .means("path of the program or library that it lies in"),
            Shared::count("offset", |row: &SiteRow, _| row.offset)
                .means("the return address, in bytes from the module's begin"),
        ]);
        columns
    }
}

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
