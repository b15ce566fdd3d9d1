//! The process's file.
//!
//! [`trace_file`] keeps it open; after its [`header`], threads take [`pages`] from it, one after another
//! ([`page_series`]). [`shared`] writes the definitions of all threads, with the [`modules`] of call sites and the
//! [`parts`] that calls send to each process and the [`layouts`] of what they hand over; [`sampled_paths`] finds the paths of samples. Calls without room
//! elsewhere are added to the [`totals`], an [`entry`] for each function. Files that the program accesses have numbers
//! ([`named_files`]). The [`ring`] reuses the oldest pages.

pub mod entry;
pub mod header;
pub mod layouts;
pub mod modules;
pub mod named_files;
pub mod page_series;
pub mod pages;
pub mod parts;
pub mod ring;
pub mod sampled_paths;
pub mod shared;
pub mod totals;
pub mod trace_file;
