//! Programs that call every function of the table once, generated from the table.
//!
//! [`recipes`] passes an argument of each kind, [`exceptions`] overrides them for single functions, [`source`] writes
//! the program, and [`fortran`] the layer between it and MPI for calls from Fortran. All other MPI calls use PMPI_
//! names, and the debugging information puts them in another source file.

pub mod callable;
pub mod exceptions;
pub mod fortran;
pub mod limits;
pub mod recipes;
pub mod source;
pub mod style;
pub mod tried;
