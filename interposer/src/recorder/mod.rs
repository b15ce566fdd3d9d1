//! Records what a process's threads do in MPI.
//!
//! [`current`] finds the calling thread's recording, [`thread`] is the straight line every call takes in it. [`slots`] says which
//! threads go on with whose recording, [`abandoned`] what becomes of calls that are interrupted, [`borrowed`] what is put
//! back as the program had it, [`forked`] what a child finds; [`run`] begins and ends the recording of the process, where all
//! ranks come [`together`], and has the [`last_words`].
//!
//! The rest is what they need: the [`pages`] of the [`file`], a thread's [`events`], [`signatures`], [`polls`], [`turns`] of the
//! engine and [`profile`], the [`totals`] of threads that find no room, the [`numbers`] that a thread's signatures get from its
//! [`dictionary`], what else is kept by them ([`numbered`]), its [`requests`], the time [`spent`] on all this, and the
//! [`objects`], [`groups`] and [`modules`] of the process, by their [`handles`], a communicator's [`topology`], who is who in the
//! [`world`], what the program asks for ([`control`]), and which [`errors`] it handles.

pub mod abandoned;
mod borrowed;
pub mod cache;
pub mod control;
pub mod current;
pub mod dictionary;
pub mod errors;
mod events;
mod file;
pub mod folder;
pub mod forked;
pub mod groups;
mod handles;
mod last_words;
mod memory;
mod modules;
mod numbered;
mod numbers;
pub mod objects;
mod pages;
mod polls;
mod profile;
pub mod requests;
pub mod run;
pub mod shared;
mod signatures;
mod slots;
pub mod spent;
mod stack;
pub mod thread;
pub mod together;
mod topology;
mod totals;
mod turns;
mod world;
