//! What the progress engine did: the ledger, after Table II of Gabriel, UH-CS-10-02, and what follows from it.
//!
//! *Entries* are the outermost calls of the engine's functions inside MPI calls. *Productive* ones achieved something: a
//! component reported events, or bytes moved. *Ready* counts descriptors that `poll`, `select` or `epoll_wait` reported,
//! what the paper calls sockets kicked off.

use std::collections::BTreeMap;

use traces::definitions::Way;
use traces::progress::{Depth, Entries, INSIDE, LedgerLine, OUTSIDE};

use super::totals::{self, Group, percent, rank_value};
use super::where_to::rank_in_words;
use crate::model::engine::Engine;
use crate::model::rank::function;
use crate::model::sums::{Grow, Total};
use crate::model::{Rank, Run};
use crate::report::{Column, Fact, Table, Value};

/// One rank's ledger. Times in seconds.
#[derive(Clone, Copy, Default, Debug)]
pub struct Ledger {
    /// Entries inside MPI calls.
    pub entries: u64,
    /// Those that achieved something.
    pub productive: u64,
    /// Time inside them.
    pub time: f64,
    /// Time inside those that achieved nothing; of a part of a run nobody knows.
    pub empty_time: Option<f64>,
    /// Entries outside MPI calls.
    pub outside: u64,
    /// Descriptors ready to receive.
    pub ready_to_receive: u64,
    /// Descriptors ready to send.
    pub ready_to_send: u64,
    /// Time in system calls that receive from sockets.
    pub receive_time: f64,
    /// Time in system calls that send to sockets.
    pub send_time: f64,
    /// Bytes that came in by those.
    pub received: u64,
    /// Bytes that went out.
    pub sent: u64,
}

/// Rows of what was starved that people are shown.
const STARVED: usize = 8;

/// What a figure of the ledger is called, in structured output and in text, there how far as part of another, and what it is.
type Figure = (&'static str, (&'static str, usize), fn(&Ledger) -> Value);

const FIGURES: &[Figure] = &[
    ("entries", ("engine called", 0), |l| Value::Count(l.entries)),
    ("productive_entries", ("productive", 1), |l| Value::Count(l.productive)),
    ("empty_entries", ("empty", 1), |l| Value::Count(l.empty())),
    ("empty_percent", ("empty", 1), |l| percent(l.empty() as f64, l.entries as f64)),
    ("engine_s", ("time in it", 0), |l| Value::Seconds(l.time)),
    ("empty_s", ("in empty entries", 1), |l| l.empty_time.map_or(Value::None, Value::Seconds)),
    ("ready_to_receive", ("sockets ready to receive", 0), |l| Value::Count(l.ready_to_receive)),
    ("ready_to_send", ("sockets ready to send", 0), |l| Value::Count(l.ready_to_send)),
    ("receive_s", ("time receiving from them", 0), |l| Value::Seconds(l.receive_time)),
    ("send_s", ("time sending to them", 0), |l| Value::Seconds(l.send_time)),
    ("socket_received_bytes", ("received from them", 0), |l| Value::Bytes(l.received)),
    ("socket_sent_bytes", ("sent to them", 0), |l| Value::Bytes(l.sent)),
    ("outside_entries", ("engine called outside MPI", 0), |l| Value::Count(l.outside)),
];

impl Ledger {
    /// A rank's.
    pub fn of(rank: &Rank) -> Ledger {
        if rank.selection.is_some() {
            return Ledger::of_calls(rank);
        }
        let seconds = |ticks| rank.clock.seconds(ticks);
        let inside = &rank.ledger[INSIDE];
        let mut ledger = Ledger {
            entries: inside.calls.entries,
            productive: inside.calls.productive,
            time: seconds(inside.calls.ticks),
            empty_time: Some(seconds(inside.calls.ticks.saturating_sub(inside.events))),
            outside: rank.ledger[OUTSIDE].calls.entries,
            ..Ledger::default()
        };
        for (way, line) in lines(rank).map(|(_, way, line)| (way, line)) {
            match way {
                Way::Ready => {
                    ledger.ready_to_receive.grow(line.ready_to_receive);
                    ledger.ready_to_send.grow(line.ready_to_send);
                }
                Way::Receive => {
                    ledger.receive_time += seconds(line.calls.ticks);
                    ledger.received.grow(line.events);
                }
                Way::Send => {
                    ledger.send_time += seconds(line.calls.ticks);
                    ledger.sent.grow(line.events);
                }
                _ => {}
            }
        }
        ledger
    }

