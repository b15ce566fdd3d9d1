//! Who waited for whom: wait states by kind, and by the places that waited and were waited for.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::totals::{percent, rank_value};
use crate::model::matching::{Account, At, Key, Sum, WaitState};
use crate::model::sums::Grow;
use crate::model::{Rank, Run};
use crate::report::{Column, Fact, Table, Value};

/// Rows of places that people are shown.
const PLACES: usize = 15;

/// Nanoseconds as a value.
fn seconds(nanoseconds: i64) -> Value {
    Value::Seconds(nanoseconds as f64 / 1e9)
}

/// Seconds of all ranks together.
fn all_time(run: &Run) -> f64 {
    run.asked().map(Rank::wall).sum()
}

/// The waits of a run in one line, and what they rest on.
pub fn facts(run: &Run, account: &Account) -> Vec<Fact> {
    let (mut time, mut error) = (0i64, 0i64);
    for sum in account.waits.sums.values() {
        time.grow(sum.time);
        error.grow(sum.error);
    }
    let share = percent(time as f64 / 1e9, all_time(run));
    let share = if let Value::Percent(share) = share { share } else { 0.0 };
    let ranks = if run.choice.ranks.is_some() { "these ranks" } else { "all ranks" };
    let matched: u64 = account.pairs.values().map(|pair| pair.messages).sum();
    let unmatched: u64 = account.unreceived.values().sum::<u64>() + account.elsewhere;
    let whole = percent(matched as f64, (matched + unmatched) as f64);
    let whole = if let Value::Percent(whole) = whole { format!(", {whole:.1} % of those sent") } else { String::new() };
    vec![
        Fact::new("wait_s", "waiting", seconds(time))
            .error(seconds(error))
            .note(format!(" over {ranks}, {share:.1} % of their time")),
        Fact::hidden("wait_error_s", seconds(error)),
        Fact::hidden("wait_percent", Value::Percent(share)),
        Fact::new("matched_messages", "matched", Value::Count(matched))
            .note(format!(" messages{whole}, {} collective calls", account.collectives)),
        Fact::hidden("unmatched_messages", Value::Count(unmatched)),
        Fact::hidden("uncertain_messages", Value::Count(account.uncertain.values().sum())),
        Fact::hidden("matched_collectives", Value::Count(account.collectives)),
    ]
}

/// Messages whose other end was not recorded.
fn unrecorded(run: &Run, account: &Account) -> Option<String> {
    let ranks = super::overview::numbers(&run.unrecorded);
    let plural = if account.unrecorded == 1 { "" } else { "s" };
    let messages = format!("{} message{plural} to or from {ranks}, not recorded", account.unrecorded);
    (account.unrecorded > 0).then(|| format!("{messages}: their waits are not known"))
}

/// One row for each wait state.
pub fn states(run: &Run, account: &Account) -> Table {
    let mut states: BTreeMap<WaitState, Sum> = BTreeMap::new();
    for (key, sum) in &account.waits.sums {
        states.entry(key.state).or_default().merge(sum);
    }
    let columns = vec![
        Column::new("pattern", "wait state"),
        Column::new("wait_s", "time"),
        Column::new("error_s", "±"),
        Column::new("wait_percent", "% of all"),
        Column::new("waits", "waits"),
        Column::new("longest_s", "longest"),
        Column::new("unresolved", "unresolved"),
        Column::hidden("unresolved_s"),
    ];
    let all = all_time(run);
    let mut rows = Vec::new();
    for state in WaitState::ALL.iter().copied() {
        let sum = states.get(&state).copied().unwrap_or_default();
        let unresolved = account.waits.unresolved.get(&state).copied().unwrap_or_default();
        if sum.count == 0 && unresolved.count == 0 {
            continue;
        }
        rows.push((
            sum.time,
            vec![
                Value::Text(state.name().into()),
                seconds(sum.time),
                seconds(sum.error),
                percent(sum.time as f64 / 1e9, all),
                Value::Count(sum.count),
                seconds(sum.longest),
                Value::Count(unresolved.count),
                seconds(unresolved.time),
            ],
        ));
    }
    rows.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    let rows = rows.into_iter().map(|(_, row)| row).collect();
    Table::new("patterns", "wait states", columns, rows)
}

