//! Nonblocking messages by size, direction and call site.
//!
//! Nonblocking collective operations, after Hoefler, Schneider, Lumsdaine: the times of starting, testing and waiting,
//! and the share that was hidden.

use std::collections::BTreeMap;

use super::benchmark_columns::{of_estimate, overhead_mean, seconds, transfer_mean};
use super::estimate::Estimate;
use super::gathered::{GatheredRequests, PostingSite, RequestSize};
use crate::meaning;
use crate::words::{plural, verb};
use model::overlap::{Lives, Transmission};
use tables::{Column, Fact, Label, Row, Table, Value, facts};

/// Nonblocking messages of one size and direction, posted at one place.
pub struct MessageOverlapRow {
    pub place: PostingSite,
    pub size: RequestSize,
    pub requests: u64,
    pub estimate: Estimate,
}

impl Row for MessageOverlapRow {
    const TABLE: &'static str = "messages";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::label("traffic", "way", |row: &Self| traffic(row.place.traffic)).means(meaning::TRAFFIC).name(),
            Column::text("function", "", |row: &Self| row.place.function.clone()).means(meaning::FUNCTION).name(),
            Column::text("site", "posted at", |row: &Self| row.place.site.clone()).means(meaning::SITE).name(),
            Column::bytes("size_bytes", "size", |row: &Self| row.size.bytes).means(meaning::SIZE_BYTES).name(),
            Column::bytes("size_below_bytes", "below", |row: &Self| row.size.below)
                .means(meaning::SIZE_BELOW_BYTES)
                .name()
                .silent_empty()
                .spare(6),
            Column::count("requests", "requests", |row: &Self| row.requests).means(meaning::REQUESTS).spare(5),
            Column::seconds("life_s", "", |row: &Self| seconds(row.estimate.whole))
                .means("From the post of a request to the end of the wait for it, median."),
            Column::seconds("post_s", "", |row: &Self| seconds(row.estimate.parts[0]))
                .means("Time in the call that posts, median."),
            Column::seconds("test_s", "", |row: &Self| seconds(row.estimate.parts[1]))
                .means("Time in calls that test, median."),
            Column::seconds("wait_s", "", |row: &Self| seconds(row.estimate.parts[2]))
                .means("Time in calls that wait, median."),
            Column::seconds("overhead_s", "overhead", |row: &Self| seconds(row.estimate.overhead)).means(
                "Host overhead: these three together, median of the requests whose transfer could proceed meanwhile.",
            ),
            overhead_mean("mean", |row: &Self| &row.estimate),
            Column::seconds("transfer_s", "transfer", |row: &Self| seconds(row.estimate.pure()))
                .means("How long a transfer takes that nothing overlaps, median.")
                .spare(1),
            transfer_mean(|row: &Self| &row.estimate),
            Column::text("transfer_from", "", |row: &Self| transfer_from(&row.estimate)).means(meaning::TRANSFER_FROM),
            Column::percent("availability_percent", "availability", |row: &Self| {
                row.estimate.availability.map(|found| found.percent)
            })
            .means(
                "Application availability: 1 - overhead / transfer (Doerfler and Brightwell 2006); empty where fewer \
                 than one request in 25 computed long enough to tell.",
            ),
            Column::percent("overlap_percent", "", |row: &Self| row.estimate.overlap).means(meaning::OVERLAP_PERCENT),
        ];
        columns.extend(of_estimate(|row: &Self| &row.estimate));
        columns
    }
}

/// One row for each direction, place and size.
pub fn messages(all: &GatheredRequests) -> Table<MessageOverlapRow> {
    let row = |(place, size, lives): (&PostingSite, RequestSize, &Lives)| MessageOverlapRow {
        place: place.clone(),
        size,
        requests: lives.requests,
        estimate: Estimate::of(all, place, size, lives),
    };
    Table::new("messages: % of the transfer that was or could be hidden", all.rows(false).map(row).collect())
}

/// The direction of a request's data, in words.
pub fn traffic(traffic: Transmission) -> Label {
    let (key, name) = match traffic {
        Transmission::Send => ("send", "send"),
        Transmission::Receive => ("receive", "recv"),
        Transmission::Exchange => ("exchange", "both"),
        Transmission::Collective => ("collective", "coll"),
    };
    Label { key, name, depth: 0 }
}

