//! What a process's threads do in MPI, as data: records in pages of the process's file.
//!
//! [`thread`] is what every call goes through; [`objects`] are what handles stand for; [`content`] is what messages hold; [`file`] is where all of it goes. Below
//! lie the flags of the [`process`], and [`guard`], which keeps the program from noticing. The tables it needs are [`recorder_core`]'s.

pub mod content;
pub mod file;
pub mod guard;
pub mod objects;
pub mod process;
pub mod thread;
