//! From the files of a run to one consistent account of it.

pub mod clock;
pub mod engine;
pub mod rank;
pub mod run;
pub mod sites;
pub mod tally;

pub use rank::{End, Rank};
pub use run::Run;
