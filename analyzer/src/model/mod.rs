//! From the files of a run to one consistent account of it.

pub mod batches;
pub mod bytes;
pub mod clock;
pub mod critical;
pub mod deadlock;
pub mod engine;
pub mod exchanges;
pub mod fate;
pub mod levels;
pub mod matching;
pub mod messages;
pub mod objects;
pub mod one_sided;
pub mod overlap;
pub mod process;
pub mod rank;
pub mod roles;
pub mod rounds;
pub mod run;
pub mod sample;
pub mod selection;
pub mod sites;
pub mod standing;
pub mod stream;
pub mod sums;
pub mod tally;
pub mod timeline;
pub mod wait_for;
pub mod watch;

pub use fate::ProcessFate;
pub use rank::{End, Rank, Sketch};
pub use run::Run;
pub use selection::Choice;
