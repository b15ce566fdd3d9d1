//! Figures about a run: pure functions of the model, each to rows of typed values.

pub mod breakdown;
pub mod charts;
pub mod check;
pub mod compare;
pub mod cost;
pub mod critical;
pub mod engine;
pub mod fanout;
pub mod groupings;
pub mod imbalance;
pub mod matrix;
pub mod median;
pub mod messages;
pub mod network;
pub mod operations;
pub mod overlap;
pub mod overview;
pub mod pop;
pub mod programs;
pub mod ranks;
pub mod regions;
pub mod scaling;
mod shares;
mod totals;
pub mod waits;
mod words;
