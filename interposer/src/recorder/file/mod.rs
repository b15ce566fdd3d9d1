//! The process's file: [`trace_file`] holds on to it, [`pages`] are taken from it, behind its [`header`], and follow each other as a
//! [`page_series`]. What all threads write there is [`shared`], with the [`modules`] of call sites and the [`parts`] that calls hand
//! out; what has room nowhere else is added to the [`totals`], an [`entry`] for each function.

pub mod entry;
pub mod header;
pub mod modules;
pub mod page_series;
pub mod pages;
pub mod parts;
pub mod shared;
pub mod totals;
mod trace_file;
