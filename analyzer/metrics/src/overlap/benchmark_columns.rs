//! Columns for programs that read them: how sure figures are, means, and what benchmarks print.

use super::estimate::{Availability, Estimate};
use super::smb::SmbFigures;
use crate::mean::Mean;
use tables::Column;

/// The bounds of what was hidden, and all that stands beside the figures in both tables.
pub fn of_estimate<R: 'static>(estimate: fn(&R) -> &Estimate) -> Vec<Column<R>> {
    let mut columns = vec![
        Column::percent("hidden_least_percent", "least", move |row: &R| estimate(row).bounds?.least),
        Column::percent("hidden_most_percent", "most", move |row: &R| Some(estimate(row).bounds?.most)),
        Column::text("bound_rule", "", move |row: &R| rule(estimate(row))),
    ];
    columns.extend(spreads(estimate));
    columns.extend(means(estimate));
    columns.extend(benchmarks(estimate));
    columns
}

/// The rule that holds for bounds, where there are some.
fn rule(estimate: &Estimate) -> Option<String> {
    estimate.bounds.map(|bounds| bounds.rule.into())
}

/// Between which figures lie with 95 % confidence, and what recording added to what the program saw.
fn spreads<R: 'static>(estimate: fn(&R) -> &Estimate) -> Vec<Column<R>> {
    let overhead = move |row: &R| estimate(row).overhead_between;
    let transfer = move |row: &R| estimate(row).transfer.as_ref()?.between;
    let available = move |row: &R| -> Option<Availability> { estimate(row).availability };
    let hidden = move |row: &R| estimate(row).overlap_between;
    vec![
        Column::seconds("overhead_least_s", "", move |row: &R| seconds(overhead(row).map(|two| two.0))),
        Column::seconds("overhead_most_s", "", move |row: &R| seconds(overhead(row).map(|two| two.1))),
        Column::seconds("transfer_least_s", "", move |row: &R| seconds(transfer(row).map(|two| two.0))),
        Column::seconds("transfer_most_s", "", move |row: &R| seconds(transfer(row).map(|two| two.1))),
        Column::count("availability_requests", "", move |row: &R| available(row).map(|found| found.requests)),
        Column::percent("availability_least_percent", "", move |row: &R| Some(available(row)?.between?.0)),
        Column::percent("availability_most_percent", "", move |row: &R| Some(available(row)?.between?.1)),
        Column::percent("overlap_least_percent", "", move |row: &R| hidden(row).map(|two| two.0)),
        Column::percent("overlap_most_percent", "", move |row: &R| hidden(row).map(|two| two.1)),
        Column::seconds("recording_s", "", move |row: &R| seconds(estimate(row).recording)),
    ]
}

/// Means over ranks with their 95 % intervals.
fn means<R: 'static>(estimate: fn(&R) -> &Estimate) -> Vec<Column<R>> {
    let part = move |row: &R, at: usize| value(estimate(row).means.parts[at]);
    let overhead = move |row: &R| estimate(row).means.overhead;
    let transfer = move |row: &R| estimate(row).transfer.as_ref()?.mean();
    vec![
        Column::seconds("life_mean_s", "", move |row: &R| value(estimate(row).means.whole)),
        Column::seconds("post_mean_s", "", move |row: &R| part(row, 0)),
        Column::seconds("test_mean_s", "", move |row: &R| part(row, 1)),
        Column::seconds("wait_mean_s", "", move |row: &R| part(row, 2)),
        Column::seconds("overhead_mean_s", "", move |row: &R| value(overhead(row))),
        Column::seconds("overhead_mean_least_s", "", move |row: &R| least(overhead(row))),
        Column::seconds("overhead_mean_most_s", "", move |row: &R| most(overhead(row))),
        Column::seconds("transfer_mean_s", "", move |row: &R| value(transfer(row))),
        Column::seconds("transfer_mean_least_s", "", move |row: &R| least(transfer(row))),
        Column::seconds("transfer_mean_most_s", "", move |row: &R| most(transfer(row))),
    ]
}

/// Figures of SMB, OSU and IMB under their names.
fn benchmarks<R: 'static>(estimate: fn(&R) -> &Estimate) -> Vec<Column<R>> {
    let smb = move |row: &R| -> Option<SmbFigures> { estimate(row).smb };
    let osu = move |row: &R| estimate(row).osu;
    let imb = move |row: &R| estimate(row).imb;
    vec![
        Column::seconds("smb_base_s", "", move |row: &R| seconds(smb(row).map(|smb| smb.base))),
        Column::seconds("smb_overhead_s", "", move |row: &R| seconds(smb(row).map(|smb| smb.overhead))),
        Column::percent("smb_availability_percent", "", move |row: &R| smb(row).map(|smb| smb.availability)),
        Column::count("smb_levels", "", move |row: &R| smb(row).map(|smb| smb.levels)),
        Column::count("smb_iterations", "", move |row: &R| smb(row).map(|smb| smb.iterations)),
        Column::text("smb_work", "", move |row: &R| {
            smb(row).map(|smb| if smb.is_alone { "alone" } else { "in the loop" }.to_string())
        }),
        Column::seconds("osu_pure_s", "", move |row: &R| seconds(osu(row).map(|osu| osu.pure))),
        Column::seconds("osu_overall_s", "", move |row: &R| seconds(osu(row).map(|osu| osu.overall))),
        Column::seconds("osu_init_s", "", move |row: &R| seconds(osu(row).map(|osu| osu.init))),
        Column::seconds("osu_wait_s", "", move |row: &R| seconds(osu(row).map(|osu| osu.wait))),
        Column::percent("osu_overlap_percent", "", move |row: &R| osu(row).map(|osu| osu.overlap)),
        Column::percent("osu_overlap_least_percent", "", move |row: &R| Some(osu(row)?.between?.0)),
        Column::percent("osu_overlap_most_percent", "", move |row: &R| Some(osu(row)?.between?.1)),
        Column::seconds("imb_pure_s", "", move |row: &R| seconds(imb(row).map(|imb| imb.pure))),
        Column::seconds("imb_overlapped_s", "", move |row: &R| seconds(imb(row).map(|imb| imb.overlapped))),
        Column::seconds("imb_computation_s", "", move |row: &R| seconds(imb(row).map(|imb| imb.computation))),
        Column::percent("imb_overlap_percent", "", move |row: &R| imb(row).map(|imb| imb.overlap)),
    ]
}

/// Nanoseconds in seconds.
pub fn seconds(nanoseconds: Option<f64>) -> Option<f64> {
    nanoseconds.map(|nanoseconds| nanoseconds / 1e9)
}

fn value(mean: Option<Mean>) -> Option<f64> {
    seconds(mean.map(|mean| mean.value))
}

fn least(mean: Option<Mean>) -> Option<f64> {
    seconds(mean.and_then(|mean| mean.between).map(|two| two.0))
}

fn most(mean: Option<Mean>) -> Option<f64> {
    seconds(mean.and_then(|mean| mean.between).map(|two| two.1))
}
