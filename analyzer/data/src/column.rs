//! A column of the data set: its key with the unit in it, its type, a sentence on what it says, and how it is made of rows.

use std::sync::Arc;

use super::values::{Cells, Values};
use tables::Figure;

/// The type of all values of a column, as Arrow calls it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// Yes or no.
    Boolean,
    /// Numbers by which things are called.
    UInt32,
    /// Counts, bytes, ticks.
    UInt64,
    /// Tags.
    Int32,
    /// Seconds.
    Float64,
    /// Text.
    Utf8,
}

/// A column without its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataHead {
    /// Its name.
    pub key: &'static str,
    /// The type of its values.
    pub kind: ColumnType,
    /// Some may be null.
    pub is_optional: bool,
    /// What they say.
    pub meaning: &'static str,
}

/// A column of a table of such rows, which have something in common.
pub struct DataColumn<Row, Common> {
    /// What is to be known without the rows.
    pub head: DataHead,
    fill: Fill<Row, Common>,
}

type Fill<Row, Common> = Box<dyn Fn(&[Row], &Common) -> Values + Send + Sync>;

/// A constructor for each type.
macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident: $value:ty => $kind:ident, $values:ident;)*) => {
        impl<Row: 'static, Common: 'static> DataColumn<Row, Common> {
            $($(#[$doc])* pub fn $name<F: Figure<$value>>(
                key: &'static str,
                meaning: &'static str,
                figure: impl Fn(&Row, &Common) -> F + Send + Sync + 'static,
            ) -> DataColumn<Row, Common> {
                let head = DataHead { key, kind: ColumnType::$kind, is_optional: F::IS_OPTIONAL, meaning };
                let fill = move |rows: &[Row], common: &Common| Values::$values(cells(rows, common, &figure));
                DataColumn { head, fill: Box::new(fill) }
            })*
        }
    };
}

constructors! {
    /// Yes or no.
    flag: bool => Boolean, Flag;
    /// Numbers by which things are called.
    number: u32 => UInt32, Number;
    /// Counts, bytes, ticks.
    whole: u64 => UInt64, Whole;
    /// Tags.
    signed: i32 => Int32, Signed;
    /// Seconds.
    real: f64 => Float64, Real;
    /// Texts that differ from row to row.
    text: String => Utf8, Text;
}

impl<Row: 'static, Common: 'static> DataColumn<Row, Common> {
    /// Texts that repeat, by their places in a list that all rows have in common.
    pub fn name<F: Figure<u32>>(
        key: &'static str,
        meaning: &'static str,
        names: impl Fn(&Common) -> &Arc<[String]> + Send + Sync + 'static,
        place: impl Fn(&Row, &Common) -> F + Send + Sync + 'static,
    ) -> DataColumn<Row, Common> {
        let head = DataHead { key, kind: ColumnType::Utf8, is_optional: F::IS_OPTIONAL, meaning };
        let fill =
            move |rows: &[Row], common: &Common| Values::Name(cells(rows, common, &place), Arc::clone(names(common)));
        DataColumn { head, fill: Box::new(fill) }
    }

    /// Its values of rows.
    pub fn values(&self, rows: &[Row], common: &Common) -> Values {
        (self.fill)(rows, common)
    }
}

fn cells<Row, Common, T: Default, F: Figure<T>>(
    rows: &[Row],
    common: &Common,
    figure: &impl Fn(&Row, &Common) -> F,
) -> Cells<T> {
    if !F::IS_OPTIONAL {
        let value = |row| figure(row, common).figure().unwrap_or_default();
        return Cells { values: rows.iter().map(value).collect(), known: None };
    }
    let (mut values, mut known) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in rows {
        let value = figure(row, common).figure();
        known.push(value.is_some());
        values.push(value.unwrap_or_default());
    }
    Cells { values, known: Some(known) }
}
