//! Everything that the analyses find in a run, one fact per line, in canonical order. Times are in nanoseconds.

use std::collections::BTreeMap;
use std::path::Path;

use metrics::pop;
use model::critical::PathSite;
use model::engine::{SlicedTime, of_rank};
use model::matching::{Account, Follow, RankSite, settled};
use model::shared_walk::critical_path;
use model::{Choice, Rank, Run};

/// The account of a whole run.
pub fn of(folder: &Path) -> String {
    let run = Run::select(folder, &Choice { whole: true, ..Choice::default() }).unwrap();
    let mut lines = Vec::new();
    let mut followed = settled(&run, Follow::JUMPS);
    matched(&run, &followed.account, &mut lines);
    waits(&run, &followed.account, &mut lines);
    clocks(&run, &followed.common_clock, &mut lines);
    let path = critical_path(&run, &mut followed);
    lines.push(format!("path {} ns in {} stretches", path.ranks.values().sum::<i64>(), path.stretches));
    let mut on: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for (place, time) in &path.places {
        let at = on.entry(path_site(&run, *place)).or_default();
        at.0 += time.on_path.values().sum::<i64>();
        at.1 += time.total;
    }
    lines.extend(on.into_iter().map(|(place, (on, all))| format!("path {place}: {on} of {all}")));
    efficiency(&run, &mut lines);
    engine(&run, &mut lines);
    lines.join("\n") + "\n"
}

/// Computation is named by the call after it alone.
fn path_site(run: &Run, place: PathSite) -> String {
    let function = |number: u32| &run.call_sites()[number as usize].function;
    match place {
        PathSite::In(call) => format!("in {}", function(call)),
        PathSite::Between(_, to) => format!("before {}", function(to)),
    }
}

/// A rank's name for people.
fn name(rank: &Rank) -> String {
    match (rank.number(), rank.header.world) {
        (Some(number), 0) => number.to_string(),
        (number, world) => format!("{} of world {world}", number.map_or("?".into(), |number| number.to_string())),
    }
}

/// Matched and unmatched calls.
fn matched(run: &Run, account: &Account, lines: &mut Vec<String>) {
    let name = |rank: u32| name(&run.ranks[rank as usize]);
    let pairs: BTreeMap<_, _> = account.pairs.iter().collect();
    lines.extend(pairs.into_iter().map(|((from, to), pair)| {
        format!(
            "{} -> {}: {} messages, {} bytes sent, {} received, {} backwards, at least {} ns",
            name(*from),
            name(*to),
            pair.messages,
            pair.sent,
            pair.received,
            pair.backwards,
            pair.least
        )
    }));
    lines.push(format!("collective calls {}", account.collectives));
    let calls = [
        ("sent, not received", &account.unreceived),
        ("received, not sent", &account.unsent),
        ("uncertain", &account.uncertain),
        ("cancelled", &account.cancelled),
        ("truncated", &account.truncated),
        ("left", &account.left),
        ("others did not come", &account.rest.waiting),
    ];
    for (what, calls) in calls {
        let calls: BTreeMap<_, _> = calls.iter().map(|(at, count)| (place(run, *at), count)).collect();
        lines.extend(calls.into_iter().map(|(at, count)| format!("{what}: {count} by {at}")));
    }
    lines.push(format!(
        "elsewhere {}, not recorded {}, confused {}",
        account.elsewhere,
        account.unrecorded,
        account.rest.confused.len()
    ));
}

/// A rank, and its function and line.
fn place(run: &Run, at: RankSite) -> String {
    let (rank, place) = (&run.ranks[at.rank as usize], &run.call_sites()[at.place.number()]);
    format!("{} {} {}", name(rank), place.function, place.site)
}

/// Who waited for whom.
fn waits(run: &Run, account: &Account, lines: &mut Vec<String>) {
    let mut waits: Vec<String> = account
        .waits
        .sums
        .iter()
        .map(|(key, sum)| {
            format!(
                "{}: {} for {}: {} ns, {} times, the longest {} ns, ± {} ns",
                key.state.name(),
                place(run, key.waiter),
                place(run, key.cause),
                sum.time,
                sum.count,
                sum.longest,
                sum.error
            )
        })
        .collect();
    waits.extend(
        account.waits.unresolved.iter().map(|(state, sum)| format!("{} unresolved: {}", state.name(), sum.count)),
    );
    waits.sort();
    lines.extend(waits);
}

fn clocks(run: &Run, timeline: &model::common_clock::CommonClock, lines: &mut Vec<String>) {
    for (rank, line) in run.ranks.iter().zip(&timeline.lines) {
        let [begin, end] = [rank.header.begin.ticks, rank.until].map(|ticks| line.nanoseconds_at(ticks));
        lines.push(format!(
            "clock of {}: {}, begin {begin} ± {}, end {end} ± {}",
            name(rank),
            line.source.in_words(),
            line.error(begin),
            line.error(end)
        ));
    }
}

/// Sums behind the POP factors, of the run and of its phases.
fn efficiency(run: &Run, lines: &mut Vec<String>) {
    let account = settled(run, Follow::DEPENDENCIES).account;
    let (whole, phases) = pop::efficiencies(run, &account);
    for (at, efficiency) in [whole].iter().chain(&phases).enumerate() {
        let nanoseconds = |seconds: &f64| (seconds * 1e9).round() as i64;
        lines.push(format!(
            "{}: {} ns, on an ideal network {} ns, useful {:?} ns",
            if at == 0 { "run".into() } else { format!("phase {}", at - 1) },
            nanoseconds(&efficiency.time),
            nanoseconds(&efficiency.ideal),
            efficiency.useful.iter().map(nanoseconds).collect::<Vec<_>>()
        ));
    }
}

/// Entries into the engine, and the time that requests were pending without one.
fn engine(run: &Run, lines: &mut Vec<String>) {
    let time = SlicedTime::of(run);
    for rank in &run.ranks {
        for (thread, engine) in of_rank(run, rank, &time).iter().enumerate() {
            let entries = engine.slices.iter().map(|slice| slice.entries).sum::<f64>();
            let productive = engine.slices.iter().map(|slice| slice.productive).sum::<f64>();
            let longest = engine.starved.values().map(|starved| (starved.longest, starved.pending)).max();
            lines.push(format!(
                "engine of {} thread {thread}: {entries:.3} entries, {productive:.3} productive; starved at {} places, \
                 the longest in ticks and requests {longest:?}",
                name(rank),
                engine.starved.len()
            ));
        }
    }
}
