//! The finding on runs that go on, or of which a part is missing.

use super::{Evidence, Finding};
use crate::words::plural;
use model::{End, ProcessFate, Rank};

pub fn finding(known: &Evidence) -> Option<Finding> {
    let run = known.run;
    if !run.is_partial() {
        return None;
    }
    let is_cut = |rank: &&Rank| !matches!(rank.end, End::Finalized);
    let goes_on = run.ranks.iter().filter(is_cut).any(|rank| rank.fate == ProcessFate::Runs);
    let cut = run.ranks.iter().filter(is_cut).count() as u64;
    let text = match (goes_on, cut) {
        (true, _) => "The run goes on: the figures are of what its ranks have done so far.".to_string(),
        (false, 0) => "Not all of the run is here, so the figures are of what was recorded.".to_string(),
        (false, cut) => format!(
            "{cut} of {} did not finalize MPI: {} counts until the last sign of life in its file.",
            plural(run.ranks.len() as u64, "rank"),
            if cut == 1 { "it" } else { "each" }
        ),
    };
    Some(Finding::new("run", text))
}
