//! Latency and bandwidth as a job saw them: a line through the times of its messages by size, and where another line fits.
//!
//! Exchanges and their statistics after Worley's COMMTEST: with the time of N messages of a volume, b = min T / bytes and a = (T_N2 - T_N1) / (N2 - N1) of
//! the smallest sizes. Of unordered exchanges the latency is a, of ordered ones a/2; 2/b is the bandwidth of both. LogGP's
//! parameters after Alexandrov, Ionescu, Schauser and Scheiman (SPAA 1995): a message of k bytes takes o_s + L + (k-1)G + o_r.

mod facts;
mod line;
mod loggp;
mod points;
mod segments;
mod spread;
mod tables;

pub use facts::{FACTS, facts, unseen};
pub use loggp::{ParameterRow, parameters, undetermined};
pub use points::{Between, MessagePattern, Network, Point, Protocol};
pub use tables::{ProtocolRow, SegmentRow, SizeRow, between, pattern, protocols, segments, sizes};
