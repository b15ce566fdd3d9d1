//! Reads the files of a run into one consistent account of it.
//!
//! Floors, highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! shared_walk
//! attribution
//! critical habits levels origins passive_targets rounds wait_for watch what_if
//! exchanges matching standing
//! dropped_past kept_part open_run overlap rank_roles stream
//! roles
//! accesses engine messages one_sided teams threads_inside
//! objects run_parts
//! run
//! sites common_clock
//! rank
//! tally
//! error launch_log selection thread_calls
//! output
//! batches bytes clock deadlock parallel process ranks request_numbers sample site_naming spill sums unfinished
//! ```

pub mod accesses;
pub mod attribution;
pub mod batches;
pub mod bytes;
pub mod clock;
pub mod common_clock;
pub mod critical;
pub mod deadlock;
pub mod dropped_past;
pub mod engine;
pub mod error;
pub mod exchanges;
pub mod habits;
pub mod kept_part;
pub mod launch_log;
pub mod levels;
pub mod matching;
pub mod messages;
pub mod objects;
pub mod one_sided;
mod open_run;
pub mod origins;
pub mod output;
pub mod overlap;
pub mod parallel;
pub mod passive_targets;
pub mod process;
pub mod rank;
pub mod rank_roles;
pub mod ranks;
pub mod request_numbers;
pub mod roles;
pub mod rounds;
pub mod run;
pub mod run_parts;
pub mod sample;
pub mod selection;
pub mod shared_walk;
pub mod site_naming;
pub mod sites;
pub mod spill;
pub mod standing;
pub mod stream;
pub mod sums;
pub mod tally;
pub mod teams;
pub mod thread_calls;
pub mod threads_inside;
pub mod unfinished;
pub mod wait_for;
pub mod watch;
pub mod what_if;

pub use open_run::{is_run, named_or_newest};
pub use process::ProcessFate;
pub use rank::{End, Rank, Sketch};
pub use run::Run;
pub use selection::Choice;
