//! Values of columns: one type for all rows of a column, and which of them are known.

use std::sync::Arc;

/// So many rows of a table, in the columns that were wanted.
#[derive(Debug)]
pub struct Batch {
    /// How many rows.
    pub rows: usize,
    /// A column for each that was wanted, in that order.
    pub columns: Vec<Values>,
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum Values {
    /// Yes or no.
    Flag(Cells<bool>),
    /// Numbers by which things are called.
    Number(Cells<u32>),
    /// Counts, bytes, ticks.
    Whole(Cells<u64>),
    /// Tags.
    Signed(Cells<i32>),
    /// Seconds.
    Real(Cells<f64>),
    /// Texts that differ from row to row.
    Text(Cells<String>),
    /// Texts that repeat: places in a list of names.
    Name(Cells<u32>, Arc<[String]>),
}

/// Values of one type.
#[derive(Clone, Debug)]
pub struct Cells<T> {
    /// One for each row, anything where it is not known.
    pub values: Vec<T>,
    /// Which are known, where not all have to be.
    pub known: Option<Vec<bool>>,
}

impl<T> Cells<T> {
    /// The value of a row, if it is known.
    pub fn get(&self, row: usize) -> Option<&T> {
        let is_known = self.known.as_ref().is_none_or(|known| known[row]);
        is_known.then(|| &self.values[row])
    }
}

/// One value, for whoever writes rows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cell<'a> {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(u64),
    /// One that may be negative.
    Signed(i32),
    /// Seconds.
    Real(f64),
    /// Text.
    Text(&'a str),
    /// Nothing is known.
    Null,
}

impl Values {
    /// The value of a row.
    pub fn cell(&self, row: usize) -> Cell<'_> {
        let cell = match self {
            Values::Flag(cells) => cells.get(row).map(|flag| Cell::Flag(*flag)),
            Values::Number(cells) => cells.get(row).map(|number| Cell::Whole((*number).into())),
            Values::Whole(cells) => cells.get(row).map(|number| Cell::Whole(*number)),
            Values::Signed(cells) => cells.get(row).map(|number| Cell::Signed(*number)),
            Values::Real(cells) => cells.get(row).map(|number| Cell::Real(*number)),
            Values::Text(cells) => cells.get(row).map(|text| Cell::Text(text)),
            Values::Name(cells, names) => cells.get(row).map(|name| Cell::Text(&names[*name as usize])),
        };
        cell.unwrap_or(Cell::Null)
    }
}
