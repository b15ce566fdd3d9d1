//! A column of a table: key, heading, unit, meaning, and which figure of a row it shows, declared in one place for every format.
//!
//! A constructor for each unit takes only figures of that unit, so a value cannot stand in a column of another.
//!
//!     Column::seconds("wall_time_s", "wall time", |row: &RankRow| row.wall).means("From its MPI_Init to its MPI_Finalize.")

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::part::PartRule;
use crate::unit::Unit;
use crate::value::{Label, Value, WorldRank};
use crate::values::{Cells, Values};

/// A column of rows, which may share something that no row keeps for itself.
pub struct Column<Row, Common = ()> {
    pub head: ColumnHead,
    fill: Fill<Row, Common>,
}

/// Makes the values of many rows at once: a data set has a hundred million of them.
type Fill<Row, Common> = Box<dyn Fn(&[Row], &Common) -> Values + Send + Sync>;

/// A column without its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnHead {
    /// Its name for programs, with the unit behind it.
    pub key: Cow<'static, str>,
    /// Its heading in text; empty where text leaves the column out. The unit of times comes behind it, or where a heading of the
    /// table has `{unit}`.
    pub heading: Cow<'static, str>,
    pub unit: Unit,
    /// A sentence on what its figures say.
    pub meaning: Cow<'static, str>,
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
    /// What it has for a part of the run, on a page that a timeline is on; unknown without.
    pub part: Option<PartRule>,
}

/// A figure, or perhaps none.
pub trait Figure<T> {
    /// Whether there may be none.
    const IS_OPTIONAL: bool;

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

/// Constructors for rows that share something.
pub struct Shared<Row, Common>(PhantomData<(Row, Common)>);

/// A constructor for each unit, for rows alone and for rows that share something.
macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident: $figure:ty => $unit:ident, $values:ident;)*) => {
        impl<Row: 'static> Column<Row> {
            $($(#[$doc])* pub fn $name<F: Figure<$figure>>(
                key: impl Into<Cow<'static, str>>,
                heading: impl Into<Cow<'static, str>>,
                figure: impl Fn(&Row) -> F + Send + Sync + 'static,
            ) -> Column<Row> {
                let head = ColumnHead::new(key.into(), heading.into(), Unit::$unit, F::IS_OPTIONAL);
                let fill = move |rows: &[Row], _: &()| Values::$values(cells(rows, |row| figure(row)));
                Column { head, fill: Box::new(fill) }
            })*
        }

        impl<Row: 'static, Common: 'static> Shared<Row, Common> {
            $($(#[$doc])* pub fn $name<F: Figure<$figure>>(
                key: &'static str,
                figure: impl Fn(&Row, &Common) -> F + Send + Sync + 'static,
            ) -> Column<Row, Common> {
                let head = ColumnHead::new(key.into(), "".into(), Unit::$unit, F::IS_OPTIONAL);
                let fill = move |rows: &[Row], common: &Common| Values::$values(cells(rows, |row| figure(row, common)));
                Column { head, fill: Box::new(fill) }
            })*
        }
    };
}

constructors! {
    /// Names.
    text: String => Text, Text;
    /// Names that are ours.
    label: Label => Text, Label;
    /// Yes or no.
    flag: bool => Flag, Flag;
    /// Numbers of things.
    count: u64 => Count, Whole;
    /// Numbers by which things are called.
    number: u64 => Number, Whole;
    /// Numbers by which other tables know a row.
    id: u32 => Id, Id;
    /// Tags of messages.
    tag: i32 => Tag, Signed;
    /// Ranks with their worlds.
    rank: WorldRank => Rank, Rank;
    /// Durations, and moments since the first rank entered MPI_Init.
    seconds: f64 => Seconds, Real;
    /// What a rank's own counter said.
    ticks: u64 => Ticks, Whole;
    /// Amounts of data.
    bytes: u64 => Bytes, Whole;
    /// Shares, of 100.
    percent: f64 => Percent, Real;
    /// Numbers divided by others.
    ratio: f64 => Ratio, Real;
}

