//! Memory of a file that one process writes while others read it: the words of its pages, and a thread's block.
//!
//! Every access is atomic, since a reader of a running program never knows what is written at that moment. The writer
//! never waits. Three kinds of data are published in three ways:
//!
//! - Records, signatures, definitions and page headers never change once they are there. Their first word, of a page
//!   header the kind, is written last, with Release: see [`LiveWords`].
//! - Counters change at any time and mean something one by one: those of the header, of profiles and of ledgers.
//! - The calls and runs in a thread's block change at any time and mean something together. Readers copy them until two
//!   copies are equal: see [`LiveBlock`].

mod block;
mod calls;
mod productive;
mod still;
mod words;

pub use block::{LiveBlock, LiveLine, LivePolls, LiveTeams, halves};
pub use calls::{LiveCalls, OpenLevels};
pub use productive::{LiveProductive, LiveRun};
pub(crate) use still::still;
pub use words::{LiveWords, see_published};
