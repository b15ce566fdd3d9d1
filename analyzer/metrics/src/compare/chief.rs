//! The figures of a comparison that people are shown, table by table. All of them are judged together.

use super::run_figures::{
    ENGINE, FUNCTIONS, FigureName, GAPS, IMBALANCE, OVERLAP, POP, SITES, SIZES, TIME_MEAN, WAITS,
};
use tables::{Label, Unit};

pub struct ComparedTable {
    pub table: &'static str,
    pub title: &'static str,
    /// The figures that are shown, in order; empty for all. If there are several, each has a row of its own with its
    /// name.
    pub figures: &'static [Label],
    pub unit: Unit,
    /// The key and the heading of the column with the number of calls, waits or requests.
    pub count: Option<(&'static str, &'static str)>,
    /// Maximum number of rows shown to people, those with the largest difference first. `None` keeps all rows in their
    /// order.
    pub most: Option<usize>,
}

/// A figure that is alone in its section and needs no name there.
const fn alone(key: &'static str) -> Label {
    Label { key, name: "", depth: 0 }
}

const TIME: Label = alone(TIME_MEAN);

/// The figures of nonblocking requests. The base is the life of those that were waited for right after the post; it holds the wait
/// for a late sender, too, so it is not called the transfer's. The bounds serve where the availability is unknown.
const OF_REQUESTS: [Label; 5] = [
    Label { key: "overhead_s", name: "overhead", depth: 0 },
    Label { key: "transfer_s", name: "lifetime", depth: 0 },
    Label { key: "availability_percent", name: "available", depth: 0 },
    Label { key: "hidden_least_percent", name: "least hidden", depth: 0 },
    Label { key: "hidden_most_percent", name: "most hidden", depth: 0 },
];

/// All sections, in the order in which they are shown.
pub const SECTIONS: [ComparedTable; 9] = [
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
        table: GAPS,
        title: "computation between calls, mean of ranks",
        figures: &[TIME],
        unit: Unit::Seconds,
        count: Some(("passes", "passes")),
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

/// True if a table needs single calls, which a profile does not have.
pub fn needs_calls(table: &str) -> bool {
    [WAITS, POP, OVERLAP, GAPS].contains(&table)
}

/// True if a figure that one side lacks is 0 there. The time of a function that was not called is 0, but the overhead
/// of requests that were not made is unknown.
pub fn is_zero_absent(name: &FigureName) -> bool {
    let adds_up = if name.table == OVERLAP { name.figure == "requests" } else { name.unit.is_sum() };
    adds_up && !name.row.is_empty()
}

/// True if text shows the figure, so that it is judged.
pub fn is_chief(name: &FigureName) -> bool {
    let section = SECTIONS.iter().find(|section| section.table == name.table);
    section.is_some_and(|section| section.figures.is_empty() || section.place(&name.figure).is_some())
}

impl ComparedTable {
    /// The index of a figure in `figures`.
    pub fn place(&self, figure: &str) -> Option<usize> {
        self.figures.iter().position(|label| label.key == figure)
    }
}
