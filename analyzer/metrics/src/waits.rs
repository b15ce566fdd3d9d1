//! Wait states by kind, and by the call sites that waited and were waited for.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::totals::{percent, seconds, world_rank};
use super::words::{plural, verb};
use crate::{meaning, overlong};
use model::matching::{Account, RankSite, WaitKey, WaitState, WaitSum};
use model::rank::is_nested;
use model::sums::Grow;
use model::{Rank, Run};
use tables::number::whole;
use tables::part::Addend::{Longest, Ran, Waited, Waits};
use tables::part::{PartName, PartRows, PartTable, added};
use tables::{Column, Fact, Row, Table, Value, WorldRank, facts};
use traces::calls::Call;

/// Maximum number of rows of call sites shown to people.
const PLACES: usize = 15;

facts! {
    WAIT = "wait_s", Seconds, always, "Time that all ranks waited for others.";
    WAIT_ERROR = "wait_error_s", Seconds, always,
        "By how much the waits of all ranks together may be off, by the clocks.";
    WAIT_PERCENT = "wait_percent", Percent, always, "Share of the time of all ranks.";
    MATCHED = "matched_messages", Count, always, meaning::MATCHED_MESSAGES;
    UNMATCHED = "unmatched_messages", Count, always, "Messages of which one side was not found.";
    UNCERTAIN = "uncertain_messages", Count, always, meaning::UNCERTAIN_MESSAGES;
    COLLECTIVES = "matched_collectives", Count, always, meaning::MATCHED_COLLECTIVES;
}

/// The wall time of all ranks together, in seconds.
fn all_time(run: &Run) -> f64 {
    run.asked().map(Rank::wall).sum()
}

/// Counts of matched messages and calls, and the time that ranks waited.
#[derive(Clone, Copy, Default)]
pub struct WaitTotals {
    /// Nanoseconds that ranks waited, and the error of that time.
    pub time: i64,
    pub error: i64,
    /// Seconds of all ranks together.
    pub all: f64,
    /// The user chose some of the run's ranks.
    pub are_chosen: bool,
    pub matched: u64,
    pub unmatched: u64,
    pub uncertain: u64,
    pub collectives: u64,
}

impl WaitTotals {
    pub fn add(&mut self, sum: &WaitSum) {
        self.time.grow(sum.time);
        self.error.grow(sum.error);
    }
}

/// The time that ranks waited, and the messages and collective calls behind it.
pub fn facts(run: &Run, account: &Account) -> Vec<Fact> {
    let mut totals = WaitTotals {
        all: all_time(run),
        are_chosen: run.choice.ranks.is_some(),
        matched: account.pairs.values().map(|pair| pair.messages).sum(),
        unmatched: account.unreceived.values().sum::<u64>() + account.elsewhere,
        uncertain: account.uncertain.values().sum(),
        collectives: account.collectives,
        ..WaitTotals::default()
    };
    for sum in account.waits.sums.values() {
        totals.add(sum);
    }
    facts_of(&totals)
}

/// Like [`facts`], from totals.
pub fn facts_of(totals: &WaitTotals) -> Vec<Fact> {
    let WaitTotals { time, error, all, are_chosen, matched, unmatched, uncertain, collectives } = *totals;
    let share = percent(seconds(time), all).unwrap_or(0.0);
    let ranks = if are_chosen { "these ranks" } else { "all ranks" };
    let messages = verb(matched, "message", "messages");
    let whole = percent(matched as f64, (matched + unmatched) as f64);
    let whole = whole.map_or(String::new(), |whole| format!(", {whole:.1} % of those sent"));
    vec![
        Fact::new(WAIT, "waiting", Value::Seconds(seconds(time)))
            .error(Value::Seconds(seconds(error)))
            .note(format!(" over {ranks}, {share:.1} % of their time")),
        Fact::hidden(WAIT_ERROR, Value::Seconds(seconds(error))),
        Fact::hidden(WAIT_PERCENT, Value::Percent(share)),
        Fact::new(MATCHED, "matched", Value::Count(matched))
            .note(format!(" {messages}{whole}, {}", plural(collectives, "collective call"))),
        Fact::hidden(UNMATCHED, Value::Count(unmatched)),
        Fact::hidden(UNCERTAIN, Value::Count(uncertain)),
        Fact::hidden(COLLECTIVES, Value::Count(collectives)),
    ]
}

