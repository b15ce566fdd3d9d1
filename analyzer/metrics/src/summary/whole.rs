//! The findings on runs that go on, of which a part is missing, or whose ranks are stuck.

use super::{Evidence, Finding, FindingKind};
use crate::totals::{percent, seconds};
use crate::words::{plural, rank_in_words};
use model::sums::Total;
use model::{End, ProcessFate, Rank};
use tables::Value;

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
    Some(Finding::new(FindingKind::Unfinished, "run", text))
}

/// If a larger share of the waiting is in calls that have not returned, those are the finding.
const MOST_PERCENT: f64 = 50.0;

/// The finding on calls that have not returned.
pub fn stuck(known: &Evidence) -> Option<Finding> {
    let account = known.account?;
    let all: i64 = account.waits.sums.values().map(|sum| sum.time).total();
    let open = account.waits.sums.iter().filter(|(_, sum)| sum.open > 0);
    let (key, most) = open.clone().max_by_key(|(key, sum)| (sum.time, **key))?;
    let time = open.map(|(_, sum)| sum.time).total();
    percent(time as f64, all as f64).filter(|share| *share >= MOST_PERCENT)?;
    let rank = known.run.ranks.get(key.waiter.rank as usize).map(rank_in_words).unwrap_or_default();
    let place = account.places.get(key.waiter.place.number());
    let place = place.map(crate::words::site_in_words).unwrap_or_default();
    let goes_on = known.run.ranks.iter().any(|rank| rank.fate == ProcessFate::Runs);
    let (have, next) = if goes_on {
        ("have", "See which rank has to do what before they can go on.")
    } else {
        ("had", "See for which rank they waited, and what it had not done.")
    };
    let [mean, longest] = [known.mean(time), seconds(most.longest)];
    let headline = format!(
        "Ranks wait in calls that {have} not returned ({}), the longest {rank} in {place}: {}.",
        known.cost(mean),
        Value::Seconds(longest)
    );
    Some(Finding::new(FindingKind::Stuck, "run", headline).costs(mean).next(next))
}
