//! What a thread's recording is made of: tables in memory of their own, which know nothing of MPI, files or processes.
//!
//! No lock, no allocation from the program's heap, no system call except for more memory. A crate of its own, so that tests link it:
//! `cargo test -p overhear-core`, and `cargo xtask tables` by loom, for the one that several threads read and write, and by valgrind.

// No panic is to reach the program.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod cache;
pub mod dictionary;
pub mod each_call;
pub mod function_filter;
pub mod handles;
pub mod memory;
pub mod numbered;
pub mod open_regions;
mod orders;
pub mod page_cursor;
pub mod polls;
pub mod region_names;
pub mod slots;
mod spread;