    /// What the records of a rank's calls say; the ledger itself is of the whole run.
    fn of_calls(rank: &Rank) -> Ledger {
        let mut sum = Entries::default();
        rank.entries().for_each(|entry| sum += entry.engine);
        let time = rank.clock.seconds(sum.ticks);
        Ledger { entries: sum.entries, productive: sum.productive, time, ..Ledger::default() }
    }

    fn empty(&self) -> u64 {
        self.entries - self.productive.min(self.entries)
    }

    /// All ranks of a run together.
    pub fn of_run(run: &Run) -> Ledger {
        let none = Ledger { empty_time: Some(0.0), ..Ledger::default() };
        run.asked().map(Ledger::of).fold(none, |a, b| Ledger {
            entries: a.entries.saturating_add(b.entries),
            productive: a.productive.saturating_add(b.productive),
            time: a.time + b.time,
            empty_time: a.empty_time.zip(b.empty_time).map(|(a, b)| a + b),
            outside: a.outside.saturating_add(b.outside),
            ready_to_receive: a.ready_to_receive.saturating_add(b.ready_to_receive),
            ready_to_send: a.ready_to_send.saturating_add(b.ready_to_send),
            receive_time: a.receive_time + b.receive_time,
            send_time: a.send_time + b.send_time,
            received: a.received.saturating_add(b.received),
            sent: a.sent.saturating_add(b.sent),
        })
    }
}

/// The lines of a rank's ledger that have a component.
fn lines(rank: &Rank) -> impl Iterator<Item = (&str, Way, &LedgerLine)> {
    let line = |number: u32| rank.ledger.get(number as usize);
    rank.components.iter().filter_map(move |part| Some((part.name.as_str(), part.way, line(part.number)?)))
}

/// The ledger: in total, the mean over ranks, the most and who has it.
pub fn ledger(run: &Run) -> Table {
    let asked: Vec<&Rank> = run.asked().collect();
    let ranks: Vec<Ledger> = asked.iter().map(|rank| Ledger::of(rank)).collect();
    let total = Ledger::of_run(run);
    let columns = vec![
        Column::new("figure", "the ledger"),
        Column::new("total", "total"),
        Column::new("mean", "mean"),
        Column::new("max", "max"),
        Column::new("max_rank", "rank"),
    ];
    let row = |(key, heading, value): &Figure| {
        let values: Vec<f64> = ranks.iter().map(|ledger| number(&value(ledger))).collect();
        let (most, at) = values.iter().zip(0..).fold((f64::MIN, 0), |a, (v, at)| if *v > a.0 { (*v, at) } else { a });
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let like = |number| like(&value(&total), number);
        vec![
            Value::Label(key, heading.0, heading.1),
            value(&total),
            like(mean),
            like(most),
            if most > 0.0 { rank_value(asked[at]) } else { Value::None },
        ]
    };
    Table::new("ledger", "", columns, FIGURES.iter().filter(shown(&total)).map(row).collect()).whole()
}

/// Figures that mean nothing where they are 0 are left out then.
fn shown<'a>(total: &'a Ledger) -> impl Fn(&&Figure) -> bool + 'a {
    |(key, _, value)| {
        if of_engine(key) {
            return total.entries > 0 && value(total) != Value::None;
        }
        let optional =
            key.contains("ready") || key.contains("receive") || key.contains("sen") || key.contains("outside");
        !optional || number(&value(total)) > 0.0
    }
}

/// Whether a figure is of the engine itself: where that cannot be seen it is unknown, and not 0.
fn of_engine(key: &str) -> bool {
    FIGURES.iter().take(6).any(|(own, _, _)| *own == key)
}

