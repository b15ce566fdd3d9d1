//! What was linked into a program together with `liboverhear.a`, by name, since the loader does not know it.

#[cfg(feature = "archive")]
mod table;

/// The address of a function or an object of an MPI library that was linked together with us. `None` in `liboverhear.so`.
#[cfg(feature = "archive")]
pub fn find(name: &str) -> Option<usize> {
    table::find(name)
}

/// Nothing is linked together with `liboverhear.so`.
#[cfg(not(feature = "archive"))]
pub fn find(_name: &str) -> Option<usize> {
    None
}
