//! Collective operations as a whole, after Hoefler, Schneider and Lumsdaine, "Accurately measuring overhead,
//! communication time and progression of blocking and nonblocking collective operations at massive scale", IJPEDS 2010:
//! the time from the first rank's begin to the last one's end, the part of it until the last rank begins, and the time
//! of each rank.

mod facts;
mod gathered;
mod table;

pub use facts::{FACTS, facts, unseen};
pub use gathered::GatheredOperations;
pub use table::{OperationRow, operations};
