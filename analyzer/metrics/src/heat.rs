//! The communication matrix as cells of a picture: with more ranks than cells on a side, neighbors share one.

use std::collections::BTreeMap;

use super::matrix::{Matrix, sender_and_receiver};
use crate::meaning;
use tables::part::Addend::Bytes;
use tables::part::{PartRows, PartTable};
use tables::{Column, Row, Table, WorldRank};

/// Cells on a side.
const PLACES: usize = 128;

/// Bytes from some neighboring ranks to others; each group goes by its first rank.
pub struct HeatRow {
    from: WorldRank,
    to: WorldRank,
    bytes: u64,
}

impl Row for HeatRow {
    const TABLE: &'static str = "heat";
    fn columns() -> Vec<Column<Self>> {
        let [from, to] = sender_and_receiver(|row: &Self| (row.from, row.to));
        vec![from, to, Column::bytes("bytes", "bytes", |row: &Self| row.bytes).means(meaning::BYTES).in_part(Bytes)]
    }
}

/// One row for each cell that has bytes.
pub fn table(matrix: &Matrix) -> Table<HeatRow> {
    let each = matrix.ranks.len().div_ceil(PLACES).max(1) as u32;
    let mut sums: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for ((from, to), traffic) in &matrix.traffic {
        let sum = sums.entry((from / each, to / each)).or_default();
        *sum = sum.saturating_add(traffic.total());
    }
    sums.retain(|_, bytes| *bytes > 0);
    let first = |place: u32| matrix.ranks[(place * each) as usize];
    let row = |((from, to), bytes): (&(u32, u32), &u64)| HeatRow { from: first(*from), to: first(*to), bytes: *bytes };
    let title = match each {
        1 => "bytes from rank to rank".to_string(),
        each => format!("bytes from {each} neighbors to {each} others"),
    };
    Table::new(title, sums.iter().map(row).collect()).in_part(PartTable::new(PartRows::Messages, &[]).only("bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Traffic;

    #[test]
    fn places_hold_all_bytes_and_none_is_empty() {
        for (count, each) in [(128, 1), (300, 3)] {
            let ranks = (0..count).map(|number| WorldRank { world: 0, number: Some(number) }).collect();
            let traffic = |rank: u32| {
                let bytes = if rank.is_multiple_of(2) { 10 } else { 0 };
                ((rank, (rank + 1) % count), Traffic { messages: 1, bytes, collective: 5 * bytes })
            };
            let matrix = Matrix { ranks, traffic: (0..count).map(traffic).collect(), ..Matrix::default() };
            let rows = table(&matrix).rows;
            assert_eq!(rows.iter().map(|row| row.bytes).sum::<u64>(), matrix.total().total());
            assert!(rows.iter().all(|row| row.bytes > 0 && row.from.number.unwrap() % each == 0), "{count} ranks");
            assert!(rows.len() as u32 > count / (2 * each) - 1, "{}", rows.len());
        }
    }
}
