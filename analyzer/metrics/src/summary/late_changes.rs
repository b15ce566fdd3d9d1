//! The patterns of lateness, and the changes to a run that cure each, for the replay.

use model::attribution::Spent;
use model::matching::WaitState;
use model::matching::scenario::{PassChange, RunChange};
use model::origins::{Activity, ActivityTimes};
use model::sums::Total;

use super::late_reason::LateReason;
use super::lateness::LateActivity;

/// Time is of a kind if most of it is.
const MOSTLY: f64 = 0.5;

/// The pattern behind an activity's figures.
pub enum Lateness {
    /// Few ranks work while all others wait.
    Alone,
    /// All ranks work one after another.
    InTurn,
    /// Some cases are rare and long: `long` of `of` cases, which take `takes` on average, not the `usual` time. Nanoseconds.
    NowAndThen { long: u64, of: u64, usual: i64, takes: i64 },
    /// A different rank is late each time.
    Alternating,
    /// One rank after another is late for a stretch of the run.
    Drifting,
    /// A few ranks are late nearly always.
    Always,
    /// Senders wait for few ranks to post their receives.
    LateReceivers,
}

pub fn of(late: &LateActivity, lateness: &Lateness, reason: Option<&LateReason>) -> Vec<RunChange> {
    let Activity::Between(from, to) = late.activity else { return Vec::new() };
    let around = (Some(from), to);
    let change = |ranks: &[(u32, &ActivityTimes)], change| {
        RunChange::Stretch(ranks.iter().map(|(rank, _)| *rank).collect(), around, change)
    };
    match lateness {
        // Answers that are there before they are asked for take no time.
        Lateness::Alone if late.is_answer() => vec![change(late.culprits(), PassChange::Times(0.0))],
        // All ranks do their part of the work at once.
        Lateness::Alone => divided(late, change),
        Lateness::NowAndThen { usual, takes, .. } => {
            // What a core does at these times is work, and may be divided; an interruption may go.
            let is_work = late.share_spent(Spent::Computing) >= MOSTLY;
            let left = if is_work { (takes - usual) / late.known.ranks() as i64 } else { 0 };
            vec![change(late.culprits(), PassChange::AtMost(usual + left))]
        }
        Lateness::Alternating | Lateness::Drifting if comes_as_often(&late.ranks) => {
            vec![change(&late.ranks, PassChange::Level)]
        }
        Lateness::Alternating | Lateness::Drifting => match mean(&late.ranks) {
            Some(mean) => vec![change(&late.ranks, PassChange::Always(mean as i64))],
            None => Vec::new(),
        },
        Lateness::Always => match reason {
            Some(
                LateReason::InFile { .. }
                | LateReason::Sleeping { is_longer: false, .. }
                | LateReason::Asleep
                | LateReason::InKernel { .. }
                | LateReason::SlowerAtTimes,
            ) => as_the_others(late, change),
            Some(LateReason::MoreWork | LateReason::Sleeping { .. } | LateReason::AsleepLonger) | None => {
                levelled(late, change)
            }
        },
        Lateness::LateReceivers => {
            let sends = late.ranks.iter().flat_map(|(_, times)| times.waits.keys());
            let sends = sends.filter(|wait| wait.state == WaitState::LateReceiver);
            let mut sites: Vec<u32> = sends.map(|wait| wait.waiter.place.number() as u32).collect();
            sites.sort_unstable();
            sites.dedup();
            vec![RunChange::Unblocked(sites)]
        }
        // Another order of the work is no change of times.
        Lateness::InTurn => Vec::new(),
    }
}

/// Lets the culprits' passes take as long as the others': what they do beyond the same work goes, and to nobody else.
fn as_the_others(
    late: &LateActivity,
    change: impl Fn(&[(u32, &ActivityTimes)], PassChange) -> RunChange,
) -> Vec<RunChange> {
    let others: Vec<(u32, &ActivityTimes)> = late.others_as_often().into_iter().copied().collect();
    let shorter = mean(late.culprits()).zip(mean(&others)).filter(|(own, theirs)| own > theirs);
    let change = shorter.map(|(own, theirs)| change(late.culprits(), PassChange::Times(theirs / own)));
    change.into_iter().collect()
}

/// Divides the culprits' work among all ranks.
fn divided(late: &LateActivity, change: impl Fn(&[(u32, &ActivityTimes)], PassChange) -> RunChange) -> Vec<RunChange> {
    let share = late.culprits().len() as f64 / late.known.ranks() as f64;
    vec![change(late.culprits(), PassChange::Times(share))]
}

/// Gives each rank there as much work as the mean rank has.
fn levelled(late: &LateActivity, change: impl Fn(&[(u32, &ActivityTimes)], PassChange) -> RunChange) -> Vec<RunChange> {
    let others: Vec<(u32, &ActivityTimes)> = late.others_as_often().into_iter().copied().collect();
    if others.is_empty() {
        return divided(late, change);
    }
    let all = [late.culprits(), &others].concat();
    if comes_as_often(&all) {
        return vec![change(&all, PassChange::Level)];
    }
    let level = all.iter().map(|(_, times)| times.total).total() as f64 / all.len() as f64;
    let to_level = |one: &(u32, &ActivityTimes)| {
        change(std::slice::from_ref(one), PassChange::Times(level / one.1.total.max(1) as f64))
    };
    all.iter().map(to_level).collect()
}

/// True if all ranks make as many passes: then the first pass of each belongs together, and so on.
fn comes_as_often(ranks: &[(u32, &ActivityTimes)]) -> bool {
    let counts = || ranks.iter().map(|(_, times)| times.count);
    counts().min() == counts().max()
}

/// Nanoseconds of a pass.
fn mean(ranks: &[(u32, &ActivityTimes)]) -> Option<f64> {
    let count: u64 = ranks.iter().map(|(_, times)| times.count).total();
    let time: i64 = ranks.iter().map(|(_, times)| times.total).total();
    (count > 0).then(|| time as f64 / count as f64)
}
