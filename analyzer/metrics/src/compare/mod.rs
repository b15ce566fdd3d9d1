//! Compares two sides of one run or several each: shows every figure of A beside that of B, and tells if they differ by
//! more than noise.
//!
//! The figures come from the tables that `report`, `waits`, `pop`, `imbalance`, `overlap` and `progress` print.

mod alignment;
mod changes;
mod chief;
mod compared_sides;
mod edits;
mod gaps;
mod joined;
mod library_settings;
mod likeness;
mod line_shifts;
mod names_of_both;
mod noise;
mod other_findings;
mod pairing;
mod program_sites;
mod rank_computation;
mod run_figures;
mod sections;
mod site_pairs;
mod source_functions;
mod threshold;

pub use changes::FACTS as CHANGES;
pub use compared_sides::{FACTS, facts, warnings};
pub use edits::{FACTS as EDITS, SitePairRow, sentences as sentences_on_calls, table as site_pairs};
pub use joined::{Compared, Comparison, FigureRow, Side, compare, figures_table};
pub use library_settings::{FACTS as LIBRARY_SETTINGS, OtherSettingRow, table as library_settings};
pub use other_findings::FACTS as OTHER_FINDINGS;
pub use rank_computation::FACTS as RANK_COMPUTATION;
pub use run_figures::{FUNCTION_TIMES, Figures, figures, figures_of};
pub use sections::{sections, sentences};
pub use site_pairs::{PairFound, SitePairs};
pub use threshold::Threshold;
