//! The error of an analysis that has nothing to show.

use crate::words::plural;
use model::error::Error;
use model::rank::function_of;
use model::sums::Grow;
use model::{Rank, Run};
use rustc_hash::FxHashMap;

/// Says what the run lacks, what the analysis needs, and what the run calls instead.
pub fn nothing(run: &Run, needed: &'static str) -> Error {
    Error::NothingToAnalyze { folder: run.folder.clone(), needed, instead: most_called(run) }
}

/// The functions that a run calls most, in words.
fn most_called(run: &Run) -> String {
    let mut counts: FxHashMap<u16, u64> = FxHashMap::default();
    for entry in run.asked().flat_map(Rank::entries) {
        counts.entry(entry.signature.call).or_default().grow(entry.count);
    }
    let mut calls: Vec<(String, u64)> = counts.into_iter().map(|(call, count)| (function_of(call), count)).collect();
    calls.sort_by(|(function, count), (other, others)| others.cmp(count).then_with(|| function.cmp(other)));
    let most: Vec<String> = calls.iter().take(3).map(|(function, count)| format!("{function} {count}")).collect();
    let ranks = plural(run.asked().count() as u64, "rank");
    if most.is_empty() { format!("no call on {ranks}") } else { format!("on {ranks} mostly {}", most.join(", ")) }
}
