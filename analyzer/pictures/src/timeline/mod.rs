//! Timelines: ranks from top to bottom, time from left to right. In a terminal, as SVG or PNG, or as a page.

mod bytes;
mod call_sums;
mod chunk_sums;
pub mod contents;
mod html;
pub mod page_data;
mod rank_section;
mod records;
mod row_orders;
mod share;
mod svg;
mod text;

use model::levels::{Grid, Life, RankBins, RegionSpan};

pub use bytes::Bytes;
pub use chunk_sums::ChunkSums;
pub use html::{imports, page, part, style};
pub use page_data::{LongWait, PageBins, PageChunk, PageData, PageFunction, PageName, PagePlace, PageSums, rank_json};
pub use rank_section::{CallKind, PageWait, RankSection, bins, chunk};
pub use records::{KindRecord, Layouts, known, layouts};
pub use row_orders::row_orders;
pub use svg::{columns as svg_columns, svg};
pub use text::{columns, lines};

/// Contents of a timeline.
pub struct Picture<'a> {
    pub title: String,
    pub grid: Grid,
    /// Ranks from top to bottom.
    pub rows: Vec<PictureRow>,
    /// Regions of one rank.
    pub regions: Vec<RegionSpan>,
    /// Messages between rows that begin or end in the picture's time.
    pub messages: &'a [MessageLine],
}

/// A rank in a picture.
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
    /// Begin of the send.
    pub begin: i64,
    /// End of the receive.
    pub end: i64,
    /// Row of the sender.
    pub from: u32,
    /// Row of the receiver.
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

/// A time in the unit that suits the whole picture, with enough decimals to tell bins apart.
fn time_label(at: i64, length: i64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")];
    let (each, name) = units.into_iter().find(|(each, _)| length >= *each).unwrap_or((1, "ns"));
    // No clock measures fractions of a nanosecond.
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
