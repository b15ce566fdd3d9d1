//! How sure the figures of requests are, for programs that read them.

use super::estimate::Estimate;
use tables::Column;

/// Between which figures lie with 95 % confidence, and what recording added to what the program saw.
pub fn spreads<R: 'static>(estimate: fn(&R) -> &Estimate) -> Vec<Column<R>> {
    let overhead = move |row: &R| estimate(row).overhead_between;
    let transfer = move |row: &R| estimate(row).transfer?.between;
    let hidden = move |row: &R| estimate(row).osu_between;
    vec![
        Column::seconds("overhead_least_s", "", move |row: &R| seconds(overhead(row).map(|two| two.0))),
        Column::seconds("overhead_most_s", "", move |row: &R| seconds(overhead(row).map(|two| two.1))),
        Column::seconds("transfer_least_s", "", move |row: &R| seconds(transfer(row).map(|two| two.0))),
        Column::seconds("transfer_most_s", "", move |row: &R| seconds(transfer(row).map(|two| two.1))),
        Column::percent("osu_overlap_least_percent", "", move |row: &R| hidden(row).map(|two| two.0)),
        Column::percent("osu_overlap_most_percent", "", move |row: &R| hidden(row).map(|two| two.1)),
        Column::seconds("recording_s", "", move |row: &R| seconds(estimate(row).recording)),
    ]
}

/// Nanoseconds in seconds.
pub fn seconds(nanoseconds: Option<f64>) -> Option<f64> {
    nanoseconds.map(|nanoseconds| nanoseconds / 1e9)
}
