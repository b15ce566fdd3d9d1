//! How much of communication was hidden behind computation.
//!
//! Overhead and application availability after Doerfler and Brightwell, "Measuring MPI send and receive overhead and application
//! availability in high performance network interfaces", EuroPVM/MPI 2006: availability = 1 - overhead / transfer time. The
//! transfer time is the life of requests that were waited for right after they were posted; the overhead is the time in MPI of those
//! whose transfer had the time to go on while the program computed. Where a program has none of the former, there are bounds.

mod benchmark_columns;
mod bounds;
mod chosen;
mod collective_benchmarks;
mod collectives;
mod estimate;
mod facts;
mod gathered;
mod means;
mod messages;
mod postponed;
mod protocol;
mod smb;
mod transfer;

pub use collectives::{CollectiveOverlapRow, collectives};
pub use facts::{FACTS, facts, unseen};
pub use gathered::{GatheredRequests, RequestSize, SIZES};
pub use messages::{MessageOverlapRow, messages};
pub use postponed::{PostponedRow, postponed};
pub use protocol::switches;
