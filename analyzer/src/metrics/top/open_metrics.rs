//! The same as text of OpenMetrics 1.0, for a scraper.

use std::fmt::Write;

use super::state;
use crate::metrics::words::rank_in_words;
use crate::model::rank::function;
use crate::model::standing::Frame;

/// A gauge or counter of each rank.
pub fn open_metrics(now: &Frame) -> String {
    let mut text = String::new();
    let labels = |at: usize| {
        let (rank, of) = (&now.ranks[at], &now.seen[at]);
        let call = of.spot.call().map(function).unwrap_or_default();
        let host = escaped(&rank.process.host);
        format!(
            "rank=\"{}\",host=\"{host}\",state=\"{}\",function=\"{}\"",
            rank_in_words(rank).trim_start_matches("rank "),
            state(of).key,
            escaped(&call)
        )
    };
    let mut family = |name: &str, kind: &str, suffix: &str, help: &str, value: &dyn Fn(usize) -> Option<f64>| {
        let _ = writeln!(text, "# TYPE overhear_{name} {kind}\n# HELP overhear_{name} {help}");
        for at in 0..now.ranks.len() {
            if let Some(value) = value(at) {
                let _ = writeln!(text, "overhear_{name}{suffix}{{{}}} {value}", labels(at));
            }
        }
    };
    family("since_seconds", "gauge", "", "How long the rank has been where it is.", &|at| now.seen[at].since());
    let empty = |at: usize| Some(now.seen[at].empty_entries as f64);
    family("empty_entries", "counter", "_total", "Entries into the progress engine that achieved nothing.", &empty);
    text + "# EOF\n"
}

/// A label's value, as the format wants it.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