/// Says how many messages have lost one side with the records that were dropped.
fn before(account: &Account) -> Option<String> {
    let messages = plural(account.before, "message");
    (account.before > 0)
        .then(|| format!("{messages} with one side in records that were dropped: their waits are unknown"))
}

fn unrecorded(run: &Run, account: &Account) -> Option<String> {
    let ranks = super::words::numbers(&run.unrecorded);
    let messages = format!("{} to or from {ranks}, not recorded", plural(account.unrecorded, "message"));
    (account.unrecorded > 0).then(|| format!("{messages}: their waits are unknown"))
}

pub struct WaitStateRow {
    state: WaitState,
    waited: WaitSum,
    share: Option<f64>,
    unresolved: WaitSum,
}

impl Row for WaitStateRow {
    const TABLE: &'static str = "wait_states";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("wait_state", "wait state", |row: &Self| row.state.name().to_string())
                .means("Why calls wait: overhear explain NAME says what each means.")
                .name()
                .in_part(PartName::WaitState),
            Column::seconds("wait_s", "time", |row: &Self| seconds(row.waited.time))
                .means("Time that all ranks waited so.")
                .in_part(Waited),
            Column::seconds("error_s", "±", |row: &Self| seconds(row.waited.error)).means(meaning::ERROR_S),
            Column::percent("wait_percent", "% of all", |row: &Self| row.share)
                .means("Share of the time of all ranks.")
                .in_part(added(Waited).over(Ran)),
            Column::count("waits", "waits", |row: &Self| row.waited.count).means("How many waits.").in_part(Waits),
            Column::count("open_waits", "open", |row: &Self| row.waited.open).means(meaning::OPEN_WAITS).silent_empty(),
            Column::seconds("longest_s", "longest", |row: &Self| seconds(row.waited.longest))
                .means(meaning::LONGEST_S)
                .in_part(added(Longest).most()),
            Column::count("unresolved", "unresolved", |row: &Self| row.unresolved.count)
                .means("Waits that are no longer than the clocks' error: neither waits nor none."),
            Column::seconds("unresolved_s", "", |row: &Self| seconds(row.unresolved.time)).means("The time of those."),
        ]
    }
}

/// One row for each wait state that occurred, the one with the most time first.
pub fn states(run: &Run, account: &Account) -> Table<WaitStateRow> {
    let mut states: BTreeMap<WaitState, WaitSum> = BTreeMap::new();
    for (key, sum) in &account.waits.sums {
        states.entry(key.state).or_default().merge(sum);
    }
    states_of(&states, &account.waits.unresolved.iter().map(|(state, sum)| (*state, *sum)).collect(), all_time(run))
}

