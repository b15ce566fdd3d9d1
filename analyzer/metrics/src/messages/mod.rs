//! Compares two runs message by message: number, order, size and content.
//!
//! After Gabriel, Jain, Subhlok, "A case study in progress engines", who showed that two MPIs are equal by a CRC-32 of
//! every message. MPI keeps the order of messages of one sender, receiver, communicator and tag, and of the collective
//! calls on a communicator, so the n-th there is compared with the n-th of the other run. The order in which the
//! messages of several senders are received is reported separately.

mod differ;
mod facts;
mod tables;

pub use differ::{DifferenceKind, RankComparison, compare};
pub use facts::{FACTS, facts, warnings};
pub use tables::{FirstDifferenceRow, MessageCountRow, counts, first_differences, is_same};
