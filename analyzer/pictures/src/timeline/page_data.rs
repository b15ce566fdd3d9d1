//! The data of a page's timeline, as `page/timeline/store.js` reads it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::share::RowOrder;
use super::{Layouts, PictureRow};
use crate::SourceLines;
use model::levels::{Grid, RegionSpan, TimeClass};
use tables::WorldRank;

/// Times in nanoseconds on the run's clock.
#[derive(Serialize)]
pub struct PageData {
    /// Layouts of the encoded records.
    pub layouts: Layouts,
    pub title: String,
    pub from: i64,
    pub to: i64,
    pub ranks: Vec<PageRank>,
    /// Orders of rows that a reader may choose instead of that by rank.
    pub orders: Vec<RowOrder>,
    /// Every rank of the run, by the number that waits refer to.
    pub names: Vec<PageName>,
    /// Names of time classes.
    pub classes: Vec<&'static str>,
    pub functions: Vec<PageFunction>,
    /// Short names of call sites.
    pub sites: Vec<String>,
    /// Functions around these, with all parameters; empty if unknown.
    pub around: Vec<String>,
    /// Source lines by short name of call site; a page with tables has them for all its parts.
    pub sources: SourceLines,
    /// Names of call sites in reports.
    pub site_names: Vec<String>,
    /// By call site and function: the path of its calls.
    pub paths: Vec<BTreeMap<u32, u32>>,
    /// The caller of each path.
    pub callers: Vec<Option<u32>>,
    /// Names of the paths' functions that were sampled, by path.
    pub sampled: BTreeMap<u32, String>,
    /// Encoded samples of each row.
    pub samples: Vec<String>,
    /// Places that waits are blamed on.
    pub places: Vec<PagePlace>,
    /// Smallest number of bytes in each size class; class 0 is for calls without bytes.
    pub sizes: Vec<Option<u64>>,
    /// Communicators, windows and files.
    pub objects: Vec<String>,
    pub states: Vec<&'static str>,
    pub bins: PageBins,
    /// Finer bins beside the page.
    pub fine: Option<PageBins>,
    pub chunks: Vec<PageChunk>,
    /// Sums over chunks, if the chunks are not in the page.
    pub sums: Vec<PageSums>,
    /// Folder of the files beside the page.
    pub folder: String,
    /// Longest waits, the longest first.
    pub waits: Vec<LongWait>,
    /// Regions: begin, end, depth, name.
    pub regions: Vec<(i64, i64, usize, String)>,
    pub regions_of: String,
    pub notes: Vec<String>,
}

#[derive(Serialize)]
pub struct LongWait {
    /// Row of the waiting rank.
    pub row: u32,
    pub call: i64,
    pub from: i64,
    pub until: i64,
    /// Index of the wait state.
    pub state: u32,
    /// Index of the place where it waited.
    pub here: u32,
    /// Index of the rank that came late, if another.
    pub cause: Option<u32>,
    /// Index of the place where that rank was.
    pub place: Option<u32>,
}

/// A rank's name in words, and in tables: its number, the number with its world, or null if unknown.
#[derive(Serialize)]
pub struct PageName {
    pub label: String,
    pub rank: Json,
}

/// A function and its call site.
#[derive(Serialize)]
pub struct PagePlace {
    pub function: String,
    pub site: String,
}

/// Files with the sums of `each` chunks; the last file may cover fewer.
#[derive(Serialize)]
pub struct PageSums {
    /// Chunks per file.
    pub each: usize,
    pub files: Vec<String>,
}

#[derive(Serialize)]
pub struct PageRank {
    pub label: String,
    /// Index into the names.
    pub name: u32,
    pub threads: usize,
    /// Times in which the rank ran and its calls are known.
    pub spans: Vec<(i64, i64)>,
    /// Unfinished calls of its threads: class, and begin.
    pub open: Vec<(usize, i64)>,
}

#[derive(Clone, Serialize)]
pub struct PageFunction {
    pub name: String,
    /// Index of the time class.
    pub class: usize,
    /// Role of the partner: `to`, `from`, `root`.
    pub peer: &'static str,
    /// Part of a rank's time that it counts in, as the table of rank times calls it.
    pub part: String,
    /// MPI_Init or MPI_Finalize, which efficiency excludes.
    pub edge: bool,
}

/// Bins of all rows: in the page as `data`, or in files.
#[derive(Serialize)]
pub struct PageBins {
    pub from: i64,
    /// Length of a bin in nanoseconds.
    pub width: i64,
    pub count: usize,
    /// Encoded bins, if they are in the page.
    pub data: Option<String>,
    /// Names of the files, if they are not.
    pub files: Vec<String>,
    /// Bins per file.
    pub each: usize,
}

/// Calls that begin within a time.
#[derive(Serialize)]
pub struct PageChunk {
    pub from: i64,
    pub to: i64,
    pub calls: u64,
    /// Name of the chunk and of its file.
    pub name: String,
    /// Encoded calls, if they are in the page.
    pub data: Option<String>,
}

impl PageBins {
    pub fn in_page(grid: &Grid, data: String) -> PageBins {
        PageBins { from: grid.from, width: grid.width, count: grid.count, data: Some(data), files: Vec::new(), each: 0 }
    }

    /// Bins in files of `each`.
    pub fn in_files(grid: &Grid, each: usize) -> PageBins {
        let files = (0..grid.count.div_ceil(each)).map(|number| format!("bins-{number:04}")).collect();
        PageBins { from: grid.from, width: grid.width, count: grid.count, data: None, files, each }
    }
}

/// Rows of a picture, with their places among all ranks.
pub fn ranks(rows: &[PictureRow], places: &[u32]) -> Vec<PageRank> {
    let rank = |(row, place): (&PictureRow, &u32)| PageRank {
        label: row.label.clone(),
        name: *place,
        threads: row.threads,
        spans: row.life.spans.clone(),
        open: row.life.open.iter().map(|(function, since)| (TimeClass::of(*function) as usize, *since)).collect(),
    };
    rows.iter().zip(places).map(rank).collect()
}

pub fn classes() -> Vec<&'static str> {
    TimeClass::ALL.iter().map(|class| class.name()).collect()
}

/// Regions in the page's format.
pub fn regions(regions: &[RegionSpan]) -> Vec<(i64, i64, usize, String)> {
    regions.iter().map(|region| (region.from, region.to, region.depth, region.name.clone())).collect()
}

/// A rank in the format of a page's tables.
pub fn rank_json(rank: WorldRank) -> Json {
    match rank.world {
        0 => json!(rank.number),
        world => json!([rank.number, world]),
    }
}

impl PageData {
    /// Text for a script element, with `<` escaped so that no name can end it.
    pub fn script(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)?.replace('<', "\\u003c"))
    }
}
