//! The process's file: [`trace_file`] holds on to it, [`pages`] are taken from it. What all threads write there is [`shared`],
//! with the [`modules`] of call sites; what has room nowhere else is added to the [`totals`].

pub mod modules;
pub mod pages;
pub mod shared;
pub mod totals;
mod trace_file;
