//! Compares two runs message by message: number, order, size and content.
//!
//! After Gabriel, Jain, Subhlok, "A case study in progress engines", who showed that two MPIs are equal by a CRC-32 of
//! every message. MPI keeps the order of messages of one sender, receiver, communicator and tag, and of the collective
//! calls on a communicator, so the n-th there is compared with the n-th of the other run. The order in which a
//! rank receives the messages of several senders is reported separately.

mod differ;
mod message_tables;
mod receive_order;
mod receive_order_words;

pub use differ::{DifferenceKind, RankComparison, compare};
pub use message_tables::{
    FACTS, FirstDifferenceRow, MessageCountRow, counts, facts, first_differences, is_same, one_sided, warnings,
};
pub use receive_order_words::{FACTS as ORDER_FACTS, order};
