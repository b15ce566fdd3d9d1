//! Programs that call every function of the table once, written from the table itself.
//!
//! [`recipes`] says how an argument of each kind is passed, [`exceptions`] what the kind does not say, [`source`] writes
//! the program, and [`fortran`] what lies between it and MPI where it calls from Fortran. Besides the calls under test it uses only PMPI_ names, in what
//! the debugging information calls another source file.

pub mod callable;
pub mod exceptions;
pub mod fortran;
pub mod limits;
pub mod recipes;
pub mod source;
pub mod style;
pub mod tried;
