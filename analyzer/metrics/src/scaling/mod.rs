//! Runs of different numbers of ranks side by side: what grows with them, how, and what that comes to.

mod facts;
mod fit;
mod points;
mod tables;

pub use facts::{FACTS, facts, warnings};
pub use points::{Grown, Grows, grown};
pub use tables::{ModelRow, PointRow, PopRow, efficiencies, models, points, pop, times};
