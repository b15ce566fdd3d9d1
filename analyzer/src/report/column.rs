//! A column of a table: its key, its heading, its unit, and which figure of a row it shows.
//!
//! A constructor for each unit takes only figures of that unit, so a value cannot stand in a column of another.

use super::unit::Unit;
use super::value::{Label, Value, WorldRank};

/// A column of a table of such rows.
pub struct Column<Row> {
    /// What is to be known without the rows.
    pub head: ColumnHead,
    value: Box<dyn Fn(&Row) -> Value>,
}

/// A column without its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnHead {
    /// Its name for programs, with the unit behind it.
    pub key: String,
    /// Its heading in text; empty where text leaves the column out. The unit of times comes behind it, or where a heading of the
    /// table has `{unit}`.
    pub heading: String,
    /// What its figures are counted in.
    pub unit: Unit,
    /// Some rows have no figure here.
    pub is_optional: bool,
    /// It says what a row is of, alone or with others: two runs have the same rows where these are the same.
    pub is_name: bool,
    /// Its times are of single calls and the like: they have a unit of their own, where all others of a table have one.
    pub is_each: bool,
    /// Text leaves it out where there is no room for all columns: those with the highest number first, those with 0 never.
    pub spare: u8,
    /// Text leaves it out where no row has a figure.
    pub is_silent_empty: bool,
}

/// A figure, or perhaps none.
pub trait Figure<T> {
    /// Whether there may be none.
    const IS_OPTIONAL: bool;
    /// The figure.
    fn figure(self) -> Option<T>;
}

impl<T> Figure<T> for T {
    const IS_OPTIONAL: bool = false;
    fn figure(self) -> Option<T> {
        Some(self)
    }
}

impl<T> Figure<T> for Option<T> {
    const IS_OPTIONAL: bool = true;
    fn figure(self) -> Option<T> {
        self
    }
}

/// A constructor for each unit.
macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident: $figure:ty => $unit:ident, $value:ident;)*) => {
        impl<Row: 'static> Column<Row> {
            $($(#[$doc])* pub fn $name<F: Figure<$figure>>(
                key: impl Into<String>,
                heading: impl Into<String>,
                figure: impl Fn(&Row) -> F + 'static,
            ) -> Column<Row> {
                let value = move |row: &Row| figure(row).figure().map_or(Value::None, Value::$value);
                Column::new(key.into(), heading.into(), Unit::$unit, F::IS_OPTIONAL, value)
            })*
        }
    };
}

constructors! {
    /// Names.
    text: String => Text, Text;
    /// Names that are ours.
    label: Label => Text, Label;
    /// Numbers of things.
    count: u64 => Count, Count;
    /// Numbers by which things are called.
    number: u64 => Number, Number;
    /// Ranks.
    rank: WorldRank => Rank, Rank;
    /// Durations.
    seconds: f64 => Seconds, Seconds;
    /// Amounts of data.
    bytes: u64 => Bytes, Bytes;
    /// Shares, of 100.
    percent: f64 => Percent, Percent;
    /// Numbers divided by others.
    ratio: f64 => Ratio, Ratio;
}

impl<Row: 'static> Column<Row> {
    /// Figures of which each row knows the unit.
    pub fn by_row(
        key: impl Into<String>,
        heading: impl Into<String>,
        value: impl Fn(&Row) -> Value + 'static,
    ) -> Column<Row> {
        Column::new(key.into(), heading.into(), Unit::ByRow, true, value)
    }

    fn new(
        key: String,
        heading: String,
        unit: Unit,
        is_optional: bool,
        value: impl Fn(&Row) -> Value + 'static,
    ) -> Column<Row> {
        debug_assert!(unit.suits(&key), "{key} does not end as {unit:?}");
        let head = ColumnHead {
            key,
            heading,
            unit,
            is_optional,
            is_name: false,
            is_each: false,
            spare: 0,
            is_silent_empty: false,
        };
        Column { head, value: Box::new(value) }
    }

    /// The same, of what names a row.
    pub fn name(mut self) -> Column<Row> {
        self.head.is_name = true;
        self
    }

    /// The same, of times in a unit of their own.
    pub fn each(mut self) -> Column<Row> {
        self.head.is_each = true;
        self
    }

    /// The same, to be left out of text before those with a lower number where there is no room for all.
    pub fn spare(mut self, spare: u8) -> Column<Row> {
        self.head.spare = spare;
        self
    }

    /// The same, to be left out of text where no row has a figure, or all count nothing.
    pub fn silent_empty(mut self) -> Column<Row> {
        self.head.is_silent_empty = true;
        self
    }

    /// The same, of longer rows that have such a one in them.
    pub fn from_part<Outer: 'static>(self, part: fn(&Outer) -> &Row) -> Column<Outer> {
        Column { head: self.head, value: Box::new(move |row| (self.value)(part(row))) }
    }

    /// The figure of a row.
    pub fn value(&self, row: &Row) -> Value {
        (self.value)(row)
    }
}
