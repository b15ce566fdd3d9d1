//! The rows of a query as a table of a report. A column's name ends in its unit.

use polars::prelude::{AnyValue, Column, DataFrame, DataType, PolarsError};

use model::error::Error;
use tables::{Audience, ColumnHead, Presentation, Sheet, Unit, Value};

/// Turns the rows of a query into a sheet that text, JSON and CSV print.
pub fn sheet(rows: &DataFrame) -> Result<Sheet, Error> {
    let heads: Vec<ColumnHead> = rows.columns().iter().map(head).collect();
    let row = |at: usize| {
        let value = |(column, head): (&Column, &ColumnHead)| Ok(value(&column.get(at)?, head.unit));
        rows.columns().iter().zip(&heads).map(value).collect::<Result<Vec<Value>, PolarsError>>()
    };
    let values = (0..rows.height()).map(row).collect::<Result<Vec<_>, _>>();
    let values = values.map_err(|error| Error::Other(error.to_string()))?;
    let look = Presentation {
        name: "rows",
        title: String::new(),
        audience: Audience::All,
        most: usize::MAX,
        is_whole: false,
        is_asked: true,
        is_silent_empty: false,
        part: None,
    };
    Ok(Sheet { columns: heads, rows: values, look })
}

fn head(column: &Column) -> ColumnHead {
    let key = column.name().to_string();
    let unit = unit(&key, column.dtype());
    let heading = if unit == Unit::Seconds { unit.bare(&key).to_string() } else { key.clone() };
    ColumnHead::new(key.into(), heading.into(), unit, true)
}

fn unit(key: &str, kind: &DataType) -> Unit {
    let ends = |unit: Unit| unit.suits(key) && unit.suffix().is_some();
    match kind {
        DataType::Float32 | DataType::Float64 if ends(Unit::Seconds) => Unit::Seconds,
        DataType::Float32 | DataType::Float64 if ends(Unit::Percent) => Unit::Percent,
        DataType::Float32 | DataType::Float64 => Unit::Ratio,
        _ if kind.is_unsigned_integer() && ends(Unit::Bytes) => Unit::Bytes,
        _ if kind.is_unsigned_integer() => Unit::Count,
        // These may be negative.
        _ if kind.is_integer() => Unit::Ratio,
        _ => Unit::Text,
    }
}

fn value(value: &AnyValue<'_>, unit: Unit) -> Value {
    match unit {
        _ if value.is_null() => Value::None,
        Unit::Text => Value::Text(value.str_value().into_owned()),
        Unit::Bytes => value.extract().map_or(Value::None, Value::Bytes),
        Unit::Count => value.extract().map_or(Value::None, Value::Count),
        unit => value.extract().map_or(Value::None, |number: f64| Value::in_unit(unit, number)),
    }
}
