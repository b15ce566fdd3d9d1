//! Names of ranks in sentences, by their places in the run.

use crate::words::{numbers, rank_in_words};
use model::Run;

/// Names ranks, given by their places in the run.
pub fn names(run: &Run, places: &[usize]) -> String {
    let (first, others): (Vec<usize>, Vec<usize>) =
        places.iter().partition(|at| run.ranks[**at].header.world == 0 && run.ranks[**at].number().is_some());
    let mut ranges: Vec<std::ops::RangeInclusive<u32>> = Vec::new();
    for number in first.iter().filter_map(|at| run.ranks[*at].number()) {
        match ranges.last_mut() {
            Some(range) if range.end() + 1 == number => *range = *range.start()..=number,
            _ => ranges.push(number..=number),
        }
    }
    let mut words: Vec<String> = if ranges.is_empty() { Vec::new() } else { vec![numbers(&ranges)] };
    words.extend(others.iter().map(|at| rank_in_words(&run.ranks[*at])));
    words.join(", ")
}

/// The ranks and the fitting verb: `ranks 1-3 wait`.
pub fn agree(run: &Run, places: &[usize], one: &str, several: &str) -> String {
    format!("{} {}", names(run, places), if places.len() == 1 { one } else { several })
}
