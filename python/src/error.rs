//! Raises the command's errors as a Python exception, in the command's words.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use tables::visible::visible;

create_exception!(
    overhear,
    Error,
    PyException,
    "Why a run cannot be read or analysed: what is wrong, where, and what to try."
);

/// The exception for an error: its message, and the details below it.
pub fn raised(error: &model::error::Error) -> PyErr {
    let lines = std::iter::once(error.to_string()).chain(error.details().iter().map(|line| format!("  {line}")));
    Error::new_err(lines.map(|line| visible(&line).into_owned()).collect::<Vec<_>>().join("\n"))
}
