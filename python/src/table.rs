//! A table of a run, by Arrow's PyCapsule interface.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::ffi::FFI_ArrowSchema;
use data::{TableHead, heads};
use model::error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use tables::ColumnHead;

use crate::error::raised;
use crate::stream::TableStream;
use data::arrow::schema;

/// A table of a run, not read yet.
///
/// Whatever takes Arrow by its PyCapsule interface takes it: ``polars.DataFrame(table)``, ``pandas.DataFrame.from_arrow(table)``,
/// ``pyarrow.table(table)``, or DuckDB by way of ``pyarrow.RecordBatchReader.from_stream(table)``. Each of them reads the run's files
/// anew, a part at a time.
#[pyclass(frozen, module = "overhear")]
pub struct Table {
    run: Arc<model::Run>,
    head: TableHead,
    wanted: Vec<usize>,
}

impl Table {
    /// The table of this name, with these columns or all.
    pub fn of(run: &Arc<model::Run>, name: &str, columns: Option<Vec<String>>) -> PyResult<Table> {
        let names = || heads().iter().map(|head| head.name.to_string()).collect();
        let head = heads().into_iter().find(|head| head.name == name);
        let head = head.ok_or_else(|| raised(&error::Error::no_table(name, names())))?;
        let wanted = match columns {
            None => (0..head.columns.len()).collect(),
            Some(columns) => columns.iter().map(|key| place(&head, key)).collect::<PyResult<_>>()?,
        };
        Ok(Table { run: Arc::clone(run), head, wanted })
    }

    fn columns(&self) -> impl Iterator<Item = &ColumnHead> {
        self.wanted.iter().map(|at| &self.head.columns[*at])
    }
}

/// Index of a column in its table.
fn place(head: &TableHead, key: &str) -> PyResult<usize> {
    let keys = || head.columns.iter().map(|column| column.key.to_string()).collect::<BTreeSet<String>>();
    let found = head.columns.iter().position(|column| column.key == key);
    found.ok_or_else(|| raised(&tables::arrange::UnknownColumn::new(key, keys()).into()))
}

#[pymethods]
impl Table {
    /// Name of the table.
    #[getter]
    fn name(&self) -> &'static str {
        self.head.name
    }

    /// Meaning of a row.
    #[getter]
    fn meaning(&self) -> &'static str {
        self.head.meaning
    }

    /// Meaning of each column, by its name.
    #[getter(columns)]
    fn meanings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        self.columns().try_for_each(|column| columns.set_item(&*column.key, &*column.meaning))?;
        Ok(columns)
    }

    fn __repr__(&self) -> String {
        let columns: Vec<&str> = self.columns().map(|column| &*column.key).collect();
        format!("<overhear table {}: {}>", self.head.name, columns.join(", "))
    }

    /// Its columns and their meanings, for notebooks. It reads no row.
    fn _repr_html_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.meanings(py)?.items();
        py.import("overhear._html")?.call_method1("table", (self.head.name, self.head.meaning, columns))
    }

    /// Arrow schema of the columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let columns: Vec<ColumnHead> = self.columns().cloned().collect();
        let schema = FFI_ArrowSchema::try_from(&schema(&columns));
        let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Arrow stream of the rows. The requested schema is ignored, as the interface permits.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let stream = TableStream::new(Arc::clone(&self.run), self.head.name, &self.head.columns, self.wanted.clone())?;
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(stream)), c"arrow_array_stream")
    }
}
