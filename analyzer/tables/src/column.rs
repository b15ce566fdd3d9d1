//! A column of a table: key, heading, unit, meaning and figure, declared in one place for every format.
//!
//! Each unit has a constructor that takes only figures of its type, so a value cannot end up in a column of another
//! unit.
//!
//! ```text
//! Column::seconds("wall_time_s", "wall time", |row: &RankRow| row.wall)
//!     .means("From its MPI_Init to its MPI_Finalize.")
//! ```

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::part::PartRule;
use crate::unit::Unit;
use crate::value::{Label, Value, WorldRank};
use crate::values::{Cells, Values};

/// A column of rows. Figures may also use something that all rows share, `Common`.
pub struct Column<Row, Common = ()> {
    pub head: ColumnHead,
    fill: Fill<Row, Common>,
}

/// Computes the values of many rows at once.
type Fill<Row, Common> = Box<dyn Fn(&[Row], &Common) -> Values + Send + Sync>;

/// The properties of a column, without its figures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnHead {
    /// The name for programs, which ends in the unit.
    pub key: Cow<'static, str>,
    /// The heading in text; empty if text leaves the column out. The unit of times follows it, or replaces `{unit}` in
    /// one of the table's headings.
    pub heading: Cow<'static, str>,
    pub unit: Unit,
    /// A sentence that says what the figures mean.
    pub meaning: Cow<'static, str>,
    /// True if some rows may have no figure.
    pub is_optional: bool,
    /// True if the column helps to name the row. Rows of two runs are the same if these columns agree.
    pub is_name: bool,
    /// True if its times are of single calls and the like: they get a unit of their own, while all other times of a
    /// table share one.
    pub is_each: bool,
    /// If text has no room for all columns, it leaves out those with the highest number first; 0 is never left out.
    pub spare: u8,
    /// True if text leaves the column out if no row has a figure.
    pub is_silent_empty: bool,
    /// The rule for a part of the run, on a page with a timeline; `None` if the figure is unknown there.
    pub part: Option<PartRule>,
}

/// A figure that may be missing.
pub trait Figure<T> {
    /// True if figures of this type may be missing.
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

/// Constructors of columns whose rows share something.
pub struct Shared<Row, Common>(PhantomData<(Row, Common)>);

/// Makes a constructor for each unit, both for plain rows and for rows that share something.
macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident: $figure:ty => $unit:ident, $values:ident;)*) => {
        impl<Row: 'static> Column<Row> {
            $($(#[$doc])* pub fn $name<F: Figure<$figure>>(
                key: impl Into<Cow<'static, str>>,
                heading: impl Into<Cow<'static, str>>,
                figure: impl Fn(&Row) -> F + Send + Sync + 'static,
            ) -> Column<Row> {
                let head = ColumnHead::new(key.into(), heading.into(), Unit::$unit, F::IS_OPTIONAL);
                let fill = move |rows: &[Row], _: &()| {
                    // One loop for each type of figures: a loop for each column is a tenth of the time to compile.
                    let figure: &dyn Fn(usize) -> Option<$figure> = &|row| figure(&rows[row]).figure();
                    Values::$values(cells(rows.len(), F::IS_OPTIONAL, figure))
                };
                Column { head, fill: Box::new(fill) }
            })*
        }

        impl<Row: 'static, Common: 'static> Shared<Row, Common> {
            $($(#[$doc])* pub fn $name<F: Figure<$figure>>(
                key: &'static str,
                figure: impl Fn(&Row, &Common) -> F + Send + Sync + 'static,
            ) -> Column<Row, Common> {
                let head = ColumnHead::new(key.into(), "".into(), Unit::$unit, F::IS_OPTIONAL);
                // Tables of a data set have a hundred million rows: their columns have loops of their own.
                let fill = move |rows: &[Row], common: &Common| {
                    Values::$values(cells(rows.len(), F::IS_OPTIONAL, &|row| figure(&rows[row], common).figure()))
                };
                Column { head, fill: Box::new(fill) }
            })*
        }
    };
}

