//! Compares runs with different numbers of ranks: finds the times that grow with them, and predicts them at ten times
//! the ranks.

mod fit;
mod points;
mod scaling_tables;

pub use points::{Grown, Grows, grown};
pub use scaling_tables::{
    FACTS, ModelRow, PointRow, PopRow, efficiencies, facts, models, points, pop, programs, times, warnings,
};