/// Like [`states`], from the sums of waits and of those within the clocks' error. `all` is the seconds of all ranks
/// together.
pub fn states_of(
    states: &BTreeMap<WaitState, WaitSum>,
    unresolved: &BTreeMap<WaitState, WaitSum>,
    all: f64,
) -> Table<WaitStateRow> {
    let row = |state: &WaitState| {
        let waited = states.get(state).copied().unwrap_or_default();
        let unresolved = unresolved.get(state).copied().unwrap_or_default();
        WaitStateRow { state: *state, waited, share: percent(seconds(waited.time), all), unresolved }
    };
    let mut rows: Vec<WaitStateRow> = WaitState::ALL.iter().map(row).collect();
    rows.retain(|row| row.waited.count > 0 || row.unresolved.count > 0);
    rows.sort_by_key(|row| std::cmp::Reverse(row.waited.time));
    Table::new("wait states", rows).in_part(PartTable::new(PartRows::Waits, &["wait_s"]))
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteOfRank {
    pub rank: WorldRank,
    pub function: String,
    pub site: String,
}

/// The waits at one call site for another.
pub struct WaitPlaceRow {
    state: WaitState,
    waiter: SiteOfRank,
    /// `None` if no single rank is late.
    cause: Option<SiteOfRank>,
    waited: WaitSum,
}

impl Row for WaitPlaceRow {
    const TABLE: &'static str = "waits";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("wait_state", "wait state", |row: &Self| row.state.name().to_string())
                .means("Why the calls wait: overhear explain NAME says what each means.")
                .in_part(PartName::WaitState),
            Column::rank("rank", "rank", |row: &Self| row.waiter.rank)
                .means("The rank that waits.")
                .in_part(PartName::Rank),
            Column::text("function", "in", |row: &Self| row.waiter.function.clone())
                .means("The function it waits in.")
                .spare(2)
                .in_part(PartName::Function),
            Column::text("site", "at", |row: &Self| row.waiter.site.clone())
                .means("The call site at which it waits.")
                .in_part(PartName::SiteInShort),
            Column::rank("cause_rank", "for", |row: &Self| row.cause.as_ref().map(|cause| cause.rank))
                .means("The rank that it waits for; empty where no single one is late.")
                .in_part(PartName::CauseRank),
            Column::text("cause_function", "in", |row: &Self| row.cause.as_ref().map(|cause| cause.function.clone()))
                .means("The function that the late rank called late.")
                .spare(3)
                .in_part(PartName::CauseFunction),
            Column::text("cause_site", "at", |row: &Self| row.cause.as_ref().map(|cause| cause.site.clone()))
                .means("The call site of that function.")
                .in_part(PartName::CauseSite),
            Column::seconds("wait_s", "time", |row: &Self| seconds(row.waited.time))
                .means("Time of these waits.")
                .in_part(Waited),
            Column::seconds("error_s", "", |row: &Self| seconds(row.waited.error)).means(meaning::ERROR_S),
            Column::count("waits", "waits", |row: &Self| row.waited.count)
                .means("How many waits.")
                .spare(1)
                .in_part(Waits),
            Column::count("open_waits", "open", |row: &Self| row.waited.open).means(meaning::OPEN_WAITS).silent_empty(),
            Column::seconds("longest_s", "", |row: &Self| seconds(row.waited.longest)).means(meaning::LONGEST_S),
        ]
    }
}

/// The waits of one state at one call site for another.
pub struct NamedWait {
    pub state: WaitState,
    pub waiter: SiteOfRank,
    pub cause: SiteOfRank,
    pub waited: WaitSum,
}

/// The table of [`places`] from waits with their names.
pub fn places_of(mut waits: Vec<NamedWait>) -> Table<WaitPlaceRow> {
    waits.sort_by(|a, b| {
        let key = |wait: &NamedWait| (wait.state, wait.waiter.clone(), wait.cause.clone());
        b.waited.time.cmp(&a.waited.time).then_with(|| key(a).cmp(&key(b)))
    });
    let row = |NamedWait { state, waiter, cause, waited }: NamedWait| {
        let cause = Some(cause).filter(|cause| *cause != waiter);
        WaitPlaceRow { state, waiter, cause, waited }
    };
    table_of_places(waits.into_iter().map(row).collect())
}

fn table_of_places(rows: Vec<WaitPlaceRow>) -> Table<WaitPlaceRow> {
    Table::new("who waited for whom", rows).most(PLACES).in_part(PartTable::new(PartRows::Waits, &["wait_s"]))
}

/// One row for each wait state and pair of call sites, the one with the most time first.
pub fn places(run: &Run, account: &Account) -> Table<WaitPlaceRow> {
    let mut sums: Vec<(&WaitKey, &WaitSum)> = account.waits.sums.iter().collect();
    sums.sort_by_key(|(key, sum)| (std::cmp::Reverse(sum.time), **key));
    let site = |at: RankSite| {
        let place = &run.call_sites()[at.place.number()];
        let rank = world_rank(&run.ranks[at.rank as usize]);
        SiteOfRank { rank, function: place.function.clone(), site: place.site.clone() }
    };
    let row = |(key, sum): (&WaitKey, &WaitSum)| WaitPlaceRow {
        state: key.state,
        waiter: site(key.waiter),
        cause: (key.cause != key.waiter).then(|| site(key.cause)),
        waited: *sum,
    };
    table_of_places(sums.into_iter().map(row).collect())
}

/// The sum over `places`, and the call site with the most of it. `None` if there are none. An `(s)` in `what` becomes
/// the plural.
fn most(run: &Run, what: &str, places: &FxHashMap<RankSite, u64>) -> Option<String> {
    let count: u64 = places.values().sum();
    let (at, _) = places.iter().min_by_key(|(at, count)| (std::cmp::Reverse(**count), **at))?;
    let place = &run.call_sites()[at.place.number()];
    let rank = super::words::rank_in_words(&run.ranks[at.rank as usize]);
    let plural = verb(count, "", "s");
    let what = what.replacen("(s)", plural, 1);
    Some(format!("{} {what}: {rank} in {} at {}", whole(count), place.function, place.site))
}