fn number(value: &Value) -> f64 {
    value.number().unwrap_or(0.0)
}

fn like(value: &Value, number: f64) -> Value {
    match value {
        Value::Count(_) => Value::Count(number.round() as u64),
        Value::Bytes(_) => Value::Bytes(number.round() as u64),
        Value::Seconds(_) => Value::Seconds(number),
        Value::Percent(_) => Value::Percent(number),
        _ => Value::None,
    }
}

/// The ledger with one row for each rank.
pub fn by_rank(run: &Run) -> Table {
    let headings = ["called", "productive", "", "empty %", "time", "empty", "in ready", "out ready", "receive", "send"];
    let heading = |at: usize| headings.get(at).copied().unwrap_or("");
    let mut columns = vec![Column::new("rank", "rank"), Column::hidden("world")];
    columns.extend(
        FIGURES
            .iter()
            .enumerate()
            .map(|(at, (key, _, _))| Column::new(*key, heading(at)).spare(key.starts_with("ready").into())),
    );
    let unseen = Ledger::of_run(run).entries == 0;
    let row = |rank: &Rank| {
        let ledger = Ledger::of(rank);
        let mut row = vec![rank_value(rank), Value::Number(rank.header.world.into())];
        row.extend(FIGURES.iter().map(|(key, _, value)| match of_engine(key) && unseen {
            true => Value::None,
            false => value(&ledger),
        }));
        row
    };
    let title = "the engine by rank: calls, time; sockets ready; time receiving, sending";
    Table::new("ledger", title, columns, run.asked().map(row).collect())
}

/// By component: what the engine consists of and calls.
pub fn components(run: &Run) -> Table {
    let mut components: BTreeMap<(Way, &str), (LedgerLine, f64)> = BTreeMap::new();
    for rank in run.asked() {
        for (name, way, line) in lines(rank) {
            let sum = components.entry((way, name)).or_default();
            sum.0 += *line;
            sum.1 += rank.clock.seconds(line.calls.ticks);
        }
    }
    let columns = vec![
        Column::new("component", "component"),
        Column::new("calls", "calls"),
        Column::new("productive_calls", "productive"),
        Column::new("empty_percent", "empty %"),
        Column::new("time_s", "time"),
        Column::new("call_s", "a call").each(),
        Column::new("events", "events").spare(1),
        Column::hidden("ready_to_receive"),
        Column::hidden("ready_to_send"),
    ];
    let row = |((way, name), (line, time)): ((Way, &str), (LedgerLine, f64))| {
        let calls = line.calls.entries;
        let events = match way {
            Way::Receive | Way::Send => Value::Bytes(line.events),
            Way::Opal => Value::None,
            _ => Value::Count(line.events),
        };
        let each = time / calls.max(1) as f64;
        vec![
            Value::Text(name.into()),
            Value::Count(calls),
            Value::Count(line.calls.productive),
            percent((calls - line.calls.productive.min(calls)) as f64, calls as f64),
            Value::Seconds(time),
            if calls == 0 { Value::None } else { Value::Seconds(each) },
            events,
            Value::Count(line.ready_to_receive),
            Value::Count(line.ready_to_send),
        ]
    };
    let whole = if run.asked().any(|rank| rank.selection.is_some()) { ", of the whole run" } else { "" };
    let title = format!("by component: what the engine is made of, and the system calls it makes{whole}");
    Table::new("components", title, columns, components.into_iter().map(row).collect())
}

/// By MPI function.
pub fn functions(run: &Run) -> Table {
    let groups = totals::by(run, |_, _, entry| Some(function(&entry.signature)));
    let names = vec![Column::new("function", "function")];
    let rows = groups.into_iter().map(|(name, group)| (vec![Value::Text(name)], group)).collect();
    table("engine_functions", "by MPI function", names, rows)
}

/// By call site.
pub fn sites(run: &Run) -> Table {
    let key = |rank: &Rank, signature| (run.sites.name(rank, signature), ());
    let groups =
        totals::by(run, |rank, _, entry| Some((key(rank, entry.signature.site).0, function(&entry.signature))));
    let names = vec![Column::new("site", "call site"), Column::hidden("function")];
    let rows = groups.into_iter().map(|((site, name), group)| (vec![Value::Text(site), Value::Text(name)], group));
    table("engine_sites", "by call site", names, rows.collect())
}

