//! All that a page's timeline is mounted with. `page/timeline/store.js` reads it.

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{Layouts, PictureRow};
use model::levels::{Grid, RegionSpan, TimeClass};
use tables::WorldRank;

/// See the module. Times in nanoseconds on the run's clock.
#[derive(Serialize)]
pub struct PageData {
    /// How the records are written that follow as text.
    pub layouts: Layouts,
    /// What it is of.
    pub title: String,
    /// From when.
    pub from: i64,
    /// Until when.
    pub to: i64,
    /// The rows.
    pub ranks: Vec<PageRank>,
    /// Every rank of the run by its place, as waits name them.
    pub names: Vec<PageName>,
    /// What ranks do.
    pub classes: Vec<&'static str>,
    /// Functions.
    pub functions: Vec<PageFunction>,
    /// Call sites in short, and as reports name them.
    pub sites: Vec<String>,
    /// See above.
    pub site_names: Vec<String>,
    /// Places that waits are blamed on.
    pub places: Vec<PagePlace>,
    /// The least bytes of a call by the number of its size, of which 0 is of calls without bytes.
    pub sizes: Vec<Option<u64>>,
    /// Communicators, windows and files.
    pub objects: Vec<String>,
    /// Wait states.
    pub states: Vec<&'static str>,
    /// The bins in the page.
    pub bins: PageBins,
    /// Finer ones beside it.
    pub fine: Option<PageBins>,
    /// Single calls.
    pub chunks: Vec<PageChunk>,
    /// What several chunks come to, where they are not in the page.
    pub sums: Vec<PageSums>,
    /// The folder of what is not in the page.
    pub folder: String,
    /// The longest waits, the longest first.
    pub waits: Vec<LongWait>,
    /// Regions: from, to, depth, name.
    pub regions: Vec<(i64, i64, usize, String)>,
    /// Whose they are.
    pub regions_of: String,
    /// What a reader has to know.
    pub notes: Vec<String>,
}

/// A wait of one call.
#[derive(Serialize)]
pub struct LongWait {
    /// Its row.
    pub row: u32,
    /// When the call began.
    pub call: i64,
    /// From when it waited.
    pub from: i64,
    /// Until when.
    pub until: i64,
    /// Its wait state, and the place where it waited.
    pub state: u32,
    /// See above.
    pub here: u32,
    /// The rank that came late and where, if it was another.
    pub cause: Option<u32>,
    /// See above.
    pub place: Option<u32>,
}

/// A rank's name in words, and as tables have it: its number, unless it is unknown, or that and its world.
#[derive(Serialize)]
pub struct PageName {
    pub label: String,
    pub rank: Json,
}

/// A function, and where it is called.
#[derive(Serialize)]
pub struct PagePlace {
    /// Function.
    pub function: String,
    /// Call site, in short.
    pub site: String,
}

/// What so many chunks come to, one file after another; the last may be of fewer.
#[derive(Serialize)]
pub struct PageSums {
    /// How many.
    pub each: usize,
    /// Their files.
    pub files: Vec<String>,
}

/// A row.
#[derive(Serialize)]
pub struct PageRank {
    /// Its name.
    pub label: String,
    /// Its place among the names.
    pub name: u32,
    /// Its threads.
    pub threads: usize,
    /// When it ran and its calls are known.
    pub spans: Vec<(i64, i64)>,
    /// The calls that its threads have not returned from: each one's class, and since when.
    pub open: Vec<(usize, i64)>,
}

/// A function.
#[derive(Clone, Serialize)]
pub struct PageFunction {
    /// Its name.
    pub name: String,
    /// The place of its class.
    pub class: usize,
    /// What its partner is to it: `to`, `from`, `root`.
    pub peer: &'static str,
    /// The part of a rank's time that it counts in, as the table of those calls it.
    pub part: String,
    /// Efficiency is not about it.
    pub edge: bool,
}

/// Bins of all rows: in the page as `data`, or in files.
#[derive(Serialize)]
pub struct PageBins {
    /// When the first begins.
    pub from: i64,
    /// How long each is.
    pub width: i64,
    /// How many.
    pub count: usize,
    /// In the page.
    pub data: Option<String>,
    /// Names of files, and how many bins each holds.
    pub files: Vec<String>,
    /// See above.
    pub each: usize,
}

/// Single calls that begin in a time.
#[derive(Serialize)]
pub struct PageChunk {
    /// From when.
    pub from: i64,
    /// Until when.
    pub to: i64,
    /// How many.
    pub calls: u64,
    /// Its name; of its file, too.
    pub name: String,
    /// In the page.
    pub data: Option<String>,
}

impl PageBins {
    /// Of a grid, all in the page.
    pub fn in_page(grid: &Grid, data: String) -> PageBins {
        PageBins { from: grid.from, width: grid.width, count: grid.count, data: Some(data), files: Vec::new(), each: 0 }
    }

    /// Of a grid, so many to a file.
    pub fn in_files(grid: &Grid, each: usize) -> PageBins {
        let files = (0..grid.count.div_ceil(each)).map(|number| format!("bins-{number:04}")).collect();
        PageBins { from: grid.from, width: grid.width, count: grid.count, data: None, files, each }
    }
}

/// The rows of a picture, by their places among all ranks.
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

/// The names of all classes.
pub fn classes() -> Vec<&'static str> {
    TimeClass::ALL.iter().map(|class| class.name()).collect()
}

/// Regions as the page takes them.
pub fn regions(regions: &[RegionSpan]) -> Vec<(i64, i64, usize, String)> {
    regions.iter().map(|region| (region.from, region.to, region.depth, region.name.clone())).collect()
}

/// A rank as tables of a page have it.
pub fn rank_json(rank: WorldRank) -> Json {
    match rank.world {
        0 => json!(rank.number),
        world => json!([rank.number, world]),
    }
}

impl PageData {
    /// As text between script tags, which no name in it ends.
    pub fn script(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)?.replace('<', "\\u003c"))
    }
}
