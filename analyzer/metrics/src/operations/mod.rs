//! Collective operations as a whole, after Hoefler, Schneider and Lumsdaine, "Accurately measuring overhead, communication time and
//! progression of blocking and nonblocking collective operations at massive scale", IJPEDS 2010: from the first rank's begin to the last
//! one's end, what of that is waiting for the last to begin, and what each rank takes.

mod facts;
mod gathered;
mod table;

pub use facts::{FACTS, facts, unseen};
pub use gathered::GatheredOperations;
pub use table::{OperationRow, operations};
