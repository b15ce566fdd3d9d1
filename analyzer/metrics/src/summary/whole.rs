//! The findings on runs that did not end well, that go on, of which a part is missing, or whose ranks are stuck.

use super::limits::limits;
use super::{Evidence, Finding, FindingKind};
use crate::endings::{cut, cut_in_words};
use crate::run_end::RunEnd;
use crate::totals::seconds;
use crate::warnings::{WithoutCalls, without_calls};
use crate::words::rank_in_words;
use model::ProcessFate;
use model::matching::{Account, WaitKey, WaitSum};
use model::sums::Total;
use tables::Value;

limits! {
    /// Less time without single calls is not worth a finding.
    LEAST_PERCENT = 1.0, Least, "percent", Convention;
}

/// The finding on how a run ended that did not end well, as the process in front of its launcher saw it.
pub fn ended(known: &Evidence) -> Option<Finding> {
    let end = RunEnd::of(known.run)?;
    let next = cut(known.run).next().map(|_| "The figures are of what had been done until then.");
    let finding = Finding::new(FindingKind::Ended, "run", end.of_launcher()).detail(end.of_ranks());
    Some(match next {
        Some(next) => finding.next(next),
        None => finding,
    })
}

/// The finding on a run that goes on, or that is not here as a whole.
pub fn finding(known: &Evidence) -> Option<Finding> {
    let run = known.run;
    let is_whole = run.is_every_file_here() && cut(run).next().is_none();
    if let Some(WithoutCalls { percent, .. }) =
        without_calls(run).filter(|without| is_whole && without.percent >= LEAST_PERCENT.get())
    {
        let text = format!(
            "{percent:.1} % of the ranks' time has no single calls: what follows counts only messages and waits of the rest, \
             though shares are of the whole run."
        );
        return Some(Finding::new(FindingKind::Unfinished, "functions", text));
    }
    if !run.is_partial() {
        return None;
    }
    if cut(run).next().is_none() {
        let text = "Not all of the run is here, so the figures are of what was recorded.";
        return Some(Finding::new(FindingKind::Unfinished, "ranks", text));
    }
    if RunEnd::of(run).is_some() {
        return None;
    }
    let text = if cut(run).any(|rank| rank.fate == ProcessFate::Runs) {
        "The run goes on: the figures are of what its ranks have done so far.".to_string()
    } else {
        cut_in_words(run) + "."
    };
    Some(Finding::new(FindingKind::Unfinished, "run", text))
}

/// Maximum number of reasons for a hang on a first screen.
pub const MOST_REASONS: usize = 2;

/// The finding on a run that was hanging when it ended.
pub fn hung(known: &Evidence) -> Option<Finding> {
    let (verdict, reasons) = known.at_end.filter(|verdict| verdict.is_hang)?.words.split_first()?;
    let mut finding = Finding::new(FindingKind::Stuck, "run", verdict.as_str());
    for reason in reasons.iter().take(MOST_REASONS) {
        finding.add(reason);
    }
    if let Some(unfinished) = self::finding(known) {
        finding.add(&unfinished.headline);
    }
    let waited = |account| open_waits(account).iter().map(|(_, sum)| sum.time).total();
    finding.costs = known.account().map(|account| known.mean(waited(account)));
    Some(finding.next("Fix this first: all figures count the time in which nothing could move."))
}

/// The finding on calls that have not returned.
pub fn stuck(known: &Evidence) -> Option<Finding> {
    let account = known.account()?;
    let open = open_waits(account);
    let all: i64 = account.waits.sums.values().map(|sum| sum.time).total();
    let time: i64 = open.iter().map(|(_, sum)| sum.time).total();
    let (key, most) = open.into_iter().max_by_key(|(key, sum)| (sum.time, *key))?;
    if 2 * time < all {
        return None;
    }
    let rank = known.run.ranks.get(key.waiter.rank as usize).map(rank_in_words).unwrap_or_default();
    let place = crate::words::site_in_words(&known.run.call_sites()[key.waiter.place.number()]);
    let (have, next) = if known.run.goes_on() {
        ("have", "See which rank has to do what before they can go on.")
    } else {
        ("had", "See for which rank they waited, and what it had not done.")
    };
    let [mean, longest] = [known.mean(time), seconds(most.longest)];
    let headline = format!(
        "Ranks wait in calls that {have} not returned ({}), the longest {rank} in {place}: {}.",
        known.share(mean),
        Value::Seconds(longest)
    );
    Some(Finding::new(FindingKind::Stuck, "run", headline).costs(mean).next(next))
}

/// The waits in calls that have not returned.
fn open_waits(account: &Account) -> Vec<(WaitKey, &WaitSum)> {
    account.waits.sums.iter().filter(|(_, sum)| sum.open > 0).map(|(key, sum)| (*key, sum)).collect()
}