impl<Row: 'static> Column<Row> {
    /// Figures of which each row knows the unit.
    pub fn by_row(
        key: impl Into<Cow<'static, str>>,
        heading: impl Into<Cow<'static, str>>,
        value: impl Fn(&Row) -> Value + Send + Sync + 'static,
    ) -> Column<Row> {
        let head = ColumnHead::new(key.into(), heading.into(), Unit::ByRow, true);
        Column { head, fill: Box::new(move |rows, _| Values::ByRow(rows.iter().map(&value).collect())) }
    }

    /// The same column of longer rows, of which these are a part.
    pub fn from_part<Outer: 'static>(self, part: fn(&Outer) -> &Row) -> Column<Outer> {
        let Column { head, fill } = self;
        let one_by_one = move |rows: &[Outer], _: &()| {
            let mut each = rows.iter().map(|row| fill(std::slice::from_ref(part(row)), &()));
            let mut values = each.next().unwrap_or_else(|| fill(&[], &()));
            for more in each {
                values.append(more);
            }
            values
        };
        Column { head, fill: Box::new(one_by_one) }
    }
}

impl<Row: 'static, Common: 'static> Shared<Row, Common> {
    /// Texts that repeat, by their places in a list that all rows share.
    pub fn name<F: Figure<u32>>(
        key: &'static str,
        names: impl Fn(&Common) -> &Arc<[String]> + Send + Sync + 'static,
        place: impl Fn(&Row, &Common) -> F + Send + Sync + 'static,
    ) -> Column<Row, Common> {
        let head = ColumnHead::new(key.into(), "".into(), Unit::Text, F::IS_OPTIONAL);
        let fill = move |rows: &[Row], common: &Common| {
            Values::Name(cells(rows, |row| place(row, common)), Arc::clone(names(common)))
        };
        Column { head, fill: Box::new(fill) }
    }
}

impl<Row, Common> Column<Row, Common> {
    /// Says what its figures mean.
    pub fn means(mut self, meaning: impl Into<Cow<'static, str>>) -> Column<Row, Common> {
        self.head.meaning = meaning.into();
        self
    }

    /// Marks it as saying what a row is of.
    pub fn name(mut self) -> Column<Row, Common> {
        self.head.is_name = true;
        self
    }

    /// Gives its times a unit of their own.
    pub fn each(mut self) -> Column<Row, Common> {
        self.head.is_each = true;
        self
    }

    /// Has text leave it out, before columns with a lower number, where there is no room for all.
    pub fn spare(mut self, spare: u8) -> Column<Row, Common> {
        self.head.spare = spare;
        self
    }

    /// Has text leave it out where no row has a figure, or all count nothing.
    pub fn silent_empty(mut self) -> Column<Row, Common> {
        self.head.is_silent_empty = true;
        self
    }

    /// Says what a page has here for a part of the run.
    pub fn in_part(mut self, rule: impl Into<PartRule>) -> Column<Row, Common> {
        self.head.part = Some(rule.into());
        self
    }

    /// The figures of rows.
    pub fn values(&self, rows: &[Row], common: &Common) -> Values {
        (self.fill)(rows, common)
    }
}

impl ColumnHead {
    pub fn new(key: Cow<'static, str>, heading: Cow<'static, str>, unit: Unit, is_optional: bool) -> ColumnHead {
        debug_assert!(unit.suits(&key), "{key} does not end as {unit:?}");
        ColumnHead {
            key,
            heading,
            unit,
            meaning: "".into(),
            is_optional,
            is_name: false,
            is_each: false,
            spare: 0,
            is_silent_empty: false,
            part: None,
        }
    }
}

fn cells<Row, T: Default, F: Figure<T>>(rows: &[Row], figure: impl Fn(&Row) -> F) -> Cells<T> {
    if !F::IS_OPTIONAL {
        let value = |row| figure(row).figure().unwrap_or_default();
        return Cells { values: rows.iter().map(value).collect(), known: None };
    }
    let (mut values, mut known) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in rows {
        let value = figure(row).figure();
        known.push(value.is_some());
        values.push(value.unwrap_or_default());
    }
    Cells { values, known: Some(known) }
}
