//! Savings: by how much the run would be shorter if the cause of a finding were gone, by a replay of the run.
//!
//! In: findings with the changes that cure them. Out: each finding's saving beside those of the findings that cost more, so that savings add
//! up. One replay does: its lanes change the run by the first finding, by the first two, and so on.

use model::matching::Estimate;
use model::matching::scenario::Scenario;
use model::what_if::{Replayed, clock_error, lengths};

use super::{Evidence, Finding, Saving};
use crate::totals::seconds;

/// Findings whose savings are replayed; a screen shows fewer.
const MOST: usize = 12;
/// A saving is told if it is larger than its error, and a bound otherwise.
const LEAST_OF_ERROR: f64 = 1.0;

/// Replays the run without the causes of findings, and notes what each of them would save beside the others.
pub fn replay(known: &Evidence, all: &mut [Finding]) {
    // A part of a run, or one that was cut, ends where it does for another reason than its last rank.
    let is_whole = known.run.ranks.iter().all(|rank| rank.is_finalized() && !rank.is_part());
    let Some(settled) = known.settled.filter(|_| is_whole) else { return };
    let mut curable: Vec<&mut Finding> = all.iter_mut().filter(|finding| !finding.changes.is_empty()).collect();
    if curable.is_empty() {
        return;
    }
    curable.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
    curable.truncate(MOST);
    let mut together = Vec::new();
    let mut scenarios = vec![Scenario::recorded()];
    for finding in &curable {
        together.extend(finding.changes.iter().cloned());
        scenarios.push(Scenario::with(&together, Estimate::Typical));
    }
    let replayed = lengths(known.run, settled, &scenarios);
    let clocks = seconds(clock_error(settled));
    for (finding, lane) in curable.iter_mut().zip(1..) {
        let saving = saving(&replayed, (lane - 1, lane), clocks);
        finding.saving = Some(saving).filter(|saving| saving.time > LEAST_OF_ERROR * saving.error);
    }
}

/// The saving of one lane beside another. The unchanged replay's error is part of its own.
fn saving(replayed: &Replayed, (before, after): (usize, usize), clocks: f64) -> Saving {
    let time = replayed.length(before).saturating_sub(replayed.length(after));
    let of_replay = replayed.length(0).saturating_sub(replayed.recorded()).saturating_abs();
    Saving { time: seconds(time), error: seconds(of_replay) + clocks }
}
