//! The communication matrix as cells of a picture: if the pairs of ranks are too many, neighbors share a cell.

use std::collections::BTreeMap;

use super::matrix::{Matrix, sender_and_receiver};
use crate::meaning;
use tables::part::Addend::Bytes;
use tables::part::{PartRows, PartTable};
use tables::{Column, Row, Table, WorldRank};

/// Maximum number of cells: a square of 128 ranks has as many.
const CELLS: usize = 128 * 128;

/// Bytes from some neighboring ranks to others; a group is named by its first rank.
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
    let pairs = matrix.traffic.iter().map(|(places, traffic)| (*places, traffic.total()));
    let mut sums: BTreeMap<(u32, u32), u64> = pairs.filter(|(_, bytes)| *bytes > 0).collect();
    let mut each = 1;
    while sums.len() > CELLS {
        each *= 2;
        let mut shared: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for ((from, to), bytes) in sums {
            let sum = shared.entry((from / 2, to / 2)).or_default();
            *sum = sum.saturating_add(bytes);
        }
        sums = shared;
    }
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
    fn cells_hold_all_bytes_none_is_empty_and_ranks_share_them_only_where_pairs_are_too_many() {
        // Each even rank sends to this many others.
        for (count, others, each) in [(128, 1, 1), (1024, 8, 1), (512, 200, 4)] {
            let ranks = (0..count).map(|number| WorldRank { world: 0, number: Some(number) }).collect();
            let traffic = |(rank, far): (u32, u32)| {
                let bytes = if rank.is_multiple_of(2) { 10 } else { 0 };
                ((rank, (rank + far) % count), Traffic { messages: 1, bytes, collective: 5 * bytes })
            };
            let pairs = (0..count).flat_map(|rank| (1..=others).map(move |far| (rank, far)));
            let matrix = Matrix { ranks, traffic: pairs.map(traffic).collect(), ..Matrix::default() };
            let rows = table(&matrix).rows;
            assert_eq!(rows.iter().map(|row| row.bytes).sum::<u64>(), matrix.total().total());
            assert!(rows.iter().all(|row| row.bytes > 0 && row.from.number.unwrap() % each == 0), "{count} ranks");
            assert!(rows.len() <= CELLS && rows.len() as u32 * each * each * 2 >= count * others / 2, "{}", rows.len());
        }
    }
}