/// Names the source of the transfer time: this site or another one.
pub fn transfer_from(estimate: &Estimate) -> Option<String> {
    estimate.transfer.as_ref().map(|_| if estimate.is_own { "this site" } else { "another site" }.into())
}

/// Nonblocking collective operations of one size, posted at one place.
pub struct CollectiveOverlapRow {
    place: PostingSite,
    size: RequestSize,
    requests: u64,
    tests: f64,
    estimate: Estimate,
}

impl Row for CollectiveOverlapRow {
    const TABLE: &'static str = "collectives";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::text("function", "function", |row: &Self| row.place.function.clone())
                .means(meaning::FUNCTION)
                .name(),
            Column::text("site", "posted at", |row: &Self| row.place.site.clone()).means(meaning::SITE).name(),
            Column::count("communicator_size", "", |row: &Self| row.place.ranks)
                .means(meaning::COMMUNICATOR_SIZE)
                .name(),
            Column::bytes("size_bytes", "size", |row: &Self| row.size.bytes).means(meaning::SIZE_BYTES).name(),
            Column::bytes("size_below_bytes", "below", |row: &Self| row.size.below)
                .means(meaning::SIZE_BELOW_BYTES)
                .name()
                .silent_empty()
                .spare(6),
            Column::count("requests", "requests", |row: &Self| row.requests).means(meaning::REQUESTS).spare(6),
            Column::seconds("life_s", "", |row: &Self| seconds(row.estimate.whole))
                .means("From the post of an operation to the end of the wait for it, median."),
            Column::seconds("post_s", "post", |row: &Self| seconds(row.estimate.parts[0]))
                .means("Time in the call that starts it, median.")
                .spare(3),
            Column::seconds("test_s", "test", |row: &Self| seconds(row.estimate.parts[1]))
                .means("Time in calls that test, median.")
                .spare(4),
            Column::seconds("wait_s", "wait", |row: &Self| seconds(row.estimate.parts[2]))
                .means("Time in calls that wait, median.")
                .spare(3),
            Column::ratio("tests_a_request", "tests", |row: &Self| row.tests)
                .means("Tests of an operation, mean.")
                .spare(5),
            Column::seconds("overhead_s", "", |row: &Self| seconds(row.estimate.overhead))
                .means("These three times together, median."),
            overhead_mean("", |row: &Self| &row.estimate),
            Column::seconds("transfer_s", "alone", |row: &Self| seconds(row.estimate.pure()))
                .means("How long the operation takes that nothing overlaps, median.")
                .spare(1),
            transfer_mean(|row: &Self| &row.estimate).spare(2),
            Column::text("transfer_from", "", |row: &Self| transfer_from(&row.estimate)).means(meaning::TRANSFER_FROM),
            Column::percent("availability_percent", "", |row: &Self| {
                row.estimate.availability.map(|found| found.percent)
            })
            .means(
                "Application availability: 1 - overhead / time alone; empty where fewer than one in 25 computed long \
                 enough to tell.",
            ),
            Column::percent("overlap_percent", "hidden", |row: &Self| row.estimate.overlap)
                .means(meaning::OVERLAP_PERCENT),
        ];
        columns.extend(of_estimate(|row: &Self| &row.estimate));
        columns
    }
}

/// One row for each place, communicator size and message size.
pub fn collectives(all: &GatheredRequests) -> Table<CollectiveOverlapRow> {
    let row = |(place, size, lives): (&PostingSite, RequestSize, &Lives)| CollectiveOverlapRow {
        place: place.clone(),
        size,
        requests: lives.requests,
        tests: mean_tests(lives),
        estimate: Estimate::of(all, place, size, lives),
    };
    let title = "nonblocking collective calls: % of the time alone that was hidden";
    Table::new(title, all.rows(true).map(row).collect()).silent_empty()
}

fn mean_tests(lives: &Lives) -> f64 {
    let all = || lives.of_direct.values().chain(lives.of_postponed.values());
    all().map(|life| life.tests as f64).sum::<f64>() / all().count().max(1) as f64
}

/// The requests of one call site.
pub struct PostponedRow {
    pub(crate) place: PostingSite,
    pub(crate) lives: Lives,
}

