//! Compares runs with different numbers of ranks: which times grow with them, how, and what to expect at ten times the
//! ranks.

mod facts;
mod fit;
mod points;
mod tables;

pub use facts::{FACTS, facts, warnings};
pub use points::{Grown, Grows, grown};
pub use tables::{ModelRow, PointRow, PopRow, efficiencies, models, points, pop, times};
