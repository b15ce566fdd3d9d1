//! Begins and ends the recording of a process: dormant until MPI is initialized, over when the process is.
//!
//! In: the calls that start or end MPI ([`calls`]), and the process's own begin and end. A recording [`begin`]s before
//! MPI_Init is made, is [`ready`] behind it, and its [`end`] comes with MPI_Finalize or the process. What it knows of itself is
//! the [`run`]. Ranks that are recorded find each other ([`together`]), agree on a [`folder`] and compare their [`clocks`]; the
//! first of them has the [`last_words`]. Meanwhile the program may ask for something ([`control`]), and handle [`errors`].

mod begin;
mod calls;
mod clocks;
pub mod control;
mod end;
pub mod errors;
mod folder;
mod last_words;
mod ready;
mod run;
mod together;

pub use begin::first_call;
pub use calls::{after, after_unrecorded, before, is_lifecycle};
pub use end::process_ends;
pub use folder::process_begins;
pub use run::HandedDown;
