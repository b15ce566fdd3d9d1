//! The trace format of overhear: what the interposer writes into a rank's file and the analyzer reads from it.
//!
//! ```text
//!  rank-0003.ovh
//!  +--------+----------+-------------+------------+--------+--------+--------+-- ...
//!  | header | thread 0 | definitions | signatures | events | events | events |
//!  +--------+----------+-------------+------------+--------+--------+--------+-- ...
//!    file      block      strings,      64 bytes     8 bytes a call, each page owned by one thread
//!    .rs       file.rs    modules       signature.rs record/
//!              in-flight  definitions.rs
//! ```
//!
//! `FORMAT.md` beside this crate gives every byte. Depends on neither MPI nor the analyzer.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! drop_account
//! read write settings
//! dropped folder
//! definitions error live
//! counters
//! call_filter file machine node run_notes
//! accesses calls clock layout progress regular signature span teams
//! mpi_settings orders record suggest variables
//! ```

// The recorder links all but the readers: no panic may reach the program.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(not(target_endian = "little"))]
compile_error!("traces are little-endian, and so must be the machine");

pub mod accesses;
pub mod call_filter;
pub mod calls;
pub mod clock;
pub mod counters;
pub mod definitions;
pub mod drop_account;
pub mod dropped;
pub mod error;
pub mod file;
pub mod folder;
pub mod layout;
pub mod live;
pub mod machine;
pub mod mpi_settings;
pub mod node;
pub mod orders;
pub mod progress;
#[allow(clippy::indexing_slicing, reason = "no program under observation reads traces")]
pub mod read;
pub mod record;
pub mod regular;
pub mod run_notes;
pub mod settings;
pub mod signature;
pub mod span;
mod suggest;
pub mod teams;
mod variables;
pub mod write;
