//! Messages by size, way and call site.

use super::benchmark_columns::{of_estimate, seconds};
use super::estimate::Estimate;
use super::gathered::{GatheredRequests, PostingSite, RequestSize};
use model::overlap::{Lives, Transmission};
use tables::{Column, Label, Row, Table};

/// Messages of one size, one way, posted at one place.
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
            Column::label("traffic", "way", |row: &Self| traffic(row.place.traffic)).name(),
            Column::text("function", "", |row: &Self| row.place.function.clone()).name(),
            Column::text("site", "posted at", |row: &Self| row.place.site.clone()).name(),
            Column::bytes("size_bytes", "size", |row: &Self| row.size.bytes).name(),
            Column::bytes("size_below_bytes", "", |row: &Self| row.size.below).name(),
            Column::count("requests", "requests", |row: &Self| row.requests).spare(1),
            Column::seconds("life_s", "", |row: &Self| seconds(row.estimate.whole)),
            Column::seconds("post_s", "", |row: &Self| seconds(row.estimate.parts[0])),
            Column::seconds("test_s", "", |row: &Self| seconds(row.estimate.parts[1])),
            Column::seconds("wait_s", "", |row: &Self| seconds(row.estimate.parts[2])),
            Column::seconds("overhead_s", "overhead", |row: &Self| seconds(row.estimate.overhead)),
            Column::seconds("transfer_s", "transfer", |row: &Self| seconds(row.estimate.pure())),
            Column::text("transfer_from", "", |row: &Self| transfer_from(&row.estimate)),
            Column::percent("availability_percent", "avail.", |row: &Self| {
                row.estimate.availability.map(|found| found.percent)
            }),
            Column::percent("overlap_percent", "", |row: &Self| row.estimate.overlap),
        ];
        columns.extend(of_estimate(|row: &Self| &row.estimate));
        columns
    }
}

/// One row for each way, place and size.
pub fn messages(all: &GatheredRequests) -> Table<MessageOverlapRow> {
    let row = |(place, size, lives): (&PostingSite, RequestSize, &Lives)| MessageOverlapRow {
        place: place.clone(),
        size,
        requests: lives.requests,
        estimate: Estimate::of(all, place, size, lives),
    };
    Table::new("messages: % of the transfer that was or could be hidden", all.rows(false).map(row).collect())
}

/// What a request moves, in words.
pub fn traffic(traffic: Transmission) -> Label {
    let (key, name) = match traffic {
        Transmission::Send => ("send", "send"),
        Transmission::Receive => ("receive", "recv"),
        Transmission::Exchange => ("exchange", "both"),
        Transmission::Collective => ("collective", "coll"),
    };
    Label { key, name, depth: 0 }
}

/// Where the transfer time was measured.
pub fn transfer_from(estimate: &Estimate) -> Option<String> {
    estimate.transfer.as_ref().map(|_| if estimate.is_own { "this site" } else { "another site" }.into())
}
