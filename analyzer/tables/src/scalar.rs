//! A report as programs get it: fields with one type for all rows. JSON, CSV, Parquet and the schema are made from
//! these.

use std::borrow::Cow;

use super::column::ColumnHead;
use super::table::Sheet;
use super::unit::{ScalarType, Unit};
use super::value::Value;

/// A column as programs get it. A column of ranks becomes two fields, the rank and its world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub key: String,
    pub of: ScalarType,
    pub unit: &'static str,
    /// The heading in text; empty if text leaves the column out.
    pub heading: String,
    pub meaning: String,
    pub is_optional: bool,
}

/// The meaning of the second field of a column of ranks.
const WORLD: &str = "The world of that rank: 0 is the one that the launcher started, higher ones were spawned.";

#[derive(Clone, PartialEq, Debug)]
pub enum Scalar<'a> {
    Text(Cow<'a, str>),
    Whole(u64),
    Real(f64),
    Null,
}

impl Scalar<'_> {
    pub fn text(&self) -> Option<&str> {
        if let Scalar::Text(text) = self { Some(text) } else { None }
    }

    pub fn whole(&self) -> Option<u64> {
        if let Scalar::Whole(number) = self { Some(*number) } else { None }
    }

    pub fn real(&self) -> Option<f64> {
        match self {
            Scalar::Real(number) => Some(*number),
            Scalar::Whole(number) => Some(*number as f64),
            Scalar::Text(_) | Scalar::Null => None,
        }
    }
}

impl ColumnHead {
    /// The fields of the column: two for ranks, else one.
    pub fn fields(&self) -> Vec<Field> {
        let (of, unit) = (self.unit.scalar_type(), self.unit.in_words());
        let own = Field {
            key: self.key.to_string(),
            of,
            unit,
            heading: self.heading.to_string(),
            meaning: self.meaning.to_string(),
            is_optional: self.is_optional,
        };
        match self.unit {
            // A process that ended in MPI_Init has a world, but no number in it.
            Unit::Rank => vec![
                Field { is_optional: true, ..own.clone() },
                Field {
                    key: format!("{}world", self.key.trim_end_matches("rank")),
                    unit: "0, or the number of the spawned world that the rank is of",
                    heading: String::new(),
                    meaning: WORLD.into(),
                    ..own
                },
            ],
            _ => vec![own],
        }
    }

    /// A value of the column, as one scalar for each field.
    fn scalars<'a>(&self, value: &'a Value) -> Vec<Scalar<'a>> {
        match (self.unit, value) {
            (Unit::Rank, Value::Rank(rank)) => {
                let number = rank.number.map_or(Scalar::Null, |number| Scalar::Whole(number.into()));
                vec![number, Scalar::Whole(rank.world.into())]
            }
            (Unit::Rank, _) => vec![Scalar::Null, Scalar::Null],
            _ => vec![value.scalar()],
        }
    }
}

impl Value {
    /// The value as one scalar; for a rank, its number.
    pub fn scalar(&self) -> Scalar<'_> {
        match self {
            Value::Text(text) => Scalar::Text(text.into()),
            Value::Label(label) => Scalar::Text(label.key.into()),
            Value::Count(number) | Value::Number(number) | Value::Bytes(number) => Scalar::Whole(*number),
            Value::Rank(rank) => rank.number.map_or(Scalar::Null, |number| Scalar::Whole(number.into())),
            // JSON and spreadsheets have no infinities and no NaN.
            Value::Seconds(number) | Value::Percent(number) | Value::Ratio(number) if number.is_finite() => {
                Scalar::Real(*number)
            }
            Value::Seconds(_) | Value::Percent(_) | Value::Ratio(_) | Value::None => Scalar::Null,
        }
    }
}

impl Sheet {
    pub fn fields(&self) -> Vec<Field> {
        self.columns.iter().flat_map(ColumnHead::fields).collect()
    }

    pub fn scalars<'a>(&'a self, row: &'a [Value]) -> Vec<Scalar<'a>> {
        self.columns.iter().zip(row).flat_map(|(column, value)| column.scalars(value)).collect()
    }
}
