//! The rows that an engine answers with, by the names of their columns. Engines differ in the widths of their numbers.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

use model::error::Error;
use tables::WorldRank;

/// One row of a batch.
pub struct EngineRow<'b> {
    batch: &'b RecordBatch,
    at: usize,
}

/// All rows of some batches.
pub fn each(batches: &[RecordBatch]) -> impl Iterator<Item = EngineRow<'_>> {
    batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |at| EngineRow { batch, at }))
}

/// Processes are numbered by world and rank; a process without a rank has the last number.
const WORLD: i64 = 1 << 32;
const NO_RANK: i64 = WORLD - 1;

impl EngineRow<'_> {
    /// The column, unless the row has no value in it.
    fn cell(&self, name: &str) -> Result<Option<&dyn Array>, Error> {
        let column = self.batch.column_by_name(name);
        let column = column.ok_or_else(|| Error::Other(format!("the engine's answer has no column {name}")))?;
        Ok(Some(column.as_ref()).filter(|column| !column.is_null(self.at)))
    }

    pub fn whole(&self, name: &str) -> Result<Option<i64>, Error> {
        let Some(cell) = self.cell(name)? else { return Ok(None) };
        let at = self.at;
        Ok(Some(match cell.data_type() {
            DataType::Int64 => cell.as_primitive::<Int64Type>().value(at),
            DataType::Int32 => cell.as_primitive::<Int32Type>().value(at).into(),
            DataType::Int16 => cell.as_primitive::<Int16Type>().value(at).into(),
            DataType::Int8 => cell.as_primitive::<Int8Type>().value(at).into(),
            DataType::UInt32 => cell.as_primitive::<UInt32Type>().value(at).into(),
            DataType::UInt64 => cell.as_primitive::<UInt64Type>().value(at) as i64,
            DataType::Decimal128(_, 0) => cell.as_primitive::<Decimal128Type>().value(at) as i64,
            other => return Err(strange(name, other)),
        }))
    }

    pub fn count(&self, name: &str) -> Result<u64, Error> {
        Ok(self.whole(name)?.unwrap_or(0).max(0) as u64)
    }

    pub fn real(&self, name: &str) -> Result<f64, Error> {
        let Some(cell) = self.cell(name)? else { return Ok(0.0) };
        Ok(match cell.data_type() {
            DataType::Float64 => cell.as_primitive::<Float64Type>().value(self.at),
            DataType::Float32 => cell.as_primitive::<Float32Type>().value(self.at).into(),
            other => return Err(strange(name, other)),
        })
    }

    pub fn text(&self, name: &str) -> Result<Option<String>, Error> {
        let Some(cell) = self.cell(name)? else { return Ok(None) };
        Ok(Some(match cell.data_type() {
            DataType::Utf8 => cell.as_string::<i32>().value(self.at).into(),
            DataType::LargeUtf8 => cell.as_string::<i64>().value(self.at).into(),
            DataType::Utf8View => cell.as_string_view().value(self.at).into(),
            other => return Err(strange(name, other)),
        }))
    }

    pub fn flag(&self, name: &str) -> Result<bool, Error> {
        let Some(cell) = self.cell(name)? else { return Ok(false) };
        match cell.data_type() {
            DataType::Boolean => Ok(cell.as_boolean().value(self.at)),
            other => Err(strange(name, other)),
        }
    }

    /// The process that a column names.
    pub fn process(&self, name: &str) -> Result<Option<WorldRank>, Error> {
        let rank = |process: i64| {
            let number = process.rem_euclid(WORLD);
            WorldRank { world: (process / WORLD) as u32, number: (number != NO_RANK).then_some(number as u32) }
        };
        Ok(self.whole(name)?.map(rank))
    }
}

fn strange(name: &str, kind: &DataType) -> Error {
    Error::Other(format!("the engine's answer has a {name} of type {kind}, which none of the known engines has"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Decimal128Array, Int32Array, Int64Array};

    use super::*;

    #[test]
    fn a_whole_number_is_read_whatever_its_width() {
        let wide = Decimal128Array::from(vec![Some(7)]).with_precision_and_scale(20, 0).unwrap();
        let columns: [(&str, ArrayRef); 3] = [
            ("narrow", Arc::new(Int32Array::from(vec![7]))),
            ("usual", Arc::new(Int64Array::from(vec![7]))),
            ("wide", Arc::new(wide)),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let row = EngineRow { batch: &batch, at: 0 };
        assert!(["narrow", "usual", "wide"].iter().all(|name| row.whole(name).unwrap() == Some(7)));
        assert!(row.whole("missing").unwrap_err().to_string().contains("no column missing"));
    }

    #[test]
    fn a_process_has_its_world_and_its_rank_or_none() {
        let batch = RecordBatch::try_from_iter([(
            "process",
            Arc::new(Int64Array::from(vec![3, (2 << 32) + 5, NO_RANK])) as ArrayRef,
        )]);
        let batch = batch.unwrap();
        let ranks: Vec<_> =
            each(std::slice::from_ref(&batch)).map(|row| row.process("process").unwrap().unwrap()).collect();
        let of = |world, number| WorldRank { world, number };
        assert_eq!(ranks, [of(0, Some(3)), of(2, Some(5)), of(0, None)]);
    }
}
