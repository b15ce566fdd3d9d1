//! Nonblocking collective operations, after Hoefler, Schneider, Lumsdaine: the times of starting, testing and waiting,
//! and the share that was hidden.

use super::benchmark_columns::{of_estimate, seconds};
use super::estimate::Estimate;
use super::gathered::{GatheredRequests, PostingSite, RequestSize};
use super::messages::transfer_from;
use crate::meaning;
use model::overlap::Lives;
use tables::{Column, Row, Table};

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
            Column::bytes("size_below_bytes", "", |row: &Self| row.size.below).means(meaning::SIZE_BELOW_BYTES).name(),
            Column::count("requests", "requests", |row: &Self| row.requests).means(meaning::REQUESTS).spare(2),
            Column::seconds("life_s", "", |row: &Self| seconds(row.estimate.whole))
                .means("From the post of an operation to the end of the wait for it, median."),
            Column::seconds("post_s", "post", |row: &Self| seconds(row.estimate.parts[0]))
                .means("Time in the call that starts it, median.")
                .spare(1),
            Column::seconds("test_s", "test", |row: &Self| seconds(row.estimate.parts[1]))
                .means("Time in calls that test, median.")
                .spare(3),
            Column::seconds("wait_s", "wait", |row: &Self| seconds(row.estimate.parts[2]))
                .means("Time in calls that wait, median.")
                .spare(1),
            Column::ratio("tests_a_request", "tests", |row: &Self| row.tests)
                .means("Tests of an operation, mean.")
                .spare(4),
            Column::seconds("overhead_s", "", |row: &Self| seconds(row.estimate.overhead))
                .means("These three times together, median."),
            Column::seconds("transfer_s", "transfer", |row: &Self| seconds(row.estimate.pure()))
                .means("How long the operation takes that nothing overlaps, median.")
                .spare(5),
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
