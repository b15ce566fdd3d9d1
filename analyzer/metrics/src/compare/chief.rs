//! Which figures people are shown of a comparison, table by table. These are judged together.

use super::figures::FigureName;
use super::names::{ENGINE, FUNCTIONS, IMBALANCE, OVERLAP, POP, SITES, SIZES, WAITS};
use tables::{Label, Unit};

/// A table of a comparison.
pub struct ComparedTable {
    /// Its name for programs.
    pub table: &'static str,
    /// Its first column's heading.
    pub title: &'static str,
    /// Which figures it is of, in their order; all of them, where there is none. Of several, each has a row and says which it is.
    pub figures: &'static [Label],
    /// What they are counted in.
    pub unit: Unit,
    /// How many there were of it.
    pub count: Option<(&'static str, &'static str)>,
    /// The rows that people are shown; all in their order where there is no number.
    pub most: Option<usize>,
}

/// What stands alone in its section needs no name there.
const fn alone(key: &'static str) -> Label {
    Label { key, name: "", depth: 0 }
}

const TIME: Label = alone("time_mean_s");

/// The figures of nonblocking requests. The bounds stand in for an availability that is not known.
const OF_REQUESTS: [Label; 5] = [
    Label { key: "overhead_s", name: "overhead", depth: 0 },
    Label { key: "transfer_s", name: "transfer", depth: 0 },
    Label { key: "availability_percent", name: "available", depth: 0 },
    Label { key: "hidden_least_percent", name: "least hidden", depth: 0 },
    Label { key: "hidden_most_percent", name: "most hidden", depth: 0 },
];

/// All of them, in the order to be shown.
pub const SECTIONS: [ComparedTable; 8] = [
    ComparedTable {
        table: FUNCTIONS,
        title: "function, mean of ranks",
        figures: &[TIME],
        unit: Unit::Seconds,
        count: Some(("calls", "calls")),
        most: Some(15),
    },
    ComparedTable {
        table: SITES,
        title: "call site, mean of ranks",
        figures: &[TIME],
        unit: Unit::Seconds,
        count: Some(("calls", "calls")),
        most: Some(10),
    },
    ComparedTable {
        table: SIZES,
        title: "bytes of a call, from and below",
        figures: &[TIME],
        unit: Unit::Seconds,
        count: Some(("calls", "calls")),
        most: Some(10),
    },
    ComparedTable {
        table: WAITS,
        title: "wait state, all ranks",
        figures: &[alone("wait_s")],
        unit: Unit::Seconds,
        count: Some(("waits", "waits")),
        most: Some(10),
    },
    ComparedTable {
        table: IMBALANCE,
        title: "imbalance: max of ranks less mean",
        figures: &[alone("imbalance_s")],
        unit: Unit::Seconds,
        count: None,
        most: Some(10),
    },
    ComparedTable {
        table: OVERLAP,
        title: "nonblocking requests: medians",
        figures: &OF_REQUESTS,
        unit: Unit::ByRow,
        count: Some(("requests", "requests")),
        most: Some(15),
    },
    ComparedTable {
        table: POP,
        title: "efficiency",
        figures: &[alone("percent")],
        unit: Unit::Percent,
        count: None,
        most: None,
    },
    ComparedTable {
        table: ENGINE,
        title: "the ledger, all ranks",
        figures: &[],
        unit: Unit::ByRow,
        count: None,
        most: None,
    },
];

/// Whether a table is made of single calls, which a profile does not have.
pub fn needs_calls(table: &str) -> bool {
    [WAITS, POP, OVERLAP].contains(&table)
}

/// Whether what is not in a table is 0: a function that was not called took no time, but nobody knows the overhead of requests that
/// were not made.
pub fn is_zero_absent(name: &FigureName) -> bool {
    let adds_up = if name.table == OVERLAP { name.figure == "requests" } else { name.unit.is_sum() };
    adds_up && !name.row.is_empty()
}

/// Whether people are shown the figure, and so is to be judged.
pub fn is_chief(name: &FigureName) -> bool {
    let section = SECTIONS.iter().find(|section| section.table == name.table);
    section.is_some_and(|section| section.figures.is_empty() || section.place(&name.figure).is_some())
}

impl ComparedTable {
    /// The place of a figure among those it is of.
    pub fn place(&self, figure: &str) -> Option<usize> {
        self.figures.iter().position(|label| label.key == figure)
    }
}
