//! Nonblocking messages by size, direction and call site.

use super::benchmark_columns::{of_estimate, seconds};
use super::estimate::Estimate;
use super::gathered::{GatheredRequests, PostingSite, RequestSize};
use crate::meaning;
use model::overlap::{Lives, Transmission};
use tables::{Column, Label, Row, Table};

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
            Column::bytes("size_below_bytes", "", |row: &Self| row.size.below).means(meaning::SIZE_BELOW_BYTES).name(),
            Column::count("requests", "requests", |row: &Self| row.requests).means(meaning::REQUESTS).spare(1),
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
            Column::seconds("transfer_s", "transfer", |row: &Self| seconds(row.estimate.pure()))
                .means("How long a transfer takes that nothing overlaps, median."),
            Column::text("transfer_from", "", |row: &Self| transfer_from(&row.estimate)).means(meaning::TRANSFER_FROM),
            Column::percent("availability_percent", "avail.", |row: &Self| {
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

/// Whether the transfer time was measured at this site or at another one.
pub fn transfer_from(estimate: &Estimate) -> Option<String> {
    estimate.transfer.as_ref().map(|_| if estimate.is_own { "this site" } else { "another site" }.into())
}
