//! The finding on the rank that others wait for most.

use std::collections::BTreeMap;

use super::{Evidence, Finding};
use crate::totals::{percent, seconds};
use crate::waits;
use crate::words::rank_in_words;
use model::ProcessFate;
use model::matching::{RankSite, WaitKey, WaitState, WaitSum};
use model::sums::{Grow, Total};
use tables::Value;

/// Smaller shares of the ranks' time are not reported.
const LEAST_PERCENT: f64 = 1.0;
/// If a larger share of the waiting is in calls that have not returned, the finding is about those.
const MOST_PERCENT: f64 = 50.0;

pub fn finding(known: &Evidence) -> Option<Finding> {
    let (run, account) = (known.run, known.account?);
    let facts = waits::facts(run, account);
    let share = facts.iter().find(|fact| fact.key == waits::WAIT_PERCENT)?.value.number()?;
    let waiting = facts.iter().find(|fact| fact.key == waits::WAIT)?;
    if share < LEAST_PERCENT {
        return None;
    }
    let all: i64 = account.waits.sums.values().map(|sum| sum.time).total();
    let mut causes: BTreeMap<u32, BTreeMap<(RankSite, WaitState), i64>> = BTreeMap::new();
    for (key, sum) in account.waits.sums.iter().filter(|(key, _)| key.cause != key.waiter) {
        causes.entry(key.cause.rank).or_default().entry((key.cause, key.state)).or_default().grow(sum.time);
    }
    let text = format!("Ranks wait {waiting}.");
    let open = account.waits.sums.iter().filter(|(_, sum)| sum.open > 0);
    if let Some((key, most)) = open.clone().max_by_key(|(key, sum)| (sum.time, **key)) {
        let share = percent(open.map(|(_, sum)| sum.time).total() as f64, all as f64)?;
        if share >= MOST_PERCENT {
            return Some(going_on(known, text, share, (key, most)));
        }
    }
    let time = |places: &BTreeMap<(RankSite, WaitState), i64>| -> i64 { places.values().copied().total() };
    let Some((rank, places)) = causes.iter().max_by_key(|(_, places)| time(places)) else {
        return Some(Finding::new("waits", text));
    };
    let ((cause, state), most) = places.iter().max_by_key(|(_, time)| **time)?;
    let place = account.places.get(cause.place.number())?;
    let who = rank_in_words(run.ranks.get(*rank as usize)?);
    let share = |time: i64| percent(time as f64, all as f64);
    let text = format!(
        "{text} {:.1} % of that is for {who}, which comes late most of all to {} at {}: {:.1} %, as {}.",
        share(time(places))?,
        place.function,
        place.site,
        share(*most)?,
        state.name()
    );
    Some(Finding::new("waits", text).next(advice(*state, &who)))
}

/// The finding if most of the waiting is in calls that have not returned.
fn going_on(known: &Evidence, text: String, share: f64, (key, most): (&WaitKey, &WaitSum)) -> Finding {
    let rank = known.run.ranks.get(key.waiter.rank as usize).map(rank_in_words).unwrap_or_default();
    let place = known.account.and_then(|account| account.places.get(key.waiter.place.number()));
    let place = place.map(|place| format!("{} at {}", place.function, place.site)).unwrap_or_default();
    let longest = Value::Seconds(seconds(most.longest));
    let goes_on = known.run.ranks.iter().any(|rank| rank.fate == ProcessFate::Runs);
    let had = if goes_on { "have" } else { "had" };
    Finding::new(
        "run",
        format!(
            "{text} {share:.1} % of that is in calls that {had} not returned, the longest {rank} in {place}: {longest}."
        ),
    )
    .next(if goes_on {
        "See which rank has to do what before they can go on."
    } else {
        "See for which rank they waited, and what it had not done."
    })
}

/// Advice against waits of a kind.
fn advice(state: WaitState, who: &str) -> String {
    match state {
        WaitState::LateSender => {
            format!("Let {who} send earlier: what it does before that line is what the others wait for.")
        }
        WaitState::WrongOrder => "Receive messages in the order they are sent, or from MPI_ANY_SOURCE.".into(),
        WaitState::LateReceiver => format!("Let {who} post the receive earlier, by MPI_Irecv before it computes."),
        WaitState::LateBroadcast => format!("Let {who} come earlier, or call MPI_Ibcast and work in the meantime."),
        WaitState::LockContention => format!("Let {who} hold its lock for a shorter time, or take a shared one."),
        _ => format!("Look at what {who} does before that call: the others come earlier."),
    }
}
