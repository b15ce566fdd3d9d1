//! Contents of a timeline: its rows, its longest waits, its messages.

mod page_names;
mod page_parts;
mod sum_files;

use std::cmp::Reverse;

use crate::timeline::{MessageLine, Picture, PictureRow};
use metrics::totals::{seconds, world_rank};
use metrics::words::{plural, rank_in_words};
use metrics::{meaning, rank_programs};
use model::common_clock::CommonClock;
use model::levels::{self, Grid, Life, RankBins, RegionSpan};
use model::matching::{Account, Delivery, Settled, WaitSpan};
use model::{Rank, Run};
pub use page_parts::{PageParts, page_parts};
use tables::{Column, Fact, Row, Table, Value, WorldRank, facts};

facts! {
    SHOWN_FROM = "shown_from_s", Seconds, always, "When the picture begins, since the first rank entered MPI_Init.";
    SHOWN_TO = "shown_to_s", Seconds, always, "When it ends.";
    MESSAGES = "messages", Count, always, meaning::MESSAGES;
}

/// Longest waits that are listed.
const WAITS: usize = 10;

/// The requested time; by default, from the first start to the last end of the selected ranks.
pub fn interval(run: &Run, timeline: &CommonClock, from: Option<i64>, to: Option<i64>) -> (i64, i64) {
    let lives = levels::lives(run, timeline);
    let asked = || lives.iter().zip(&run.ranks).filter(|(_, rank)| rank.is_asked).map(|(life, _)| life);
    let begin = asked().map(|life| life.begin).min().unwrap_or(0);
    let end = asked().map(|life| life.end).max().unwrap_or(0);
    let from = from.unwrap_or(begin);
    (from, to.unwrap_or(end).max(from + 1))
}

/// Facts about the visible time.
pub fn facts(picture: &Picture<'_>) -> Vec<Fact> {
    let (from, to) = (seconds(picture.grid.from), seconds(picture.grid.end()));
    vec![
        Fact::hidden(SHOWN_FROM, Value::Seconds(from)),
        Fact::hidden(SHOWN_TO, Value::Seconds(to)),
        Fact::hidden(MESSAGES, Value::Count(picture.messages.len() as u64)),
    ]
}

/// Picture of the selected ranks.
pub fn picture<'a>(run: &Run, settled: &Settled, grid: Grid, messages: &'a [MessageLine]) -> Picture<'a> {
    let timeline = &settled.common_clock;
    let lives = levels::lives(run, timeline);
    let bins = levels::bins(run, timeline, &grid, &settled.account.spans);
    let row = |(at, bins): (usize, RankBins)| {
        let rank = &run.ranks[at];
        let threads = rank.threads.len();
        let tick = rank.clock.seconds(1 << 32) * 1e9 / (1u64 << 32) as f64;
        PictureRow { label: label(rank), life: lives[at].clone(), threads, tick, bins }
    };
    let rows = bins.into_iter().enumerate().filter(|(at, _)| run.ranks[*at].is_asked).map(row).collect();
    let (regions, regions_left_out, regions_of) = regions(run, timeline, &lives, &grid);
    Picture { title: title(run), grid, rows, regions, regions_left_out, regions_of, messages }
}

pub fn label(rank: &Rank) -> String {
    world_rank(rank).to_string()
}

/// The program, and its number of ranks.
pub fn title(run: &Run) -> String {
    format!("{}, {}", rank_programs::command(run.first()), plural(run.size().into(), "rank"))
}

/// Row of each rank, if it has one.
fn places(run: &Run) -> Vec<Option<u32>> {
    let mut next = 0..;
    run.ranks.iter().map(|rank| rank.is_asked.then(|| next.next()).flatten()).collect()
}

/// Regions of the first rank that has any, the number of omitted ones, and the rank's name.
fn regions(run: &Run, timeline: &CommonClock, lives: &[Life], grid: &Grid) -> (Vec<RegionSpan>, usize, String) {
    for (at, rank) in run.asked_places().filter(|(_, rank)| !rank.regions.is_empty()) {
        let shown = (grid.from, grid.end());
        let (regions, count) = levels::regions(rank, &timeline.lines[at], lives[at].end, shown);
        if count > 0 {
            let left_out = count - regions.len();
            return (regions, left_out, rank_in_words(rank));
        }
    }
    (Vec::new(), 0, String::new())
}

