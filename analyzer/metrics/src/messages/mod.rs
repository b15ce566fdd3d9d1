//! Two runs compared message by message: number, order, size and content.
//!
//! After Gabriel, Jain, Subhlok, "A case study in progress engines", who showed two MPIs equal by a CRC-32 of every message. MPI keeps order
//! among messages of one sender, receiver, communicator and tag, and among collective calls of a communicator: there the n-th message of
//! one run is compared with the n-th of the other. In which order several senders' messages are received is told apart.

mod differ;
mod facts;
mod tables;

pub use differ::{DifferenceKind, RankComparison, compare};
pub use facts::{FACTS, facts, warnings};
pub use tables::{FirstDifferenceRow, MessageCountRow, counts, first_differences, is_same};
