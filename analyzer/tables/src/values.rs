//! The values of columns: one type for all rows of a column, and a mark for the known ones.

use std::sync::Arc;

use crate::unit::Unit;
use crate::value::{Label, Value, WorldRank};

/// Rows of a table, in the requested columns.
#[derive(Debug)]
pub struct Batch {
    pub rows: usize,
    /// One entry for each requested column, in that order.
    pub columns: Vec<Values>,
}

#[derive(Clone, Debug)]
pub enum Values {
    Flag(Cells<bool>),
    Id(Cells<u32>),
    Whole(Cells<u64>),
    Signed(Cells<i32>),
    Real(Cells<f64>),
    /// Texts that differ from row to row.
    Text(Cells<String>),
    /// Texts that repeat, as indices into a list of names.
    Name(Cells<u32>, Arc<[String]>),
    Label(Cells<Label>),
    Rank(Cells<WorldRank>),
    /// Values with a unit of their own each.
    ByRow(Vec<Value>),
}

/// Values of one type.
#[derive(Clone, Debug)]
pub struct Cells<T> {
    /// One value for each row, arbitrary if it is unknown.
    pub values: Vec<T>,
    /// False at the index of a missing value; `None` if no value can be missing.
    pub known: Option<Vec<bool>>,
}

impl<T> Cells<T> {
    pub fn get(&self, row: usize) -> Option<&T> {
        let is_known = self.known.as_ref().is_none_or(|known| known[row]);
        is_known.then(|| &self.values[row])
    }

    fn append(&mut self, more: Cells<T>) {
        self.values.extend(more.values);
        if let (Some(known), Some(more)) = (&mut self.known, more.known) {
            known.extend(more);
        }
    }
}

/// One value, for writers of rows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cell<'a> {
    Flag(bool),
    Whole(u64),
    Signed(i32),
    Real(f64),
    Text(&'a str),
    Null,
}

impl Values {
    /// The value in a row of the data set.
    pub fn cell(&self, row: usize) -> Cell<'_> {
        let cell = match self {
            Values::Flag(cells) => cells.get(row).map(|flag| Cell::Flag(*flag)),
            Values::Id(cells) => cells.get(row).map(|number| Cell::Whole((*number).into())),
            Values::Whole(cells) => cells.get(row).map(|number| Cell::Whole(*number)),
            Values::Signed(cells) => cells.get(row).map(|number| Cell::Signed(*number)),
            Values::Real(cells) => cells.get(row).map(|number| Cell::Real(*number)),
            Values::Text(cells) => cells.get(row).map(|text| Cell::Text(text)),
            Values::Name(cells, names) => cells.get(row).map(|name| Cell::Text(&names[*name as usize])),
            Values::Label(cells) => cells.get(row).map(|label| Cell::Text(label.key)),
            Values::Rank(cells) => cells.get(row).and_then(|rank| Some(Cell::Whole(rank.number?.into()))),
            Values::ByRow(values) => values[row].number().map(Cell::Real),
        };
        cell.unwrap_or(Cell::Null)
    }

    /// The value in a row of a report. `unit` is the column's.
    pub fn value(&self, row: usize, unit: Unit) -> Value {
        let value = match self {
            Values::Flag(cells) => cells.get(row).map(|flag| Value::Text(if *flag { "yes" } else { "no" }.into())),
            Values::Id(cells) => cells.get(row).map(|number| Value::Number((*number).into())),
            Values::Whole(cells) => cells.get(row).map(|number| match unit {
                Unit::Count => Value::Count(*number),
                Unit::Bytes => Value::Bytes(*number),
                _ => Value::Number(*number),
            }),
            Values::Signed(cells) => cells.get(row).map(|number| Value::Text(number.to_string())),
            Values::Real(cells) => cells.get(row).map(|number| match unit {
                Unit::Seconds => Value::Seconds(*number),
                Unit::Percent => Value::Percent(*number),
                _ => Value::Ratio(*number),
            }),
            Values::Text(cells) => cells.get(row).cloned().map(Value::Text),
            Values::Name(cells, names) => cells.get(row).map(|name| Value::Text(names[*name as usize].clone())),
            Values::Label(cells) => cells.get(row).copied().map(Value::Label),
            Values::Rank(cells) => cells.get(row).copied().map(Value::Rank),
            Values::ByRow(values) => Some(values[row].clone()),
        };
        value.unwrap_or(Value::None)
    }

    /// Appends the values of more rows of the same column.
    pub(crate) fn append(&mut self, more: Values) {
        match (self, more) {
            (Values::Flag(cells), Values::Flag(more)) => cells.append(more),
            (Values::Id(cells), Values::Id(more)) => cells.append(more),
            (Values::Whole(cells), Values::Whole(more)) => cells.append(more),
            (Values::Signed(cells), Values::Signed(more)) => cells.append(more),
            (Values::Real(cells), Values::Real(more)) => cells.append(more),
            (Values::Text(cells), Values::Text(more)) => cells.append(more),
            (Values::Name(cells, _), Values::Name(more, _)) => cells.append(more),
            (Values::Label(cells), Values::Label(more)) => cells.append(more),
            (Values::Rank(cells), Values::Rank(more)) => cells.append(more),
            (Values::ByRow(values), Values::ByRow(more)) => values.extend(more),
            (values, more) => unreachable!("a column has one type: {values:?} and {more:?}"),
        }
    }
}
