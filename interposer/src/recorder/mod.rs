//! Records the MPI calls of a process's threads in pages of the process's file.
//!
//! Every call goes through [`thread`]; [`objects`] knows what handles stand for; [`content`] takes checksums of
//! messages; [`mod@file`] takes all of it. Below are the flags of the [`process`], and [`guard`], which hides the
//! recorder's work from the program. The tables are in [`recorder_core`].

pub mod content;
pub mod file;
pub mod guard;
pub mod objects;
pub mod process;
pub mod thread;