constructors! {
    /// Names.
    text: String => Text, Text;
    /// Labels: names with a key of their own.
    label: Label => Text, Label;
    /// Yes or no.
    flag: bool => Flag, Flag;
    /// Counts.
    count: u64 => Count, Whole;
    /// Numbers that identify something, such as a process id.
    number: u64 => Number, Whole;
    /// Ids of rows in other tables.
    id: u32 => Id, Id;
    /// Tags of messages.
    tag: i32 => Tag, Signed;
    /// Ranks with their worlds.
    rank: WorldRank => Rank, Rank;
    /// Durations, and moments since the first rank entered MPI_Init.
    seconds: f64 => Seconds, Real;
    /// Readings of a rank's own counter.
    ticks: u64 => Ticks, Whole;
    /// Amounts of data.
    bytes: u64 => Bytes, Whole;
    /// Shares, in percent.
    percent: f64 => Percent, Real;
    /// Ratios.
    ratio: f64 => Ratio, Real;
}

impl<Row: 'static> Column<Row> {
    /// Figures whose unit depends on the row.
    pub fn by_row(
        key: impl Into<Cow<'static, str>>,
        heading: impl Into<Cow<'static, str>>,
        value: impl Fn(&Row) -> Value + Send + Sync + 'static,
    ) -> Column<Row> {
        let head = ColumnHead::new(key.into(), heading.into(), Unit::ByRow, true);
        Column { head, fill: Box::new(move |rows, _| Values::ByRow(rows.iter().map(&value).collect())) }
    }

    /// The column for rows that share something, which its figures do not use.
    pub fn beside_shared<Common: 'static>(self) -> Column<Row, Common> {
        let Column { head, fill } = self;
        Column { head, fill: Box::new(move |rows: &[Row], _: &Common| fill(rows, &())) }
    }

    /// The column for longer rows that contain this one's rows.
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
    /// Texts that repeat, given as indices into a list that all rows share.
    pub fn name<F: Figure<u32>>(
        key: &'static str,
        names: impl Fn(&Common) -> &Arc<[String]> + Send + Sync + 'static,
        place: impl Fn(&Row, &Common) -> F + Send + Sync + 'static,
    ) -> Column<Row, Common> {
        let head = ColumnHead::new(key.into(), "".into(), Unit::Text, F::IS_OPTIONAL);
        let fill = move |rows: &[Row], common: &Common| {
            let places = cells(rows.len(), F::IS_OPTIONAL, &|row| place(&rows[row], common).figure());
            Values::Name(places, Arc::clone(names(common)))
        };
        Column { head, fill: Box::new(fill) }
    }
}

impl<Row, Common> Column<Row, Common> {
    pub fn means(mut self, meaning: impl Into<Cow<'static, str>>) -> Column<Row, Common> {
        self.head.meaning = meaning.into();
        self
    }

    /// Rows of two runs are the same if their columns of this kind agree.
    pub fn name(mut self) -> Column<Row, Common> {
        self.head.is_name = true;
        self
    }

    /// Gives the column's times a unit of their own.
    pub fn each(mut self) -> Column<Row, Common> {
        self.head.is_each = true;
        self
    }

    /// Lets text leave the column out if there is no room for all; a higher number goes first.
    pub fn spare(mut self, spare: u8) -> Column<Row, Common> {
        self.head.spare = spare;
        self
    }

    /// Lets text leave the column out if all its figures are missing or count 0.
    pub fn silent_empty(mut self) -> Column<Row, Common> {
        self.head.is_silent_empty = true;
        self
    }

    /// Declares the rule by which a page computes the figure for a part of the run.
    pub fn in_part(mut self, rule: impl Into<PartRule>) -> Column<Row, Common> {
        self.head.part = Some(rule.into());
        self
    }

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

/// The figures of so many rows.
fn cells<T: Default>(rows: usize, is_optional: bool, figure: &(impl Fn(usize) -> Option<T> + ?Sized)) -> Cells<T> {
    if !is_optional {
        return Cells { values: (0..rows).map(|row| figure(row).unwrap_or_default()).collect(), known: None };
    }
    let (mut values, mut known) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    for row in 0..rows {
        let value = figure(row);
        known.push(value.is_some());
        values.push(value.unwrap_or_default());
    }
    Cells { values, known: Some(known) }
}