impl Row for PostponedRow {
    const TABLE: &'static str = "postponed";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("traffic", "way", |row: &Self| traffic(row.place.traffic)).means(meaning::TRAFFIC),
            Column::text("function", "", |row: &Self| row.place.function.clone()).means(meaning::FUNCTION),
            Column::text("site", "posted at", |row: &Self| row.place.site.clone()).means(meaning::SITE),
            Column::count("requests", "requests", |row: &Self| row.lives.requests).means(meaning::REQUESTS),
            Column::count("complete_at_once", "at once", |row: &Self| row.lives.at_once)
                .means("Requests that were complete when the call that posted them returned."),
            Column::count("waited_right_after", "right after", |row: &Self| row.lives.direct)
                .means("Requests that were waited for right after they were posted: nothing could be hidden."),
            Column::count("postponed_with_progress", "progress", |row: &Self| row.lives.progressed)
                .means("Requests that were completed later, with an entry into the progress engine between."),
            Column::count("postponed_without_progress", "none", |row: &Self| row.lives.stalled).means(
                "Requests that were completed later, while nothing entered the progress engine: false overlap, unless \
                 hardware moves messages.",
            ),
            Column::count("complete_early", "early", |row: &Self| (row.lives.asked > 0).then_some(row.lives.early))
                .means("Requests that were complete before the call that completed them, as MPI said when asked.")
                .silent_empty(),
        ]
    }
}

/// One row for each call site.
pub fn postponed(all: &GatheredRequests) -> Table<PostponedRow> {
    let mut places: BTreeMap<&PostingSite, Lives> = BTreeMap::new();
    for ((place, _), lives) in &all.lives {
        places.entry(place).or_default().merge(lives);
    }
    let row = |(place, lives): (&PostingSite, Lives)| PostponedRow { place: place.clone(), lives };
    let title = "completed at once, waited for right after, or later, with progress between or with none";
    Table::new(title, places.into_iter().map(row).collect())
}

facts! {
    REQUESTS = "requests", Count, always, "How many requests.";
    AT_ONCE = "complete_at_once", Count, always, "Requests that were complete when the call that posted them returned.";
    RIGHT_AFTER = "waited_right_after", Count, always,
        "Requests that were waited for right after they were posted: nothing could be hidden.";
    WITH_PROGRESS = "postponed_with_progress", Count, always,
        "Requests that were completed later, with an entry into the progress engine between.";
    WITHOUT_PROGRESS = "postponed_without_progress", Count, always,
        "Requests that were completed later, while nothing entered the progress engine: false overlap, unless \
         hardware moves messages.";
}

/// The number of requests, by how they were completed.
pub fn facts(all: &GatheredRequests) -> Vec<Fact> {
    let count = |figure| Value::Count(all.total(figure));
    let later = all.total(|lives| lives.progressed).saturating_add(all.total(|lives| lives.stalled));
    let note = format!(
        " nonblocking: {} complete at once, {} waited for right after, {later} later",
        count(|lives| lives.at_once),
        count(|lives| lives.direct)
    );
    vec![
        Fact::new(REQUESTS, "requests", count(|lives| lives.requests)).note(note),
        Fact::hidden(AT_ONCE, count(|lives| lives.at_once)),
        Fact::hidden(RIGHT_AFTER, count(|lives| lives.direct)),
        Fact::hidden(WITH_PROGRESS, count(|lives| lives.progressed)),
        Fact::hidden(WITHOUT_PROGRESS, count(|lives| lives.stalled)),
    ]
}

/// Notes on requests that the tables leave out, and on missing transfer times.
pub fn unseen(all: &GatheredRequests) -> Vec<String> {
    let mut said = Vec::new();
    if all.is_bounded() {
        said.push(
            "sizes without a transfer time: no request of that size was waited for right after its post, so only the least \
             and the most that can have been hidden are known"
                .into(),
        );
    }
    if all.pending > 0 {
        said.push(format!("{} not completed: given up, or under way at the end", were(all.pending)));
    }
    if all.foreign > 0 {
        let them = verb(all.foreign, "it", "them");
        said.push(format!("{} completed by another thread than posted {them}: left out", were(all.foreign)));
    }
    if all.lives.is_empty() && all.posted > 0 {
        said.push(format!("{} posted, none in what is asked about", were(all.posted)));
    }
    said
}

/// A number of requests and the verb: `1 request was`, `2 requests were`.
fn were(requests: u64) -> String {
    format!("{} {}", plural(requests, "request"), verb(requests, "was", "were"))
}
