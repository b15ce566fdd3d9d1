//! Measures how much communication was hidden behind computation.
//!
//! Overhead and application availability are after Doerfler and Brightwell, "Measuring MPI send and receive overhead
//! and application availability in high performance network interfaces", EuroPVM/MPI 2006: availability = 1 - overhead
//! / transfer time. The transfer time is the life of requests that were waited for right after the post. The overhead
//! is the time in MPI of requests whose transfer had the time to proceed while the program computed. A program without
//! requests of the first kind gets bounds instead.

mod benchmark_columns;
mod benchmarks;
mod estimate;
mod gathered;
mod means;
mod overlap_tables;
mod protocol;
mod transfer_time;

pub use gathered::{GatheredRequests, RequestSize, SIZES};
pub use overlap_tables::{
    CollectiveOverlapRow, FACTS, MessageOverlapRow, PostponedRow, collectives, facts, messages, postponed, unseen,
};
pub use protocol::switches;
pub(crate) use transfer_time::is_followed_at_once;
