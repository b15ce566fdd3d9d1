//! All tests of the analyses but two: one program, since linking takes longer than running. `cargo test -p overhear waits::` runs one file.

mod common;

mod absent;
mod arranged;
mod bad_input;
mod call_sites;
mod compared;
mod damaged_numbers;
mod explain;
mod fanout;
mod figures;
mod foreign_folder;
mod formats;
mod golden;
mod golden_recorded;
mod grown;
mod imbalance;
mod matrix;
mod measured;
mod message_lengths;
mod messages;
mod model;
mod names;
mod operations;
mod overlap;
mod planted;
mod plots;
mod regions;
mod same_messages;
mod samples;
mod schema;
mod sketch;
mod threads;
mod timeline;
mod units;
mod waits;
