//! Begins and ends the recording of a process.
//!
//! In: the calls that start or end MPI ([`calls`]), and the begin and end of the process. A recording [`begin`]s before
//! MPI_Init, is [`ready`] after it, and [`end`]s with MPI_Finalize or the process; its state is in [`run`]. Recorded
//! ranks find each other ([`together`]), agree on a [`folder`] and compare their [`clocks`], timed [step by step](steps); the first of them
//! prints the [`last_words`]. Meanwhile the program may call MPI_Pcontrol ([`control`]) and handle [`errors`].

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
mod steps;
mod together;
mod unrecorded;

pub use begin::first_call;
pub use calls::{after, after_unrecorded, before, is_lifecycle, starts};
pub use end::process_ends;
pub use folder::process_begins;
pub use run::HandedDown;