fn table(name: &'static str, title: &str, mut columns: Vec<Column>, mut rows: Vec<(Vec<Value>, Group)>) -> Table {
    rows.retain(|(_, group)| group.sum().entries > 0);
    rows.sort_by_key(|(_, group)| std::cmp::Reverse(group.sum().entries));
    columns.extend([
        Column::new("calls", "calls"),
        Column::new("entries", "entries"),
        Column::new("entries_per_call", "a call").spare(1),
        Column::new("productive_entries", "productive"),
        Column::new("engine_s", "engine"),
        Column::new("time_s", "of"),
        Column::hidden("entry_s"),
    ]);
    let row = |(mut row, group): (Vec<Value>, Group)| {
        let sum = group.sum();
        row.extend([
            Value::Count(sum.calls),
            Value::Count(sum.entries),
            Value::Ratio(sum.entries as f64 / sum.calls.max(1) as f64),
            Value::Count(sum.productive),
            Value::Seconds(sum.engine),
            Value::Seconds(sum.time),
            Value::Seconds(sum.engine / sum.entries.max(1) as f64),
        ]);
        row
    };
    Table::new(name, title, columns, rows.into_iter().map(row).collect())
}

/// Too often: how much the engine was called for what came of it.
pub fn too_often(run: &Run) -> Vec<Fact> {
    let total = Ledger::of_run(run);
    if total.entries == 0 {
        return Vec::new();
    }
    let entries = || run.asked().flat_map(Rank::entries);
    let sent = entries().map(|entry| entry.sent).total();
    let received = entries().map(|entry| entry.received).total();
    let mebibytes = sent.max(received) as f64 / f64::from(1 << 20);
    let each = |part: f64| if part > 0.0 { Value::Ratio(total.entries as f64 / part) } else { Value::None };
    let in_mpi: f64 = run.ranks.iter().map(Rank::time_in_mpi).sum();
    let mut facts = vec![
        Fact::new("entries_per_productive_entry", "entries", each(total.productive as f64))
            .note(" for each that achieved something"),
        Fact::new("entries_per_mebibyte", "", each(mebibytes)),
    ];
    if mebibytes > 0.0 {
        let note = format!(", {} for each MiB moved", crate::report::text::one(&each(mebibytes)));
        facts[0].note.push(Value::Text(note));
    }
    let timed = run.ranks.iter().all(|rank| rank.progress >= Depth::Time);
    if let Some(empty_time) = total.empty_time.filter(|_| timed) {
        // The call that a killed rank was in is in no time, and what the engine did in it is.
        let share = match empty_time / in_mpi {
            share if share <= 1.0 => format!(", {:.1} % of all time in MPI", 100.0 * share),
            _ => String::new(),
        };
        facts.push(
            Fact::new("empty_time_s", "in vain", Value::Seconds(empty_time)).note(format!(" in empty entries{share}")),
        );
    }
    facts
}

