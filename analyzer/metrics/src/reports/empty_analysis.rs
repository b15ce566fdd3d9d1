//! The error of an analysis that has nothing to show.

use std::collections::BTreeMap;

use model::error::Error;
use model::rank::function;
use model::{Rank, Run};

/// Says what the run lacks, what the analysis needs, and what the run calls instead.
pub fn nothing(run: &Run, needed: &'static str) -> Error {
    Error::NothingToAnalyze { folder: run.folder.clone(), needed, instead: most_called(run) }
}

/// The functions that a run calls most, in words.
fn most_called(run: &Run) -> String {
    let mut calls: BTreeMap<String, u64> = BTreeMap::new();
    for entry in run.asked().flat_map(Rank::entries) {
        let count = calls.entry(function(&entry.signature)).or_default();
        *count = count.saturating_add(entry.count);
    }
    let mut calls: Vec<(String, u64)> = calls.into_iter().collect();
    calls.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let most: Vec<String> = calls.iter().take(3).map(|(function, count)| format!("{function} {count}")).collect();
    let ranks = run.asked().count();
    let plural = if ranks == 1 { "" } else { "s" };
    if most.is_empty() {
        format!("no call on {ranks} rank{plural}")
    } else {
        format!("on {ranks} rank{plural} mostly {}", most.join(", "))
    }
}
