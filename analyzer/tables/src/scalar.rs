//! A report for programs: fields of one type for all rows. JSON, CSV, Parquet and the schema are made from these.

use std::borrow::Cow;

use super::column::ColumnHead;
use super::table::Sheet;
use super::unit::{ScalarType, Unit};
use super::value::Value;

/// A column as programs get it. One of ranks becomes two, the rank and its world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub key: String,
    /// The type of all its values.
    pub of: ScalarType,
    /// What they are counted in, in words.
    pub unit: &'static str,
    /// Its heading in text; empty where text leaves it out.
    pub heading: String,
    /// A sentence on what its figures say.
    pub meaning: String,
    /// Some of them may be missing.
    pub is_optional: bool,
}

/// Of every rank there is one.
const WORLD: &str = "The world of that rank: 0 is the one that the launcher started, higher ones were spawned.";

/// A value as programs get it.
#[derive(Clone, PartialEq, Debug)]
pub enum Scalar<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// A whole number.
    Whole(u64),
    /// A number.
    Real(f64),
    /// Nothing is known.
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
    /// What programs get of it.
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
            // A process that ended in MPI_Init has a world and no number there.
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

    /// A value of it, as many scalars as it has fields.
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
    /// A value that stands for itself.
    pub fn scalar(&self) -> Scalar<'_> {
        match self {
            Value::Text(text) => Scalar::Text(text.into()),
            Value::Label(label) => Scalar::Text(label.key.into()),
            Value::Count(number) | Value::Number(number) | Value::Bytes(number) => Scalar::Whole(*number),
            Value::Rank(rank) => rank.number.map_or(Scalar::Null, |number| Scalar::Whole(number.into())),
            // Neither JSON nor a spreadsheet knows what is no number.
            Value::Seconds(number) | Value::Percent(number) | Value::Ratio(number) if number.is_finite() => {
                Scalar::Real(*number)
            }
            Value::Seconds(_) | Value::Percent(_) | Value::Ratio(_) | Value::None => Scalar::Null,
        }
    }
}

impl Sheet {
    /// Its columns as programs get them.
    pub fn fields(&self) -> Vec<Field> {
        self.columns.iter().flat_map(ColumnHead::fields).collect()
    }

    /// A row as programs get it, a scalar for each field.
    pub fn scalars<'a>(&'a self, row: &'a [Value]) -> Vec<Scalar<'a>> {
        self.columns.iter().zip(row).flat_map(|(column, value)| column.scalars(value)).collect()
    }
}
