//! Collective operations as a whole: planted skews and durations are found exactly, and unknown ones are not printed.

use crate::common::made::{Calls, on_nobody};
use crate::common::{Folder, header, overhear, rank, signature, stderr, stdout, two_ranks};
use serde_json::{Value, json};
use traces::calls::Call;
use traces::file::Mode;
use traces::signature::{STARTS, Signature, peer};

/// A run of these ranks; of `size` if some have left no file.
fn folder(ranks: Vec<Calls>, size: u32) -> Folder {
    let folder = Folder::new();
    ranks.into_iter().zip(0..).for_each(|(calls, rank)| calls.write(&folder, rank, size));
    folder
}

fn ask(folder: &Folder, arguments: &[&str]) -> Value {
    let output = overhear("report", &folder.0, &[&["--by", "collective", "--format", "json"], arguments].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn rows(said: &Value) -> &[Value] {
    said["operations"].as_array().unwrap()
}

fn only(said: &Value) -> &Value {
    let [row] = rows(said) else { panic!("{said:#}") };
    row
}

/// Figures of a row in nanoseconds; `None` for null.
fn figures<const N: usize>(row: &Value, columns: [&str; N]) -> [Option<i64>; N] {
    columns.map(|column| {
        let value = row.get(column).unwrap_or_else(|| panic!("no {column} in {row:#}"));
        value.as_f64().map(|seconds| (seconds * 1e9).round() as i64)
    })
}

const SPANS: [&str; 3] = ["first_to_last_s", "skew_s", "after_last_s"];
const RANKS: [&str; 4] = ["rank_min_s", "mean_s", "rank_median_s", "rank_max_s"];

fn allreduce() -> Signature {
    signature(0, Call::Allreduce, peer::NONE, 72, 72)
}

fn starts(call: Call, bytes: u64) -> Signature {
    Signature { flags: STARTS, ..signature(0, call, peer::NONE, bytes, bytes) }
}

/// One call of each rank, by begin and duration.
fn one_each(of: Signature, times: &[(u64, u64)]) -> Vec<Calls> {
    times.iter().map(|(begin, duration)| Calls::default().call(of, *begin, *duration)).collect()
}

#[test]
fn the_whole_the_skew_and_what_follows_the_last_arrival_are_found_exactly() {
    let said = ask(&folder(one_each(allreduce(), &[(100, 800), (300, 650), (700, 300)]), 3), &[]);
    let row = only(&said);
    assert_eq!(figures(row, SPANS), [Some(900), Some(600), Some(300)]);
    assert_eq!(figures(row, RANKS), [Some(300), Some(583), Some(650), Some(800)]);
    assert_eq!(figures(row, ["first_to_last_error_s", "root_s", "root_late_s"]), [Some(0), None, None]);
    let named = ["function", "communicator", "communicator_size", "size_bytes", "operations"].map(|key| &row[key]);
    assert_eq!(named.map(Value::to_string), ["\"MPI_Allreduce\"", "\"MPI_COMM_WORLD\"", "3", "72", "1"]);
    assert_eq!(said["run"]["collective_operations"], 1);
}

#[test]
fn the_roots_time_and_lateness_stand_apart_from_the_others() {
    let broadcast = signature(0, Call::Bcast, 1, 0, 0);
    let part = |sent, received| Signature { sent, received, ..broadcast };
    let ranks = vec![
        Calls::default().call(part(0, 4_096), 1_000, 6_000),
        Calls::default().call(part(4_096, 0), 5_000, 400),
        Calls::default().call(part(0, 4_096), 2_000, 5_500),
    ];
    let said = ask(&folder(ranks, 3), &[]);
    let row = only(&said);
    assert_eq!(figures(row, SPANS), [Some(6_500), Some(4_000), Some(2_500)]);
    assert_eq!(figures(row, ["root_late_s", "root_s", "others_s"]), [Some(4_000), Some(400), Some(5_750)]);
    assert_eq!((&row["root"], &row["size_bytes"]), (&json!(1), &json!(4_096)));
}

#[test]
fn a_nonblocking_operation_lasts_from_its_posts_to_where_it_is_completed() {
    let wait = on_nobody(Call::Wait);
    let one = |begin: u64, until: u64| {
        Calls::default()
            .call(starts(Call::Iallreduce, 8), begin, 50)
            .call(starts(Call::Ibarrier, 0), begin + 60, 20)
            // The later request completes first.
            .call(wait, begin + 500, 10)
            .completed(1)
            .call(wait, until - 100, 100)
            .completed(2)
    };
    let said = ask(&folder(vec![one(1_000, 4_000), one(1_500, 9_000)], 2), &[]);
    let row = |function: &str| rows(&said).iter().find(|row| row["function"] == function).unwrap();
    assert_eq!(figures(row("MPI_Iallreduce"), SPANS), [Some(8_000), Some(500), Some(7_500)]);
    assert_eq!(figures(row("MPI_Iallreduce"), RANKS), [Some(3_000), Some(5_250), Some(5_250), Some(7_500)]);
    assert_eq!(figures(row("MPI_Ibarrier"), SPANS), [Some(950), Some(500), Some(450)]);
    assert_eq!(said["run"]["unfinished_operations"], 0);
}

#[test]
fn medians_have_intervals_and_do_not_depend_on_a_few_calls_that_took_long() {
    let calls = |late: u64| {
        (0..40u64).fold(Calls::default(), |calls, number| {
            let interrupted = if number % 10 == 0 { 500_000 } else { 0 };
            let begin = 1_000_000 * (number + 1);
            calls.call(allreduce(), begin + late, 10_000 + 10 * number + interrupted - late)
        })
    };
    let said = ask(&folder(vec![calls(0), calls(4_000)], 2), &[]);
    let row = only(&said);
    let [whole, skew, after] = figures(row, SPANS).map(Option::unwrap);
    assert!((10_200..=10_250).contains(&whole), "{row:#}");
    assert_eq!((skew, after), (4_000, whole - 4_000));
    let [least, most] = figures(row, ["first_to_last_least_s", "first_to_last_most_s"]).map(Option::unwrap);
    assert!(least < whole && whole < most && most < 11_000, "{row:#}");
    assert_eq!(row["operations"], 40);
}

#[test]
fn times_between_ranks_that_the_clocks_cannot_tell_are_not_printed_and_their_errors_are() {
    let ranks = |within: u64| {
        vec![
            Calls::default().call(allreduce(), 1_000, 9_000),
            Calls::default().off_by(within).call(allreduce(), 1_700, 8_500),
        ]
    };
    let known = ask(&folder(ranks(500), 2), &[]);
    assert_eq!(figures(only(&known), SPANS), [Some(9_200), Some(700), Some(8_500)]);
    let unknown = ask(&folder(ranks(2_000), 2), &[]);
    let row = only(&unknown);
    assert_eq!(figures(row, SPANS), [Some(9_200), None, Some(8_500)]);
    let [error] = figures(row, ["skew_error_s"]).map(Option::unwrap);
    assert!(error >= 2_000, "{row:#}");
    assert!(unknown["warnings"].to_string().contains("shorter than what the clocks may be off by"), "{unknown:#}");
    assert!(!known["warnings"].to_string().contains("clocks"), "{known:#}");
}

#[test]
fn of_ranks_without_files_nothing_is_said_but_what_the_others_took() {
    let said = ask(&folder(one_each(allreduce(), &[(100, 800), (300, 650)]), 3), &[]);
    let row = only(&said);
    assert_eq!(figures(row, SPANS), [None; 3]);
    assert_eq!(figures(row, RANKS), [Some(650), Some(725), Some(725), Some(800)]);
    assert!(said["warnings"].to_string().contains("1 collective call has ranks without a file here"), "{said:#}");
}

#[test]
fn calls_that_a_rank_never_made_or_completed_are_counted_and_left_out() {
    let both = |calls: Calls| calls.call(allreduce(), 100, 800);
    let ranks = vec![both(Calls::default()).call(allreduce(), 2_000, 500), both(Calls::default())];
    let said = ask(&folder(ranks, 2), &[]);
    assert_eq!((&only(&said)["operations"], &said["run"]["unfinished_operations"]), (&json!(1), &json!(1)));
    assert!(said["warnings"].to_string().contains("1 collective call was not made, or not completed"), "{said:#}");
}

#[test]
fn operations_that_began_before_ranks_disagreed_on_one_are_counted_and_the_later_are_not() {
    let one = |function, begin| {
        let began = Calls::default().call(starts(Call::Iallreduce, 8), 1_000, 50).call(on_nobody(function), begin, 500);
        let waited = began.call(on_nobody(Call::Wait), 8_000, 1_000).completed(1);
        waited.call(allreduce(), 10_000, 500)
    };
    // Whoever comes first, the other finds that they disagree.
    for late in [2_000, 5_000] {
        let said = ask(&folder(vec![one(Call::Barrier, 3_000), one(Call::Bcast, late)], 2), &[]);
        let row = only(&said);
        assert_eq!((&row["function"], &row["operations"]), (&json!("MPI_Iallreduce"), &json!(1)));
        assert_eq!(figures(row, SPANS), [Some(8_000), Some(0), Some(8_000)]);
    }
}

#[test]
fn of_some_ranks_their_own_times_are_shown_and_the_whole_is_that_of_all() {
    let folder = folder(one_each(allreduce(), &[(100, 800), (300, 650), (700, 300)]), 3);
    let said = ask(&folder, &["--rank", "0,2"]);
    assert_eq!(figures(only(&said), SPANS), [Some(900), Some(600), Some(300)]);
    assert_eq!(figures(only(&said), RANKS), [Some(300), Some(550), Some(550), Some(800)]);
}

#[test]
fn sizes_that_hardly_recur_stand_by_powers_of_two() {
    let calls = || {
        (0..20u64).fold(Calls::default(), |calls, number| {
            let of = Signature { sent: 1_000 + number, ..signature(0, Call::Alltoallv, peer::NONE, 0, 900) };
            calls.call(of, 1_000 * (number + 1), 100)
        })
    };
    let said = ask(&folder(vec![calls(), calls()], 2), &[]);
    let row = only(&said);
    let sizes = ["size_bytes", "size_below_bytes", "operations"].map(|key| row[key].as_u64().unwrap());
    assert_eq!(sizes, [512, 1_024, 20]);
}

#[test]
fn a_run_without_collective_calls_and_a_profile_are_refused_with_what_they_have() {
    let output = overhear("report", &two_ranks().0, &["--by", "collective"]);
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    assert!(stderr(&output).contains("Found on 2 ranks mostly MPI_Recv 3, MPI_Send 3"), "{}", stderr(&output));
    let folder = Folder::new();
    let mut header = header(0, 1);
    header.mode = Mode::Profile as u16;
    folder.write("rank-0000.ovh", &rank(header, &[signature(1, Call::Barrier, peer::NONE, 0, 0)], &[]));
    let output = overhear("report", &folder.0, &["--by", "collective"]);
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    assert!(stderr(&output).contains("report --by collective needs single calls"), "{}", stderr(&output));
}

#[test]
fn times_are_plotted_over_size_and_refused_where_nothing_has_a_size() {
    let sizes = [8, 1 << 10, 1 << 20];
    let rank = |late: u64| {
        let of = |calls: Calls, (bytes, round): (u64, u64)| {
            let allreduce = signature(0, Call::Allreduce, peer::NONE, bytes, bytes);
            calls.call(allreduce, round * 10_000_000 + late, 2_000 + bytes / 2 - late)
        };
        (0..24).map(|round| (sizes[round as usize % 3], round)).fold(Calls::default(), of)
    };
    let run = folder(vec![rank(0), rank(300)], 2);
    let plot = |run: &Folder, arguments: &[&str]| {
        let file = run.0.join("plot.svg");
        let arguments = [&["--plot", file.to_str().unwrap()], arguments].concat();
        (overhear("report", &run.0, &arguments), std::fs::read_to_string(&file))
    };
    let (output, drawn) = plot(&run, &["--by", "collective"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let drawn = drawn.unwrap();
    for text in ["minimum, median and maximum of the ranks", "(µs)", "message size", "512 KiB", ">\n100\n<"] {
        assert!(drawn.contains(text), "{text} is not in\n{drawn}");
    }
    let barrier = folder(one_each(on_nobody(Call::Barrier), &[(100, 800), (300, 650)]), 2);
    let (output, drawn) = plot(&barrier, &["--by", "collective"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("nothing to plot") && drawn.is_err(), "{}", stderr(&output));
    let (output, drawn) = plot(&barrier, &["--by", "site"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("add --by collective") && drawn.is_err(), "{}", stderr(&output));
}

#[test]
fn what_timers_around_short_calls_see_is_the_call_and_what_recording_adds() {
    // The next call begins 150 ns after each.
    let calls = |took: u64| {
        let all = (0..33).fold(Calls::default(), |calls, number| calls.call(allreduce(), 1_000 * (number + 1), took));
        all.call(on_nobody(Call::Finalize), 34_000, 100)
    };
    let said = ask(&folder(vec![calls(850), calls(850)], 2), &[]);
    let row = only(&said);
    assert_eq!(figures(row, ["mean_s", "recording_s", "osu_mean_s"]), [Some(850), Some(150), Some(1_000)]);
    assert_eq!(figures(row, ["osu_min_s", "osu_max_s", "mean_least_s"]), [Some(1_000), Some(1_000), Some(850)]);
    let far = |calls: Calls| (0..33u64).fold(calls, |calls, n| calls.call(allreduce(), 9_000 * (n + 1), 850));
    let computes = ask(&folder(vec![far(Calls::default()), far(Calls::default())], 2), &[]);
    assert_eq!(figures(only(&computes), ["mean_s", "osu_mean_s"]), [Some(850), None]);
}

#[test]
fn a_timer_sees_operations_whose_next_call_follows_within_a_twentieth_of_their_time() {
    let timed = |gap: u64| {
        let round = |calls: Calls, begin| {
            calls.call(allreduce(), begin, 80_000).call(on_nobody(Call::Barrier), begin + 80_000 + gap, 1_000)
        };
        let rank = || (1..=20).fold(Calls::default(), |calls, number| round(calls, 100_000 * number));
        let said = ask(&folder(vec![rank(), rank()], 2), &[]);
        let row = rows(&said).iter().find(|row| row["function"] == "MPI_Allreduce").unwrap();
        figures(row, ["osu_mean_s", "osu_max_s"])
    };
    assert_eq!(timed(900), [Some(80_900); 2]);
    assert_eq!(timed(3_800), [Some(83_800); 2]);
    assert_eq!(timed(4_100), [None; 2]);
}
