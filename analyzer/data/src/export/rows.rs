//! Reads rows of the data set's tables one at a time.

use crate::{DataSet, table};
use tables::Cell;

/// Shows each row of a rank in a table, and sums up what `show` returns.
pub fn each(
    set: &DataSet<'_>,
    name: &str,
    at: usize,
    keys: &[&str],
    show: &mut dyn FnMut(&[Cell<'_>]) -> std::io::Result<u64>,
) -> std::io::Result<u64> {
    let Some(table) = table(set, name) else { return Ok(0) };
    let columns = &table.head().columns;
    let wanted: Vec<usize> = keys.iter().filter_map(|key| columns.iter().position(|head| head.key == *key)).collect();
    let mut sum = 0;
    for part in (0..table.parts().len()).filter(|part| table.parts()[*part] == at) {
        table.read(part, &wanted, &mut |batch| {
            for row in 0..batch.rows {
                let cells: Vec<Cell<'_>> = batch.columns.iter().map(|column| column.cell(row)).collect();
                sum += show(&cells)?;
            }
            Ok(())
        })?;
    }
    Ok(sum)
}
