//! Compares two sides of one run or several each: shows every figure of A beside that of B, and tells if they differ by
//! more than noise.
//!
//! The figures come from the tables that `report`, `waits`, `pop`, `imbalance`, `overlap` and `progress` print.

mod changes;
mod chief;
mod compared_sides;
mod joined;
mod noise;
mod other_findings;
mod rank_computation;
mod run_figures;
mod sections;
mod threshold;

pub use changes::FACTS as CHANGES;
pub use compared_sides::{FACTS, facts, warnings};
pub use joined::{Comparison, FigureRow, Side, compare, table};
pub use other_findings::FACTS as OTHER_FINDINGS;
pub use rank_computation::FACTS as RANK_COMPUTATION;
pub use run_figures::{FUNCTION_TIMES, Figures, figures, figures_of};
pub use sections::{sections, sentences};
pub use threshold::Threshold;