/// One row for each pair of places, the longest first.
pub fn places(run: &Run, account: &Account) -> Table {
    let columns = vec![
        Column::new("pattern", "wait state"),
        Column::new("rank", "rank"),
        Column::new("function", "in").spare(2),
        Column::new("site", "at"),
        Column::new("cause_rank", "for"),
        Column::new("cause_function", "in").spare(3),
        Column::new("cause_site", "at"),
        Column::new("wait_s", "time"),
        Column::hidden("error_s"),
        Column::new("waits", "waits").spare(1),
        Column::hidden("longest_s"),
    ];
    let mut sums: Vec<(&Key, &Sum)> = account.waits.sums.iter().collect();
    sums.sort_by_key(|(key, sum)| (std::cmp::Reverse(sum.time), **key));
    let at = |at: At| {
        let place = &account.places[at.place.number()];
        [rank_value(&run.ranks[at.rank as usize]), Value::Text(place.function.clone()), Value::Text(place.site.clone())]
    };
    let row = |(key, sum): (&Key, &Sum)| {
        let mut row = vec![Value::Text(key.state.name().into())];
        row.extend(at(key.waiter));
        row.extend(if key.cause == key.waiter { [Value::None, Value::None, Value::None] } else { at(key.cause) });
        row.extend([seconds(sum.time), seconds(sum.error), Value::Count(sum.count), seconds(sum.longest)]);
        row
    };
    let rows = sums.into_iter().map(row).collect();
    Table::new("waits", "who waited for whom", columns, rows).most(PLACES)
}

/// So many of something, and where most of them are; nothing where there are none.
fn most(run: &Run, account: &Account, what: &str, places: &FxHashMap<At, u64>) -> Option<String> {
    let count: u64 = places.values().sum();
    let (at, _) = places.iter().min_by_key(|(at, count)| (std::cmp::Reverse(**count), **at))?;
    let place = &account.places[at.place.number()];
    let rank = super::where_to::rank_in_words(&run.ranks[at.rank as usize]);
    let plural = if count == 1 { "" } else { "s" };
    let what = what.replacen("(s)", plural, 1);
    Some(format!("{count} {what}: {rank} in {} at {}", place.function, place.site))
}

/// What a reader has to know of calls that have no certain partner, and are as they should be.
pub fn explained(run: &Run, account: &Account) -> Vec<String> {
    let kinds = [
        (
            "message(s) of threads that sent or received at once by one communicator and tag: nobody knows which receive \
             got which, so no wait or path rests on them, most",
            &account.uncertain,
        ),
        ("send(s) cancelled, most", &account.cancelled),
        ("receive(s) truncated, since the message was longer, most", &account.truncated),
        ("call(s) left by an exception or longjmp, most", &account.left),
    ];
    let said = kinds.into_iter().filter_map(|(what, places)| most(run, account, what, places));
    said.chain(unrecorded(run, account)).collect()
}

/// What a reader has to know of calls that found no partner.
pub fn unmatched(run: &Run, account: &Account) -> Vec<String> {
    let kinds = [
        ("message(s) sent and not received, most", &account.unreceived),
        ("receive(s) of which the message is not known, most", &account.unsent),
        ("collective call(s) that others did not come to, most", &account.rest.waiting),
    ];
    let mut said: Vec<String> =
        kinds.into_iter().filter_map(|(what, places)| most(run, account, what, places)).collect();
    if account.elsewhere > 0 {
        said.push(format!(
            "{} messages to or from processes that are not in this folder, or nobody knows which",
            account.elsewhere
        ));
    }
    if !account.rest.confused.is_empty() {
        let count = account.rest.confused.len();
        said.push(format!(
            "on {count} communicators the ranks' collective calls do not agree: nothing is said of those"
        ));
    }
    said
}
