//! Changed runs: what a run would take if something in it were different.

mod asked;
mod prediction;
mod shared_work;

pub use asked::{AskedChange, NetworkChange};
pub use prediction::{AloneRow, FACTS, Prediction, ThenRow, WaitRow};
