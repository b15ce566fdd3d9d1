//! A run as a picture: ranks from top to bottom, time from left to right. In a terminal, as SVG or PNG, as a page.

mod bytes;
mod call_sums;
mod chunk_sums;
pub mod contents;
mod html;
pub mod page_data;
mod palette;
mod rank_section;
mod records;
mod share;
mod svg;
mod text;

use model::levels::{Grid, Life, RankBins, RegionSpan};

pub use bytes::Bytes;
pub use chunk_sums::ChunkSums;
pub use html::{STYLE, imports, page, part};
pub use page_data::{LongWait, PageBins, PageChunk, PageData, PageFunction, PageName, PagePlace, PageSums, rank_json};
pub use rank_section::{CallKind, PageWait, RankSection, bins, chunk};
pub use records::{KindRecord, Layouts, known, layouts};
pub use svg::{columns as svg_columns, svg};
pub use text::{columns, lines};

/// What a picture shows.
pub struct Picture<'a> {
    /// What it is of.
    pub title: String,
    /// Its bins.
    pub grid: Grid,
    /// The ranks, from top to bottom.
    pub rows: Vec<PictureRow>,
    /// The regions of one of its ranks.
    pub regions: Vec<RegionSpan>,
    /// Messages between its rows that begin or end in its time.
    pub messages: &'a [MessageLine],
}

/// A rank of a picture.
pub struct PictureRow {
    /// The rank.
    pub label: String,
    /// When it ran.
    pub life: Life,
    /// Its threads.
    pub threads: usize,
    /// Nanoseconds a tick.
    pub tick: f64,
    /// Its time.
    pub bins: RankBins,
}

impl PictureRow {
    /// The same with other bins.
    pub fn with(&self, bins: RankBins) -> PictureRow {
        PictureRow { label: self.label.clone(), life: self.life.clone(), threads: self.threads, tick: self.tick, bins }
    }
}

/// A message, by the places of its rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MessageLine {
    /// When its send began.
    pub begin: i64,
    /// When its receive ended.
    pub end: i64,
    /// From which row.
    pub from: u32,
    /// To which.
    pub to: u32,
    /// How many bytes.
    pub bytes: u64,
}

/// A rank's rows shown as one where there are more than fit: how many to a row.
fn rows_of_one(rows: usize, most: usize) -> usize {
    rows.div_ceil(most.max(1)).max(1)
}

/// What rows of several ranks are called.
fn label(rows: &[PictureRow]) -> String {
    match rows {
        [] => String::new(),
        [row] => row.label.clone(),
        [first, .., last] => format!("{}-{}", first.label, last.label),
    }
}

/// A time with the unit that a whole picture's times have, and as many decimals as tell bins apart.
fn time_label(at: i64, length: i64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")];
    let (each, name) = units.into_iter().find(|(each, _)| length >= *each).unwrap_or((1, "ns"));
    // No clock tells parts of a nanosecond.
    let most = (each as f64).log10();
    let steps = (each as f64 * 100.0 / length.max(1) as f64).log10().ceil().clamp(0.0, most) as usize;
    format!("{:.steps$} {name}", at as f64 / each as f64)
}

#[cfg(test)]
mod tests {
    use super::time_label;

    #[test]
    fn times_have_the_decimals_that_tell_them_apart() {
        assert_eq!(time_label(1_500_000_000, 4_000_000_000), "1.50 s");
        assert_eq!(time_label(250_000_000, 289_000_000), "250 ms");
        assert_eq!(time_label(1_000_250, 1_500), "1000.25 µs");
        assert_eq!(time_label(12, 40), "12 ns");
    }
}