/// Takes the messages between rows that begin or end in a time out of the account, since there may be many; returns
/// them in order. Sorts the account's waits by call.
pub fn take_messages(run: &Run, account: &mut Account, (from, to): (i64, i64)) -> Vec<MessageLine> {
    for waits in &mut account.spans {
        waits.sort_unstable();
    }
    let places = places(run);
    let line = |delivery: Delivery| {
        let row = |rank: u32| places.get(rank as usize).copied().flatten();
        let (begin, end) = (delivery.begin, delivery.end);
        let is_there = delivery.counts() && begin < to && end >= from;
        let (from, to) = (row(delivery.from.rank)?, row(delivery.to.rank)?);
        is_there.then_some(MessageLine { begin, end, from, to, bytes: delivery.bytes })
    };
    let mut lines: Vec<MessageLine> = std::mem::take(&mut account.deliveries).into_iter().filter_map(line).collect();
    lines.sort_unstable();
    lines
}

pub struct WaitSpanRow {
    from: i64,
    state: &'static str,
    rank: WorldRank,
    function: String,
    site: String,
    cause: Option<(WorldRank, String)>,
    wait: i64,
}

impl Row for WaitSpanRow {
    const TABLE: &'static str = "longest_waits";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::seconds("from_s", "from", |row: &Self| seconds(row.from))
                .means("When the wait begins, since the first rank entered MPI_Init."),
            Column::seconds("wait_s", "wait", |row: &Self| seconds(row.wait)).means("How long it lasts."),
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::text("function", "in", |row: &Self| row.function.clone()).means(meaning::FUNCTION).spare(2),
            Column::text("site", "at", |row: &Self| row.site.clone()).means(meaning::SITE).spare(1),
            Column::text("wait_state", "wait state", |row: &Self| row.state.to_string())
                .means("Why the call waits: overhear explain NAME says what each means."),
            Column::rank("cause_rank", "for", |row: &Self| row.cause.as_ref().map(|cause| cause.0))
                .means("The rank that it waits for; empty where no single one is late."),
            Column::text("cause_site", "at", |row: &Self| row.cause.as_ref().map(|cause| cause.1.clone()))
                .means("Where that rank called late.")
                .spare(3),
        ]
    }
}

/// Waits that overlap a time, the longest first.
fn longest(account: &Account, (from, to): (i64, i64), most: usize) -> Vec<&WaitSpan> {
    let mut waits: Vec<&WaitSpan> =
        account.spans.iter().flatten().filter(|wait| wait.from < to && wait.until > from).collect();
    let order = |wait: &&WaitSpan| (Reverse(wait.until - wait.from), **wait);
    if waits.len() > most {
        waits.select_nth_unstable_by_key(most, order);
        waits.truncate(most);
    }
    waits.sort_unstable_by_key(order);
    waits
}

/// Table of the longest waits.
pub fn waits(run: &Run, account: &Account, interval: (i64, i64)) -> Table<WaitSpanRow> {
    let row = |wait: &WaitSpan| {
        let (waiter, cause) = (wait.key.waiter, wait.key.cause);
        let place = &run.call_sites()[waiter.place.number()];
        let of = |rank: u32| world_rank(&run.ranks[rank as usize]);
        WaitSpanRow {
            from: wait.from,
            state: wait.key.state.name(),
            rank: of(waiter.rank),
            function: place.function.clone(),
            site: place.site.clone(),
            cause: (cause != waiter).then(|| (of(cause.rank), run.call_sites()[cause.place.number()].site.clone())),
            wait: wait.until - wait.from,
        }
    };
    let rows = longest(account, interval, 1000).into_iter().map(row).collect();
    Table::new("longest waits", rows).most(WAITS).asked()
}
