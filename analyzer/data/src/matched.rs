//! Tables of matched data, found by one walk through the run and held in memory.

use std::io;
use std::sync::Arc;

use super::place_names::PlaceNames;
use super::set::{DataSet, OfRank, RankOfRows};
use super::table::{DataRow, RowSource, ShowRows};

/// Rank and names that all rows share; rows hold functions and call sites by number.
pub struct RankAndPlaces {
    rank: RankOfRows,
    names: PlaceNames,
}

impl RankAndPlaces {
    pub fn functions(&self) -> &Arc<[String]> {
        &self.names.functions
    }

    pub fn sites(&self) -> &Arc<[String]> {
        &self.names.sites
    }
}

impl OfRank for RankAndPlaces {
    fn rank(&self) -> &RankOfRows {
        &self.rank
    }
}

/// Rows made of the found data of a rank. A part is a rank.
pub struct MatchedRows<'r, Found, Row> {
    set: &'r DataSet<'r>,
    found: fn(&'r DataSet<'r>, usize) -> &'r [Found],
    row: fn(&DataSet<'_>, &Found) -> Row,
}

impl<'r, Found, Row> MatchedRows<'r, Found, Row> {
    pub fn new(
        set: &'r DataSet<'r>,
        found: fn(&'r DataSet<'r>, usize) -> &'r [Found],
        row: fn(&DataSet<'_>, &Found) -> Row,
    ) -> MatchedRows<'r, Found, Row> {
        MatchedRows { set, found, row }
    }
}

/// Rows shown at a time.
const ROWS: usize = 1 << 14;

impl<Found: Sync, Row: DataRow<Common = RankAndPlaces>> RowSource<Row> for MatchedRows<'_, Found, Row> {
    fn parts(&self) -> Vec<usize> {
        self.set.asked().collect()
    }

    fn read(&self, part: usize, show: &mut ShowRows<'_, Row>) -> io::Result<()> {
        let Some(rank) = self.set.asked().nth(part) else { return Ok(()) };
        let common = RankAndPlaces { rank: self.set.rank(rank), names: self.set.names().clone() };
        let mut chunks = (self.found)(self.set, rank).chunks(ROWS);
        chunks.try_for_each(|some| show(&some.iter().map(|one| (self.row)(self.set, one)).collect::<Vec<_>>(), &common))
    }
}
