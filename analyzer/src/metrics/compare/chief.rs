//! Which figures people are shown of a comparison, table by table. These are judged together.

use super::figures::FigureName;
use super::names::{ENGINE, FUNCTIONS, IMBALANCE, POP, SITES, SIZES, WAITS};
use crate::report::Unit;

/// A table of a comparison.
pub struct Section {
    /// Its name for programs.
    pub table: &'static str,
    /// Its first column's heading.
    pub title: &'static str,
    /// Which figure it is of; all of them, where it is none.
    pub figure: Option<&'static str>,
    /// What that is counted in.
    pub unit: Unit,
    /// How many there were of it.
    pub count: Option<(&'static str, &'static str)>,
    /// The rows that people are shown; all in their order where there is no number.
    pub most: Option<usize>,
}

/// All of them, in the order to be shown.
pub const SECTIONS: [Section; 7] = [
    Section {
        table: FUNCTIONS,
        title: "function, mean of ranks",
        figure: Some("time_mean_s"),
        unit: Unit::Seconds,
        count: Some(("calls", "calls")),
        most: Some(15),
    },
    Section {
        table: SITES,
        title: "call site, mean of ranks",
        figure: Some("time_mean_s"),
        unit: Unit::Seconds,
        count: Some(("calls", "calls")),
        most: Some(10),
    },
    Section {
        table: SIZES,
        title: "bytes of a call, from and below",
        figure: Some("time_mean_s"),
        unit: Unit::Seconds,
        count: Some(("calls", "calls")),
        most: Some(10),
    },
    Section {
        table: WAITS,
        title: "wait state, all ranks",
        figure: Some("wait_s"),
        unit: Unit::Seconds,
        count: Some(("waits", "waits")),
        most: Some(10),
    },
    Section {
        table: IMBALANCE,
        title: "imbalance: max of ranks less mean",
        figure: Some("imbalance_s"),
        unit: Unit::Seconds,
        count: None,
        most: Some(10),
    },
    Section { table: POP, title: "efficiency", figure: Some("percent"), unit: Unit::Percent, count: None, most: None },
    Section { table: ENGINE, title: "the ledger, all ranks", figure: None, unit: Unit::ByRow, count: None, most: None },
];

/// Whether a table is made of single calls, which a profile does not have.
pub fn needs_calls(table: &str) -> bool {
    [WAITS, POP].contains(&table)
}

/// Whether people are shown the figure, and so is to be judged.
pub fn is_chief(name: &FigureName) -> bool {
    let section = SECTIONS.iter().find(|section| section.table == name.table);
    section.is_some_and(|section| section.figure.is_none_or(|figure| figure == name.figure))
}
