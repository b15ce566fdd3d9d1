//! Latency and bandwidth as a job saw them: lines through the times of its messages by size, and the sizes at which the
//! line changes.
//!
//! Exchanges and their statistics follow Worley's COMMTEST: b = min T / bytes, and a = (T_N2 - T_N1) / (N2 - N1) for
//! the smallest sizes, with the time T_N of a fixed volume in N messages. The latency is a for unordered exchanges and
//! a/2 for ordered ones; 2/b is the bandwidth of both. LogGP's parameters are after Alexandrov, Ionescu, Schauser and
//! Scheiman (SPAA 1995): a message of k bytes takes o_s + L + (k-1)G + o_r.

mod fitted_line;
mod gathered_network;
mod loggp;
mod network_tables;
mod points;
mod segments;
mod weighted_median;

pub use gathered_network::Network;
pub use loggp::{ParameterRow, determined, parameters, undetermined};
pub use network_tables::{
    FACTS, ProtocolRow, SegmentRow, SizeRow, between, facts, pattern, protocols, segments, sizes, unseen,
};
pub use points::{Between, MessagePattern, Point, Protocol};
