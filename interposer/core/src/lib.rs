//! The recorder's tables, in memory straight from the system. They know nothing of MPI libraries, files or processes.
//!
//! They take no lock, never allocate from the program's heap, and enter the kernel only for more memory. They are a
//! crate so that tests can link them: `cargo test -p overhear-core`, and `cargo xtask tables` under loom, for tables
//! that threads share, and under valgrind.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! cache call_paths dictionary path_numbers region_names function_filter
//! code_map handles numbered open_regions slots each_call page_cursor polls
//! memory orders spread
//! ```

// No panic may reach the program.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod cache;
pub mod call_paths;
pub mod code_map;
pub mod dictionary;
pub mod each_call;
pub mod function_filter;
pub mod handles;
pub mod memory;
pub mod numbered;
pub mod open_regions;
mod orders;
pub mod page_cursor;
pub mod path_numbers;
pub mod polls;
pub mod region_names;
pub mod slots;
mod spread;
