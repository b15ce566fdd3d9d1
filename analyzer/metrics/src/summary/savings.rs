//! Savings: by how much the run would be shorter if the cause of a finding were gone, by a replay of the run.
//!
//! In: findings with the changes that cure them. Out: each finding's saving beside those of the findings before it, so that savings add up.
//! Two replays do: one changes the run by each finding alone, which orders them, and one by the first, the first two, and so on.

use model::matching::Estimate;
use model::matching::scenario::Scenario;
use model::what_if::{Replayed, clock_error, replay_settled};

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
    curable.truncate(MOST);
    if curable.is_empty() {
        return;
    }
    let lanes = |changed: Vec<Vec<_>>| {
        let mut scenarios = vec![Scenario::recorded()];
        scenarios.extend(changed.iter().map(|changes| Scenario::with(changes, Estimate::Typical)));
        replay_settled(known.run, settled, &scenarios)
    };
    let alone = lanes(curable.iter().map(|finding| finding.changes.clone()).collect());
    for (finding, lane) in curable.iter_mut().zip(1..) {
        finding.saving = Some(saving(&alone, (0, lane), 0.0));
    }
    curable.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
    let mut together = Vec::new();
    let cumulative = curable.iter().map(|finding| {
        together.extend(finding.changes.iter().cloned());
        together.clone()
    });
    let cumulative = lanes(cumulative.collect());
    let clocks = seconds(clock_error(settled));
    for (finding, lane) in curable.iter_mut().zip(1..) {
        let saving = saving(&cumulative, (lane - 1, lane), clocks);
        finding.saving = Some(saving).filter(|saving| saving.time > LEAST_OF_ERROR * saving.error);
    }
}

/// The saving of one lane beside another. The unchanged replay's error is part of its own.
fn saving(replayed: &Replayed, (before, after): (usize, usize), clocks: f64) -> Saving {
    let time = replayed.length(before).saturating_sub(replayed.length(after));
    let of_replay = replayed.length(0).saturating_sub(replayed.recorded()).saturating_abs();
    Saving { time: seconds(time), error: seconds(of_replay) + clocks }
}
