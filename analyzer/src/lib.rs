//! `overhear`: shows where the communication time of recorded MPI programs went, and why.
//!
//! [`commands`] are what a user types. [`model`] turns the files of a run into one consistent account of it, [`metrics`]
//! are pure functions of that, and [`report`] prints their rows. [`launch`] knows how launchers pass the environment on.

mod cache;
pub mod cli;
pub mod commands;
pub mod dataset;
pub mod error;
pub mod export;
pub mod launch;
pub mod loading_bar;
pub mod meaning;
pub mod metrics;
pub mod model;
mod output;
pub mod page;
mod parallel;
#[cfg(feature = "polars")]
pub mod query;
pub mod ranks;
pub mod report;
pub mod terminal;
pub mod visible;
