//! Measures rounds of one rank to several others and back: their time by size and number of ranks, the cost of one more
//! message, and the rounds that took far longer than usual.
//!
//! After Hoefler, Viertel, Mehlan, Mietke, Rehm, "Assessing single-message and multi-node communication performance of
//! InfiniBand", PARELEC 2006: the latency is half the round trip, measured at the root from its first send to the last
//! answer.

mod cheapest;
mod gathered_rounds;
mod mavericks;
mod one_sided;
mod peers;
mod round_rows;
mod time_spread;

pub use cheapest::{CheapestRow, cheapest};
pub use gathered_rounds::{FACTS, GatheredRounds, facts, unseen};
pub use mavericks::{MaverickRow, mavericks};
pub use one_sided::{TransferRow, transfers, unseen_transfers};
pub use peers::{PeerRow, peers};
pub use round_rows::{RoundRow, round_rows};
