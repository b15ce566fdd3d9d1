//! MPI's functions and objects by name, if they are linked into the program together with `liboverhear.a`: the loader
//! does not know them.

#[cfg(feature = "archive")]
mod table;

/// The address of a function or an object of an MPI library that is linked together with us.
#[cfg(feature = "archive")]
pub fn find(name: &str) -> Option<usize> {
    table::find(name)
}

/// Nothing is linked together with `liboverhear.so`.
#[cfg(not(feature = "archive"))]
pub fn find(_name: &str) -> Option<usize> {
    None
}