/// Too seldom: where requests were pending and nothing turned the engine, the longest first.
pub fn starved(run: &Run, engines: &[Vec<Engine>]) -> Table {
    let columns = vec![
        Column::new("rank", "rank"),
        Column::new("longest_s", "longest"),
        Column::new("percentile_99_s", "99 % below").spare(2),
        Column::new("times", "times"),
        Column::new("pending_requests", "pending").spare(1),
        Column::new("from_site", "between"),
        Column::new("to_site", "and"),
        Column::hidden("longest_began_s"),
    ];
    let mut rows = Vec::new();
    for (rank, threads) in run.ranks.iter().zip(engines) {
        for engine in threads.iter().filter(|engine| !engine.shared) {
            for ((from, to), starved) in &engine.starved {
                let longest = rank.clock.seconds(starved.longest);
                rows.push((
                    longest,
                    vec![
                        rank_value(rank),
                        Value::Seconds(longest),
                        Value::Seconds(rank.clock.seconds(starved.percentile_99())),
                        Value::Count(starved.count()),
                        Value::Count(starved.pending),
                        Value::Text(run.sites.place(rank, *from)),
                        Value::Text(run.sites.place(rank, *to)),
                        Value::Seconds(rank.clock.seconds(starved.at.saturating_sub(rank.header.begin.ticks))),
                    ],
                ));
            }
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let title = "requests pending and nothing that turned the engine, by the calls around";
    Table::new("starved", title, columns, rows.into_iter().map(|(_, row)| row).collect()).most(STARVED)
}

/// The same ledger of two runs, as the paper has it.
pub fn compare(a: &Run, b: &Run) -> Table {
    let (left, right) = (Ledger::of_run(a), Ledger::of_run(b));
    let columns = vec![
        Column::new("figure", "the ledger, all ranks"),
        Column::new("a", "A"),
        Column::new("b", "B"),
        Column::new("b_by_a", "B / A"),
    ];
    let row = |(key, heading, value): &Figure| {
        let seen = |ledger: &Ledger| if of_engine(key) && ledger.entries == 0 { Value::None } else { value(ledger) };
        let (left, right) = (seen(&left), seen(&right));
        let ratio = match number(&left) {
            least if least > 0.0 && right != Value::None => Value::Ratio(number(&right) / least),
            _ => Value::None,
        };
        vec![Value::Label(key, heading.0, heading.1), left, right, ratio]
    };
    let either = |figure: &&Figure| shown(&left)(figure) || shown(&right)(figure);
    Table::new("ledger", "", columns, FIGURES.iter().filter(either).map(row).collect()).whole()
}

/// By what the engine is seen, in words.
pub fn ways(run: &Run) -> String {
    let mut parts: Vec<(Way, &str)> = run.ranks.iter().flat_map(lines).map(|(name, way, _)| (way, name)).collect();
    parts.sort();
    parts.dedup();
    let (inside, calls): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|(way, _)| !matches!(way, Way::Ready | Way::Receive | Way::Send));
    let names = |parts: &[(Way, &str)]| parts.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    match (inside.is_empty(), calls.is_empty()) {
        (true, true) => "not observable here".into(),
        (true, false) => format!("not observable but by system calls: {}", names(&calls)),
        (false, true) => names(&inside),
        (false, false) => format!("{}; system calls: {}", names(&inside), names(&calls)),
    }
}

/// What of the engine was not seen, in words; nothing where all of it was.
pub fn unseen(run: &Run) -> Vec<String> {
    let library = run.first().library.name();
    let off: Vec<&Rank> = run.ranks.iter().filter(|rank| rank.progress == Depth::Off).collect();
    if !off.is_empty() {
        let who = rank_in_words(off[0]);
        let more = if off.len() > 1 { format!(" and {} more", off.len() - 1) } else { String::new() };
        return vec![format!("{who}{more}: recorded with OVERHEAR_PROGRESS=off, so the engine was not listened to")];
    }
    let total = Ledger::of_run(run);
    let seen: Vec<&str> = {
        let with_calls = |rank| lines(rank).filter(|(_, _, line)| line.calls.entries > 0).map(|(name, _, _)| name);
        let mut names: Vec<&str> = run.ranks.iter().flat_map(with_calls).collect();
        names.sort();
        names.dedup();
        names
    };
    let instead = if seen.is_empty() { "nothing".to_string() } else { seen.join(", ") };
    let mut said = Vec::new();
    let communicated = run.ranks.iter().flat_map(Rank::entries).any(|entry| entry.sent > 0);
    if total.entries == 0 {
        said.push(format!("the progress engine is not observable on {library} here; seen instead: {instead}"));
    } else if total.productive == 0 && communicated {
        said.push(format!(
            "no entry achieved anything, yet data moved: {library} moved it another way (as by shared memory inside \
             the library), which is not observable; seen instead: {instead}"
        ));
    }
    if run.ranks.iter().any(|rank| rank.progress == Depth::Count) {
        said.push("recorded with OVERHEAR_PROGRESS=count: entries are not timed".into());
    }
    said
}
