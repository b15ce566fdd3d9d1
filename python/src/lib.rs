//! `overhear._overhear`: the compiled part of the Python package `overhear`.
//!
//! [`run`] reads a run and analyzes it, [`table`] gives its tables as Arrow streams. Nothing is computed here.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! run
//! table
//! stream
//! error
//! ```

mod error;
mod run;
mod stream;
mod table;

use pyo3::prelude::*;

/// Compiled part of the package overhear; use that package.
#[pymodule(gil_used = false)]
fn _overhear(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", module.py().get_type::<error::Error>())?;
    module.add_class::<run::Run>()?;
    module.add_class::<table::Table>()
}
