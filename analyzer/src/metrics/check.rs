//! Whether the ranks' accounts agree: messages sent and received, bytes, clocks.

use rustc_hash::FxHashMap;

use super::totals::rank_value;
use crate::model::matching::{Account, At, Settled};
use crate::model::sums::Total;
use crate::model::{Rank, Run};
use crate::report::{Column, Fact, Table, Value};

/// Rows that people are shown of each table.
const ROWS: usize = 20;

fn seconds(nanoseconds: i64) -> Value {
    Value::Seconds(nanoseconds as f64 / 1e9)
}

/// Messages, bytes and clocks in sum.
pub fn facts(settled: &Settled) -> Vec<Fact> {
    let pairs = &settled.account.pairs;
    let sum = |of: fn(&crate::model::matching::Pair) -> u64| pairs.values().map(of).total();
    let (sent, received) = (sum(|pair| pair.sent), sum(|pair| pair.received));
    let same = if sent == received { ", as many as were sent" } else { ", and others were sent" };
    let after = settled.account.backwards();
    let moved = match (settled.backwards_before, after) {
        (0, _) => String::new(),
        (before, _) => format!("; {before} before clocks were moved within their errors"),
    };
    vec![
        Fact::new("matched_messages", "matched", Value::Count(sum(|pair| pair.messages))).note(" messages"),
        Fact::new("received_bytes", "bytes", Value::Bytes(received)).note(same),
        Fact::hidden("sent_bytes", Value::Bytes(sent)),
        Fact::new("matched_collectives", "collective", Value::Count(settled.account.collectives))
            .note(" calls that all processes came to"),
        Fact::new("backwards", "backwards", Value::Count(after))
            .note(format!(" messages received before they were sent{moved}")),
        Fact::hidden("uncertain_messages", Value::Count(settled.account.uncertain.values().sum())),
        Fact::hidden("backwards_before", Value::Count(settled.backwards_before)),
    ]
}

/// What each rank's clock rests on, and how far off it may be when its recording begins and ends.
pub fn clocks(run: &Run, settled: &Settled) -> Table {
    let columns = vec![
        Column::new("rank", "rank"),
        Column::new("begin_s", "begins"),
        Column::new("begin_error_s", "±"),
        Column::new("end_s", "ends"),
        Column::new("end_error_s", "±"),
        Column::new("clock", "by"),
    ];
    let row = |(rank, line): (&Rank, &crate::model::timeline::Line)| {
        let (begin, end) = (line.at(rank.header.begin.ticks), line.at(rank.last_ticks()));
        vec![
            rank_value(rank),
            seconds(begin),
            seconds(line.error(begin)),
            seconds(end),
            seconds(line.error(end)),
            Value::Text(line.source.in_words().into()),
        ]
    };
    let lines = run.ranks.iter().zip(&settled.timeline.lines);
    let rows = lines.filter(|(rank, _)| rank.is_asked).map(row).collect();
    Table::new("clocks", "clocks", columns, rows).most(ROWS)
}

/// One row for each sender and receiver.
pub fn pairs(run: &Run, account: &Account) -> Table {
    let columns = vec![
        Column::new("from_rank", "from"),
        Column::new("to_rank", "to"),
        Column::new("messages", "messages"),
        Column::new("sent_bytes", "sent"),
        Column::new("received_bytes", "received"),
        Column::new("least_s", "least time"),
        Column::new("backwards", "backwards"),
    ];
    let mut pairs: Vec<_> = account.pairs.iter().filter(|(_, pair)| pair.messages > 0).collect();
    pairs.sort_by_key(|(place, _)| **place);
    let row = |((from, to), pair): (&(u32, u32), &crate::model::matching::Pair)| {
        vec![
            rank_value(&run.ranks[*from as usize]),
            rank_value(&run.ranks[*to as usize]),
            Value::Count(pair.messages),
            Value::Bytes(pair.sent),
            Value::Bytes(pair.received),
            seconds(pair.least),
            Value::Count(pair.backwards),
        ]
    };
    let rows = pairs.into_iter().map(row).collect();
    Table::new("pairs", "from rank to rank", columns, rows).most(ROWS)
}

/// Calls that found no partner or no certain one, by place.
pub fn unmatched(run: &Run, account: &Account) -> Table {
    let columns = vec![
        Column::new("what", "unmatched"),
        Column::new("rank", "rank"),
        Column::new("function", "function"),
        Column::new("site", "call site"),
        Column::new("calls", "calls"),
    ];
    let mut rows = Vec::new();
    let mut add = |what: &str, places: &FxHashMap<At, u64>| {
        let mut places: Vec<(&At, &u64)> = places.iter().collect();
        places.sort();
        rows.extend(places.into_iter().map(|(at, count)| {
            let place = &account.places[at.place.number()];
            let (function, site) = (Value::Text(place.function.clone()), Value::Text(place.site.clone()));
            let rank = rank_value(&run.ranks[at.rank as usize]);
            vec![Value::Text(what.into()), rank, function, site, Value::Count(*count)]
        }));
    };
    add("sent, not received", &account.unreceived);
    add("received, not sent", &account.unsent);
    add("others did not come", &account.rest.waiting);
    add("sent, then cancelled", &account.cancelled);
    add("received, truncated", &account.truncated);
    add("of threads at once", &account.uncertain);
    add("left, never returned", &account.left);
    Table::new("unmatched", "calls without a partner, or without a certain one", columns, rows).most(ROWS)
}