/// Warnings about calls that have no partner, or no certain one.
pub fn warnings(run: &Run, account: &Account) -> Vec<String> {
    let mut warnings = unmatched(run, account);
    warnings.extend(explained(run, account));
    warnings
}

/// Notes on calls that have no certain partner for a known reason.
fn explained(run: &Run, account: &Account) -> Vec<String> {
    let kinds = [
        (
            "message(s) that several threads sent or received at the same time with one communicator and tag: which receive \
             got which is unknown, so no wait or path rests on them, most",
            &account.uncertain,
        ),
        ("send(s) cancelled, most", &account.cancelled),
        ("call(s) that never returned (an exception, a longjmp, the end of a thread), most", &account.left),
    ];
    let said = kinds.into_iter().filter_map(|(what, places)| most(run, what, places));
    said.chain(overlong::sentences(run, account))
        .chain(unrecorded(run, account))
        .chain(before(account))
        .chain(behind(run, account))
        .collect()
}

/// Notes calls whose partner may lie where single calls are no longer recorded.
fn behind(run: &Run, account: &Account) -> Option<String> {
    let calls = [&account.unreceived, &account.unsent, &account.rest.waiting];
    let calls: u64 = calls.into_iter().flat_map(|places| places.values()).sum();
    (calls > 0 && run.ranks.iter().any(Rank::has_stopped)).then(|| {
        let what = verb(calls, "send, receive or collective call has", "sends, receives or collective calls have");
        let calls = whole(calls);
        format!("{calls} {what} no partner among the single calls, which ranks stopped recording at different times")
    })
}

/// Polls that take a smaller share of the ranks' time need no note.
const LEAST_POLLS: f64 = 5.0;

/// The note that ranks poll, if they do so for long: their waits are no calls that wait.
pub fn polled(run: &Run) -> Option<String> {
    let mut times: BTreeMap<u16, f64> = BTreeMap::new();
    for rank in run.asked() {
        for entry in rank.entries().filter(|entry| !is_nested(entry)) {
            if let Some(call) = Call::from_number(entry.signature.call).filter(|call| call.polls()) {
                *times.entry(call.number()).or_default() += rank.clock.seconds(entry.total);
            }
        }
    }
    let (all, wall) = (times.values().sum::<f64>(), run.asked().map(Rank::wall_of_threads).sum::<f64>());
    let (call, _) = times.into_iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let call = Call::from_number(call);
    percent(all, wall).filter(|share| *share >= LEAST_POLLS).map(|_| {
        format!(
            "polls are no waits: {} over all ranks, most of it in {}; `diagnose` says for whom a rank polls",
            Value::Seconds(all),
            call.map(Call::mpi_name).unwrap_or_default()
        )
    })
}

/// Warns of calls that should have a partner and have none.
pub fn unmatched(run: &Run, account: &Account) -> Vec<String> {
    let kinds = [
        ("message(s) sent and not received, most", &account.unreceived),
        ("receive(s) whose message is unknown, most", &account.unsent),
        ("collective call(s) that others did not join, most", &account.rest.waiting),
    ];
    let mut said: Vec<String> = if run.ranks.iter().any(Rank::has_stopped) {
        Vec::new()
    } else {
        kinds.into_iter().filter_map(|(what, places)| most(run, what, places)).collect()
    };
    if account.elsewhere > 0 {
        let messages = plural(account.elsewhere, "message");
        // Their files are here, but no file names the call that spawned a world.
        let are_here = run.is_every_file_here() && run.ranks.iter().any(|rank| rank.header.world > 0);
        let whom = if are_here {
            "between spawned worlds: the files do not tell which call spawned which world"
        } else {
            "to or from processes that are unknown or not in this folder"
        };
        said.push(format!("{messages} {whom}"));
    }
    if !account.rest.confused.is_empty() {
        let count = account.rest.confused.len() as u64;
        let they = verb(count, "that is", "those are");
        said.push(format!(
            "the ranks' collective calls disagree on {}: {they} left out",
            plural(count, "communicator")
        ));
    }
    said
}
