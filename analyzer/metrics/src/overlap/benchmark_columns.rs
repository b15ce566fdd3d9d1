//! The columns of overlap that mostly programs read: confidence intervals, means, and the figures of benchmarks.

use super::benchmarks::{SmbFigures, SmbLoop};
use super::estimate::{Availability, Estimate};
use crate::mean::Mean;
use crate::meaning;
use tables::Column;

/// Columns of both tables of overlap: bounds of the hidden share, intervals, means and benchmark figures.
pub fn of_estimate<R: 'static>(estimate: fn(&R) -> &Estimate) -> Vec<Column<R>> {
    let mut columns = vec![
        Column::percent("hidden_least_percent", "least", move |row: &R| estimate(row).bounds?.least).means(
            "The least of the transfer that was hidden, by the largest known transfer that is not larger; empty where \
             none is known, since it cannot be told.",
        ),
        Column::percent("hidden_most_percent", "most", move |row: &R| Some(estimate(row).bounds?.most)).means(
            "The most that can have been hidden, by when the request was over, by what was computed, and by equal \
             requests that nothing overlapped.",
        ),
        Column::text("bound_rule", "", move |row: &R| rule(estimate(row))).means(
            "The rule behind the upper bound: equal, the time of equal or larger requests that nothing overlaps; plain, \
             the calls alone; engine, entries into the progress engine; asked, what MPI said.",
        ),
    ];
    columns.extend(spreads(estimate));
    columns.extend(means(estimate));
    columns.extend(benchmarks(estimate));
    columns
}

/// The rule behind the upper bound, if there are bounds.
fn rule(estimate: &Estimate) -> Option<String> {
    estimate.bounds.map(|bounds| bounds.rule.into())
}

/// The 95 % confidence intervals of the figures, and the time that recording added.
fn spreads<R: 'static>(estimate: fn(&R) -> &Estimate) -> Vec<Column<R>> {
    let overhead = move |row: &R| estimate(row).overhead_between;
    let transfer = move |row: &R| estimate(row).transfer.as_ref()?.between;
    let available = move |row: &R| -> Option<Availability> { estimate(row).availability };
    let hidden = move |row: &R| estimate(row).overlap_between;
    vec![
        Column::seconds("overhead_least_s", "", move |row: &R| seconds(overhead(row).map(|two| two.0)))
            .means("The least that overhead may be, with 95 % confidence."),
        Column::seconds("overhead_most_s", "", move |row: &R| seconds(overhead(row).map(|two| two.1)))
            .means("The most that overhead may be, with 95 % confidence."),
        Column::seconds("transfer_least_s", "", move |row: &R| seconds(transfer(row).map(|two| two.0)))
            .means(meaning::LEAST),
        Column::seconds("transfer_most_s", "", move |row: &R| seconds(transfer(row).map(|two| two.1)))
            .means(meaning::MOST),
        Column::count("availability_requests", "", move |row: &R| available(row).map(|found| found.requests))
            .means("On how many requests the availability rests."),
        Column::percent("availability_least_percent", "", move |row: &R| Some(available(row)?.between?.0))
            .means("The least that the availability may be, with 95 % confidence."),
        Column::percent("availability_most_percent", "", move |row: &R| Some(available(row)?.between?.1))
            .means("The most that the availability may be, with 95 % confidence."),
        Column::percent("overlap_least_percent", "", move |row: &R| hidden(row).map(|two| two.0))
            .means("The least that this may be, with 95 % confidence, if what recording takes counts."),
        Column::percent("overlap_most_percent", "", move |row: &R| hidden(row).map(|two| two.1)).means(meaning::MOST),
        Column::seconds("recording_s", "", move |row: &R| seconds(estimate(row).recording))
            .means("The time that recording these calls added: a program that times itself sees it."),
    ]
}

/// The mean beside the median overhead: benchmarks print means.
pub fn overhead_mean<R: 'static>(heading: &'static str, estimate: fn(&R) -> &Estimate) -> Column<R> {
    Column::seconds("overhead_mean_s", heading, move |row: &R| value(estimate(row).means.overhead))
        .means("These three together, mean without the first requests; each rank weighs the same.")
        .spare(3)
        .each()
}

/// The mean beside the median time of a transfer that nothing overlaps.
pub fn transfer_mean<R: 'static>(estimate: fn(&R) -> &Estimate) -> Column<R> {
    Column::seconds("transfer_mean_s", "mean", move |row: &R| value(estimate(row).transfer.as_ref()?.mean()))
        .means("How long a transfer takes that nothing overlaps, mean without the first requests: interruptions count.")
        .spare(3)
        .each()
}

/// Means over ranks with their 95 % intervals.
fn means<R: 'static>(estimate: fn(&R) -> &Estimate) -> Vec<Column<R>> {
    let part = move |row: &R, at: usize| value(estimate(row).means.parts[at]);
    let overhead = move |row: &R| estimate(row).means.overhead;
    let transfer = move |row: &R| estimate(row).transfer.as_ref()?.mean();
    vec![
        Column::seconds("life_mean_s", "", move |row: &R| value(estimate(row).means.whole))
            .means("From the post of a request to the end of the wait for it, mean without the first requests."),
        Column::seconds("post_mean_s", "", move |row: &R| part(row, 0))
            .means("Time in the call that posts, mean without the first requests."),
        Column::seconds("test_mean_s", "", move |row: &R| part(row, 1))
            .means("Time in calls that test, mean without the first requests."),
        Column::seconds("wait_mean_s", "", move |row: &R| part(row, 2))
            .means("Time in calls that wait, mean without the first requests."),
        Column::seconds("overhead_mean_least_s", "", move |row: &R| least(overhead(row))).means(meaning::LEAST),
        Column::seconds("overhead_mean_most_s", "", move |row: &R| most(overhead(row))).means(meaning::MOST),
        Column::seconds("transfer_mean_least_s", "", move |row: &R| least(transfer(row))).means(meaning::LEAST),
        Column::seconds("transfer_mean_most_s", "", move |row: &R| most(transfer(row))).means(meaning::MOST),
    ]
}

