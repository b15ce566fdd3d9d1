//! Timelines: ranks from top to bottom, time from left to right. In a terminal, as SVG or PNG, or as a page.

mod chunk_sums;
pub mod contents;
mod html;
pub mod page_data;
mod rank_section;
mod records;
mod share;
mod svg;
mod text;
mod time_sums;

use model::error::Error;
use model::levels::{Grid, Life, RankBins, RegionSpan};
use tables::number;

pub use chunk_sums::ChunkSums;
pub use html::{imports, page, part, style};
pub use page_data::{LongWait, PageBins, PageChunk, PageData, PageFunction, PageName, PagePlace, PageSums, rank_json};
pub use rank_section::{CallKind, PageWait, RankSection, bins, chunk};
pub use records::{Bytes, KindRecord, Layouts, SampleRecord, known, layouts};
pub use share::row_orders;
pub use svg::{columns as svg_columns, svg};
pub use text::{columns, lines};

/// Writes a part of a page, by name and text, to a file beside it.
pub type WritePart<'a> = &'a mut dyn FnMut(&str, &str) -> Result<(), Error>;

/// Contents of a timeline.
pub struct Picture<'a> {
    pub title: String,
    pub grid: Grid,
    pub rows: Vec<PictureRow>,
    /// Regions of the first rank that has any, as many as are shown; the number of others; and that rank's name.
    pub regions: Vec<RegionSpan>,
    pub regions_left_out: usize,
    pub regions_of: String,
    /// Messages between rows that begin or end in the picture's time.
    pub messages: &'a [MessageLine],
}

pub struct PictureRow {
    pub label: String,
    /// Time from the rank's start to its end.
    pub life: Life,
    pub threads: usize,
    /// Nanoseconds per tick.
    pub tick: f64,
    /// The rank's time, by bin.
    pub bins: RankBins,
}

impl PictureRow {
    /// A copy with other bins.
    pub fn with(&self, bins: RankBins) -> PictureRow {
        PictureRow { label: self.label.clone(), life: self.life.clone(), threads: self.threads, tick: self.tick, bins }
    }
}

/// A message between two rows. Times in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MessageLine {
    pub begin: i64,
    pub end: i64,
    pub from: u32,
    pub to: u32,
    pub bytes: u64,
}

/// Ranks per row, so that at most `most` rows are shown.
fn rows_of_one(rows: usize, most: usize) -> usize {
    rows.div_ceil(most.max(1)).max(1)
}

/// Label of a row that shows several ranks.
fn label(rows: &[PictureRow]) -> String {
    match rows {
        [] => String::new(),
        [row] => row.label.clone(),
        [first, .., last] => format!("{}-{}", first.label, last.label),
    }
}

/// A time in the unit that suits a picture of this length, with enough decimals to tell times apart that differ by `step`.
fn time_label(at: i64, length: i64, step: f64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")];
    let (each, name) = units.into_iter().find(|(each, _)| length >= *each).unwrap_or((1, "ns"));
    // No clock measures fractions of a nanosecond.
    let most = (each as f64).log10();
    let decimals = (each as f64 / step.max(1.0)).log10().ceil().clamp(0.0, most) as usize;
    format!("{} {name}", number::decimal(at as f64 / each as f64, decimals))
}

#[cfg(test)]
mod tests {
    use super::time_label;

    #[test]
    fn times_have_the_decimals_that_tell_them_apart() {
        assert_eq!(time_label(1_500_000_000, 4_000_000_000, 4e7), "1.50 s");
        assert_eq!(time_label(1_500_000_000, 4_000_000_000, 5e8), "1.5 s");
        assert_eq!(time_label(250_000_000, 289_000_000, 2.89e6), "250 ms");
        assert_eq!(time_label(1_000_250, 1_500, 15.0), "1,000.25 µs");
        assert_eq!(time_label(12, 40, 0.4), "12 ns");
    }
}
