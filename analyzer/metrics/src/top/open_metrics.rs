//! The ranks' positions and rates as OpenMetrics 1.0 text, for a scraper.

use std::fmt::Write;

use super::state;
use crate::words::rank_in_words;
use model::Rank;
use model::rank::function;
use model::watch::{RankView, Watch};

/// A gauge or counter that each rank has.
struct Family {
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    help: &'static str,
    value: fn(&RankView) -> Option<f64>,
}

const FAMILIES: &[Family] = &[
    Family {
        name: "since_seconds",
        kind: "gauge",
        unit: "seconds",
        help: "How long the rank has been where it is.",
        value: RankView::since,
    },
    Family {
        name: "mpi_seconds",
        kind: "counter",
        unit: "seconds",
        help: "Time in MPI, all threads.",
        value: |view| Some(view.sum.in_mpi),
    },
    Family {
        name: "sent_bytes",
        kind: "counter",
        unit: "bytes",
        help: "Bytes handed out.",
        value: |view| Some(view.sum.sent as f64),
    },
    Family {
        name: "empty_entries",
        kind: "counter",
        unit: "",
        help: "Entries into the progress engine that achieved nothing.",
        value: |view| Some(view.sum.empty_entries as f64),
    },
    Family {
        name: "pending_requests",
        kind: "gauge",
        unit: "",
        help: "Requests that have begun and are not complete.",
        value: |view| Some(view.pending as f64),
    },
    Family {
        name: "oldest_request_seconds",
        kind: "gauge",
        unit: "seconds",
        help: "How long ago the oldest of them was begun.",
        value: RankView::oldest,
    },
    Family {
        name: "data_age_seconds",
        kind: "gauge",
        unit: "seconds",
        help: "How long ago the rank's file last changed.",
        value: |view| Some(view.data_age),
    },
];

/// All families of all ranks.
pub fn open_metrics(watch: &Watch) -> String {
    let mut text = String::new();
    let ranks: Vec<(String, &RankView)> =
        watch.ranks.iter().zip(&watch.views).map(|(rank, view)| (labels(rank, view), view)).collect();
    for family in FAMILIES {
        let Family { name, kind, unit, help, value } = family;
        let _ = writeln!(text, "# TYPE overhear_{name} {kind}");
        if !unit.is_empty() {
            let _ = writeln!(text, "# UNIT overhear_{name} {unit}");
        }
        let _ = writeln!(text, "# HELP overhear_{name} {help}");
        let suffix = if *kind == "counter" { "_total" } else { "" };
        for (labels, view) in &ranks {
            if let Some(value) = value(view) {
                let _ = writeln!(text, "overhear_{name}{suffix}{{{labels}}} {value}");
            }
        }
    }
    text + "# EOF\n"
}

fn labels(rank: &Rank, view: &RankView) -> String {
    let call = view.spot.call().map(function).unwrap_or_default();
    format!(
        "rank=\"{}\",host=\"{}\",state=\"{}\",function=\"{}\"",
        rank_in_words(rank).trim_start_matches("rank "),
        escaped(&rank.process.host),
        state(view).key,
        escaped(&call)
    )
}

/// A label's value with the escapes that the format requires.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