/// The figures of SMB, OSU and IMB under the benchmarks' names.
fn benchmarks<R: 'static>(estimate: fn(&R) -> &Estimate) -> Vec<Column<R>> {
    let smb_loop = move |row: &R| -> Option<SmbLoop> { estimate(row).smb };
    let smb = move |row: &R| -> Option<SmbFigures> { smb_loop(row)?.figures };
    let osu = move |row: &R| estimate(row).benchmarks.ok().map(|(osu, _)| osu);
    let imb = move |row: &R| estimate(row).benchmarks.ok().map(|(_, imb)| imb);
    vec![
        Column::seconds("smb_base_s", "", move |row: &R| seconds(smb(row).map(|smb| smb.base))).means(
            "The base that Sandia's mpi_overhead prints: an iteration that no work has lengthened, with what its \
             loop holds besides, as a barrier. Of loops that work longer from level to level; of the first rank that \
             has one.",
        ),
        Column::seconds("smb_overhead_s", "", move |row: &R| seconds(smb(row).map(|smb| smb.overhead)))
            .means("Time of an iteration of its last level beyond the work."),
        Column::percent("smb_availability_percent", "", move |row: &R| smb(row).map(|smb| smb.availability))
            .means("As it prints it: 1 - overhead / base; less than 0 where the last level was disturbed."),
        Column::count("smb_levels", "", move |row: &R| smb_loop(row).map(|smb| smb.levels))
            .means("How many levels of work the loop has."),
        Column::count("smb_iterations", "", move |row: &R| smb_loop(row).map(|smb| smb.iterations))
            .means("How many iterations a level has."),
        Column::text("smb_work", "", move |row: &R| smb_work(smb_loop(row)).to_string()).means(
            "Where the work was timed: alone, behind the loop, as the benchmark does; in the loop, where nothing \
             like it follows; or why there are no figures: no loop works longer from level to level, or this rank's work is \
             not what lengthens its iterations.",
        ),
        Column::seconds("osu_pure_s", "", move |row: &R| seconds(osu(row).map(|osu| osu.pure))).means(
            "The figure that the OSU benchmarks print for such operations alone: mean over ranks, by a timer in the program that \
             sees recording and itself.",
        ),
        Column::seconds("osu_overall_s", "", move |row: &R| seconds(osu(row).map(|osu| osu.overall)))
            .means("The same with computation between post and wait."),
        Column::seconds("osu_init_s", "", move |row: &R| seconds(osu(row).map(|osu| osu.init)))
            .means("The same of the call that begins the operation."),
        Column::seconds("osu_wait_s", "", move |row: &R| seconds(osu(row).map(|osu| osu.wait)))
            .means("The same of the wait for it."),
        Column::percent("osu_overlap_percent", "", move |row: &R| osu(row).map(|osu| osu.overlap))
            .means("Overlap as they define it: 100 - (overall - computation) / pure, at least 0, of these means."),
        Column::percent("osu_overlap_least_percent", "", move |row: &R| Some(osu(row)?.between?.0))
            .means("The least that this may be, with 95 % confidence, whether recording counts or not."),
        Column::percent("osu_overlap_most_percent", "", move |row: &R| Some(osu(row)?.between?.1))
            .means("The most that this may be, with 95 % confidence, whether recording counts or not."),
        Column::seconds("imb_pure_s", "", move |row: &R| seconds(imb(row).map(|imb| imb.pure))).means(
            "The figure that IMB-NBC prints for such operations alone: mean of the rank whose overlapped ones take longest, with \
             the first ones, by a timer that sees recording.",
        ),
        Column::seconds("imb_overlapped_s", "", move |row: &R| seconds(imb(row).map(|imb| imb.overlapped)))
            .means("The same with computation between post and wait."),
        Column::seconds("imb_computation_s", "", move |row: &R| seconds(imb(row).map(|imb| imb.computation)))
            .means("The computation of these."),
        Column::percent("imb_overlap_percent", "", move |row: &R| imb(row).map(|imb| imb.overlap)).means(
            "Overlap as IMB has defined it since 2018: (pure + computation - overlapped) / the larger of pure and \
             computation, from 0 to 100.",
        ),
        Column::text("benchmark_reason", "", move |row: &R| estimate(row).benchmarks.err().map(String::from))
            .means("Why the figures of OSU and IMB are empty."),
    ]
}

fn smb_work(smb: Option<SmbLoop>) -> &'static str {
    match smb.map(|smb| smb.figures) {
        Some(Some(SmbFigures { is_alone: true, .. })) => "alone",
        Some(Some(_)) => "in the loop",
        Some(None) => "no figures: its own work does not lengthen the iterations",
        None => "no figures: no loop works longer from level to level",
    }
}

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
