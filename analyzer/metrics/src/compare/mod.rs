//! Compares two sides of one run or several each: every figure of A beside that of B, and whether they differ by more
//! than noise.
//!
//! The figures come from the tables that `report`, `waits`, `pop`, `imbalance`, `overlap` and `progress` print.

mod chief;
mod facts;
mod figures;
mod joined;
mod names;
mod noise;
mod sections;
mod sentences;
mod threshold;

pub use facts::{FACTS, facts, warnings};
pub use figures::{Figures, figures};
pub use joined::{Comparison, FigureRow, Side, compare, table};
pub use names::FUNCTION_TIMES;
pub use sections::{SectionColumns, sections};
pub use sentences::sentences;
pub use threshold::Threshold;
