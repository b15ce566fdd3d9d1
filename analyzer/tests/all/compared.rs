//! `overhear diff` finds differences between two sides, and calls those between runs of one side noise.

use crate::common;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::common::made::{Calls, command, made};
use crate::common::{Folder, header, signature, stdout, two_ranks};
use metrics::paths::{RunPaths, frame_pairs};
use model::Run;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::Value;
use tables::Sheet;
use traces::calls::Call;
use traces::definitions::{Definition, SourcePlace, Variable, variables_text};
use traces::file::{FileHeader, Mode, ProfileEntry};
use traces::signature::{STARTS, Signature, peer};
use traces::write::{FileWriter, blank_block};
use zerocopy::FromZeros;

const FUNCTIONS: [Call; 6] = [Call::Allreduce, Call::Bcast, Call::Alltoall, Call::Barrier, Call::Reduce, Call::Gather];

/// Runs of two ranks with ten calls of about 100 us to each function, one of them `longer` times as long; times vary by
/// up to 2 % between runs.
fn runs(count: usize, seed: u64, longer: Option<(Call, f64)>) -> Vec<Folder> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut run = |_| {
        let folder = Folder::new();
        let mut times = Vec::new();
        for call in FUNCTIONS {
            let factor = longer.filter(|(which, _)| *which == call).map_or(1.0, |(_, factor)| factor);
            times.push((100_000.0 * factor * random.random_range(0.98..1.02)) as u64);
        }
        for rank in 0..2 {
            folder.write(&format!("rank-000{rank}.ovh"), &file(rank, &times));
        }
        folder
    };
    (0..count).map(&mut run).collect()
}

fn file(rank: u32, times: &[u64]) -> Vec<u8> {
    let signatures: Vec<_> =
        FUNCTIONS.iter().zip(1..).map(|(call, number)| signature(number, *call, peer::NONE, 8, 8)).collect();
    let mut calls = Vec::new();
    let mut start = 1_000;
    for _ in 0..10 {
        for (time, number) in times.iter().zip(1..) {
            calls.push((number, start, *time));
            start += time + 500;
        }
    }
    common::rank(header(rank, 2), &signatures, &calls)
}

fn diff(a: &[Folder], b: &[Folder], more: &[&str]) -> (i32, Value) {
    let folders = |side: &[Folder]| side.iter().map(|folder| folder.0.clone()).collect::<Vec<PathBuf>>();
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    command.arg("diff").arg("--a").args(folders(a)).arg("--b").args(folders(b)).args(more).args(["--format", "json"]);
    let output = command.output().unwrap();
    let said = serde_json::from_slice(&output.stdout);
    (output.status.code().unwrap(), said.unwrap_or(Value::Null))
}

/// Rows of a table that are said to differ. All files end at one time, so that computation is what calls leave of it.
fn differing(said: &Value, table: &str) -> Vec<(String, String)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_string();
    let rows = said["figures"].as_array().unwrap().iter().filter(|row| row["table"] == table);
    let rows = rows.filter(|row| row["row"] != "(computation)");
    let judged = rows.filter(|row| ["more", "less"].contains(&row["verdict"].as_str().unwrap()));
    judged.map(|row| (text(row, "row"), text(row, "verdict"))).collect()
}

#[test]
fn of_ten_comparisons_of_equals_at_most_one_finds_a_difference() {
    let finds = |seed: u64| {
        let (a, b) = (runs(3, 2 * seed, None), runs(3, 2 * seed + 1, None));
        let (status, said) = diff(&a, &b, &[]);
        assert_eq!(status, 0);
        let judged = said["figures"].as_array().unwrap().iter().filter(|row| row["verdict"] == "noise").count();
        assert!(judged >= FUNCTIONS.len(), "{said:#}");
        said["figures"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| ["more", "less"].contains(&row["verdict"].as_str().unwrap()))
    };
    assert!((0..10).filter(|seed| finds(*seed)).count() <= 1);
}

#[test]
fn a_function_that_takes_a_tenth_more_is_the_one_that_is_named() {
    let (a, b) = (runs(5, 100, None), runs(5, 101, Some((Call::Alltoall, 1.1))));
    let (_, said) = diff(&a, &b, &[]);
    assert_eq!(differing(&said, "functions"), [("MPI_Alltoall".to_string(), "more".to_string())]);
    let (_, other_way) = diff(&b, &a, &[]);
    assert_eq!(differing(&other_way, "functions"), [("MPI_Alltoall".to_string(), "less".to_string())]);
    let figure = |row: &&Value| row["row"] == "MPI_Alltoall" && row["figure"] == "time_mean_s";
    let row = said["figures"].as_array().unwrap().iter().find(figure).unwrap();
    let [low, high] = ["b_by_a_low", "b_by_a_high"].map(|key| row[key].as_f64().unwrap());
    assert!(low < 1.1 && 1.1 < high && low > 1.0, "{row:#}");
}

#[test]
fn of_figures_whose_interval_leaves_out_equality_none_is_called_noise() {
    let (a, b) = (runs(3, 100, None), runs(3, 101, Some((Call::Alltoall, 1.1))));
    let (_, said) = diff(&a, &b, &[]);
    let mut perhaps = 0;
    for row in said["figures"].as_array().unwrap() {
        let [Some(low), Some(high)] = ["b_by_a_low", "b_by_a_high"].map(|key| row[key].as_f64()) else { continue };
        let has_equality = low <= 1.0 && 1.0 <= high;
        match row["verdict"].as_str().unwrap() {
            "noise" => assert!(has_equality, "{row:#}"),
            "perhaps more" | "perhaps less" => {
                assert!(!has_equality, "{row:#}");
                perhaps += 1;
            }
            _ => {}
        }
    }
    assert!(perhaps > 0);
}

#[test]
fn one_run_a_side_says_that_noise_is_not_known() {
    let (a, b) = (runs(1, 1, None), runs(1, 2, Some((Call::Bcast, 3.0))));
    let (status, said) = diff(&a, &b, &[]);
    assert_eq!(status, 0);
    let verdicts = said["figures"].as_array().unwrap().iter().map(|row| row["verdict"].as_str().unwrap());
    assert!(verdicts.clone().count() > 20 && verdicts.clone().all(|verdict| verdict == "unknown"));
    assert!(said["warnings"].to_string().contains("cannot tell a difference from noise"), "{said:#}");
    for (of_a, of_b) in [(3, 1), (1, 2)] {
        let (_, said) = diff(&runs(of_a, 1, None), &runs(of_b, 2, None), &[]);
        assert!(said["warnings"].to_string().contains("cannot tell a difference from noise"), "{of_a} and {of_b}");
    }
}

#[test]
fn a_function_that_a_profile_has_no_calls_of_took_no_time() {
    let profile = |calls: &[Call]| {
        let folder = Folder::new();
        let own = FileHeader { mode: Mode::Profile as u16, ..header(0, 1) };
        let mut file = FileWriter::begin(Vec::new(), own).unwrap();
        file.thread(0, &blank_block()).unwrap();
        file.definitions(&common::definitions(1, 0)).unwrap();
        let numbers = || calls.iter().zip(1..);
        file.signatures(0, 0, &numbers().map(|(call, at)| signature(at, *call, peer::NONE, 8, 8)).collect::<Vec<_>>())
            .unwrap();
        let entry = |(_, at)| ProfileEntry { signature: at, count: 3, total: 600_000, ..ProfileEntry::new_zeroed() };
        file.profile(0, 0, &numbers().map(entry).collect::<Vec<_>>()).unwrap();
        folder.write("rank-0000.ovh", &file.into_inner());
        folder
    };
    let (a, b) = ([profile(&[Call::Barrier, Call::Bcast])], [profile(&[Call::Barrier])]);
    let (_, said) = diff(&a, &b, &[]);
    let figures = said["figures"].as_array().unwrap().iter();
    let row = figures.clone().find(|row| row["row"] == "MPI_Bcast" && row["figure"] == "time_mean_s").unwrap();
    let [in_a, in_b] = ["a", "b"].map(|side| row[side].as_f64().unwrap());
    assert!((in_a - 600e-6).abs() < 1e-9 && in_b == 0.0, "{row:#}");
    assert!(figures.clone().all(|row| row["table"] != "waits"), "{said:#}");
}

#[test]
fn paths_are_compared_without_waits_where_one_of_two_runs_does_not_know_them() {
    let [traced, profile] =
        [two_ranks(), crate::bad_input::profile()].map(|run| RunPaths::of(&Run::load(&run.0).unwrap()));
    for (sides, is_known) in [([&traced, &traced], true), ([&traced, &profile], false), ([&profile, &traced], false)] {
        let pairs = Sheet::from(frame_pairs(sides[0], sides[1], &BTreeMap::new()));
        let waits = (0..pairs.rows.len()).flat_map(|row| ["a_wait_s", "b_wait_s"].map(|key| pairs.number(row, key)));
        let known: Vec<bool> = waits.map(|wait| wait.is_some()).collect();
        assert!(!known.is_empty() && known.iter().all(|known| *known == is_known), "{known:?}");
    }
}

#[test]
fn a_condition_that_is_met_is_the_exit_status() {
    let (a, b) = (runs(1, 1, None), runs(1, 1, Some((Call::Bcast, 3.0))));
    let status = |condition: &str| diff(&a, &b, &["--fail-if", condition]).0;
    assert_eq!(status("MPI_Bcast.time_max>+190%"), 1);
    assert_eq!(status("MPI_Bcast.time_max>+210%"), 0);
    assert_eq!(status("MPI_Bcast.time_max_s>+1.9ms"), 1);
    assert_eq!(status("MPI_Bcast.max>+2.1ms"), 0);
    assert_eq!(status("MPI_Bcast.calls>+0"), 0);
    assert_eq!(status("MPI_Bcast.calls>19"), 1);
    assert_eq!(status("MPI_Reduce.time_max>+1%"), 0);
    assert_eq!(status("mpi_time_mean>+10%"), 1);
    assert_eq!(status("wall_time<-1%"), 0);
    assert_eq!([status("MPI_Bsend.calls>0"), status("MPI_Bcast.colour>0"), status("MPI_Bcast.calls=0")], [2, 2, 2]);
    // Without its sign, 10 % is no bound of a time.
    assert_eq!([status("wall_time>10%"), status("wall_time>+10%")], [2, 0]);
}

#[test]
fn the_figure_that_a_misspelled_condition_means_is_suggested() {
    let sides = ["integer_sort-openmpi", "integer_sort-mpich"].map(sample);
    let said = String::from_utf8(differing_by(&sides, &["--fail-if", "walltime>+5%"]).stderr).unwrap();
    assert!(said.contains("'walltime>+5%': no such figure. Did you mean wall_time? "), "{said}");
}

#[test]
fn who_names_three_runs_is_told_how_to_name_sides() {
    let sides = ["integer_sort-openmpi", "integer_sort-mpich"].map(sample);
    for more in [&[][..], &["--messages"]] {
        let third = [&[sides[1].to_str().unwrap()], more].concat();
        let output = differing_by(&sides, &third);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("3 are named; for several runs a side: overhear diff --a A1 A2 --b B1 B2"), "{said}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_figure_that_is_nothing_on_both_sides_has_not_changed_by_a_share() {
    let (a, b) = (runs(1, 1, None), runs(1, 2, None));
    assert_eq!(diff(&a, &b, &["--fail-if", "MPI_Bcast.failed_calls>+1%"]).0, 0);
    let wavefront = ["wavefront-1", "integer_sort-mpich"].map(sample);
    assert_eq!(differing_by(&wavefront, &["--fail-if", "MPI_Allreduce.calls>+1%"]).status.code(), Some(1));
}

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../traces/samples").join(name)
}

fn differing_by(sides: &[PathBuf; 2], more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overhear")).arg("diff").args(sides).args(more).output().unwrap()
}

#[test]
fn sides_with_different_numbers_of_ranks_are_said_not_to_compare_in_totals() {
    let warned = |sides: [&str; 2]| {
        let said = differing_by(&sides.map(sample), &["--format", "json"]).stdout;
        let said: Value = serde_json::from_slice(&said).unwrap();
        said["warnings"].to_string().contains("the runs have 2 and 4 ranks: totals over ranks do not compare")
    };
    assert!(warned(["wavefront-1", "integer_sort-mpich"]));
    assert!(!warned(["integer_sort-openmpi", "integer_sort-mpich"]));
}

#[test]
fn the_page_of_two_runs_says_which_takes_longer() {
    let place = Folder::new();
    let file = place.0.join("page.html");
    let said = |sides: [&str; 2]| {
        let output = differing_by(&sides.map(sample), &["--force", "--html", file.to_str().unwrap()]);
        assert!(output.status.success(), "{output:?}");
        let html = std::fs::read_to_string(&file).unwrap();
        ["longer than A", "less than A", "equally long"].map(|words| html.contains(words))
    };
    let [openmpi, mpich] = ["integer_sort-openmpi", "integer_sort-mpich"];
    assert_eq!(said([openmpi, mpich]), [true, false, false]);
    assert_eq!(said([mpich, openmpi]), [false, true, false]);
    assert_eq!(said([mpich, mpich]), [false, false, true]);
}

#[test]
fn a_condition_does_not_hold_of_a_change_within_the_noise() {
    let (a, b) = (runs(4, 300, None), runs(4, 301, None));
    let above = |percent: f64| diff(&a, &b, &["--fail-if", &format!("MPI_Reduce.time_mean>{percent:+}%")]).0;
    assert_eq!(above(-50.0), 0, "the sides differ by less than their runs");
    let c = runs(4, 302, Some((Call::Reduce, 1.2)));
    assert_eq!(diff(&a, &c, &["--fail-if", "MPI_Reduce.time_mean>+10%"]).0, 1);
}

/// The first lines of a comparison, up to the tables, in one line.
fn first_lines(a: &Folder, b: &Folder) -> String {
    let output = differing_by(&[a.0.clone(), b.0.clone()], &[]).stdout;
    let said = String::from_utf8(output).unwrap();
    said.split("\n\n").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A run whose ranks call this function ten times, each time for so many microseconds, after as many of computation.
fn stepping(function: Call, ranks: &[(u64, u64)]) -> Folder {
    let one = |(computes, calls): &(u64, u64)| {
        let mut all = Calls::default().call(signature(0, Call::Init, peer::NONE, 0, 0), 0, 1_000);
        let mut now = 1_000;
        for _ in 0..10 {
            all = all.call(signature(0, function, peer::NONE, 8, 8), now + 1_000 * computes, 1_000 * calls);
            now += 1_000 * (computes + calls);
        }
        all.call(signature(0, Call::Finalize, peer::NONE, 0, 0), now, 1_000)
    };
    made(ranks.iter().map(one).collect(), ranks.len() as u32).0
}

#[test]
fn calls_that_replace_each_other_are_both_named_that_of_the_totals_direction_first() {
    let a = stepping(Call::Allreduce, &[(100, 400), (100, 400)]);
    let b = stepping(Call::Barrier, &[(100, 500), (100, 500)]);
    for (sides, told) in [
        ([&a, &b], "most changed: MPI_Barrier (+5.000 ms), MPI_Allreduce (-4.000 ms)"),
        ([&b, &a], "most changed: MPI_Barrier (-5.000 ms), MPI_Allreduce (+4.000 ms)"),
    ] {
        let said = first_lines(sides[0], sides[1]);
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn computation_at_other_places_is_told_with_what_it_replaces() {
    let a = stepping(Call::Allreduce, &[(400, 100), (400, 100)]);
    let b = stepping(Call::Barrier, &[(900, 100), (900, 100)]);
    let said = first_lines(&a, &b);
    assert!(!said.contains(" of it from "), "{said}");
    let [a, b] = ["MPI_Allreduce", "MPI_Barrier"].map(|call| format!("{call} at (not told apart) to the next"));
    assert!(said.contains(&format!("ms: +8.100 ms from {b}, -3.600 ms from {a})")), "{said}");
}

#[test]
fn the_rank_that_computes_longer_is_named_with_the_calls_around_it() {
    let a = stepping(Call::Allreduce, &[(400, 100), (400, 100), (400, 100)]);
    let b = stepping(Call::Allreduce, &[(400, 300), (600, 100), (410, 290)]);
    let said = first_lines(&a, &b);
    let told = "computation rank 1 computes 2.000 ms longer, most of it from MPI_Allreduce at (not told apart) to the next; the others +50.000 µs";
    assert!(said.contains(told), "{said}");
    let alike = stepping(Call::Allreduce, &[(600, 100), (600, 100), (590, 110)]);
    let said = first_lines(&a, &alike);
    assert!(!said.contains(" computes "), "{said}");
    assert!(!said.contains(" compute "), "{said}");
}

#[test]
fn what_the_first_screen_of_one_side_alone_finds_is_told_of_that_side() {
    let a = stepping(Call::Allreduce, &[(4_000, 1_000), (4_000, 1_000), (4_000, 1_000)]);
    let b = stepping(Call::Allreduce, &[(4_000, 3_000), (6_000, 1_000), (4_100, 2_900)]);
    let said = first_lines(&a, &b);
    assert!(said.contains("only B Rank 1 keeps the others waiting: it computes longest between "), "{said}");
    let said = first_lines(&b, &stepping(Call::Allreduce, &[(4_000, 3_000), (6_000, 1_000), (4_100, 2_900)]));
    assert!(!said.contains("keeps the others waiting"), "{said}");
}

#[test]
fn a_run_of_a_few_milliseconds_is_too_short_to_judge() {
    let first = |scale: u64| {
        let times = [(400, 300), (600, 100), (410, 290)].map(|(work, waits)| (scale * work, scale * waits));
        stdout(&command(&stepping(Call::Allreduce, &times).0, "diagnose"))
    };
    let short = first(1);
    assert!(short.contains("The run is too short to judge: 7.000 ms between MPI_Init and"), "{short}");
    assert!(first(10).contains("Rank 1 keeps the others waiting"), "{}", first(10));
}

/// A run whose rank 0 sends 200 messages of so many bytes in a row, at a line of a function.
fn sending(function: &str, line: u32, bytes: u64) -> Folder {
    let calls = |site: u32, call: Signature| {
        let one = |calls: Calls, at: u64| calls.call(Signature { site, ..call }, 1_000_000 * (1 + at), 999_900);
        let (file, function) = ("a.c".into(), function.into());
        let place = Definition::Place(SourcePlace { site, file, line: line + site, function });
        (0..200).fold(Calls::default(), one).defines(vec![place])
    };
    let sends = calls(1, signature(0, Call::Send, 1, bytes, 0));
    made(vec![sends, calls(2, signature(0, Call::Recv, 0, 0, bytes))], 2).0
}

#[test]
fn a_finding_on_calls_is_that_of_the_other_side_wherever_these_calls_are_by_now() {
    let a = sending("step", 40, 8);
    let told = |b: Folder| first_lines(&a, &b).matches("200 messages of").count();
    assert_eq!(told(sending("step", 49, 8)), 0);
    assert_eq!(told(sending("renamed", 70, 8)), 0);
    // One is mended, and another one made.
    assert_eq!(told(sending("report", 70, 64)), 2);
}

/// Runs of a rank whose sends take 20 us if they are waited for immediately, otherwise this long in MPI; times vary by
/// up to 1 %.
fn overlapping(count: usize, seed: u64, overhead: f64) -> Vec<Folder> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut run = |_| {
        let mut calls = Calls::default();
        let mut start = 1_000;
        for round in 0..12 {
            let of_kind = if round % 2 == 0 { (0, 20_000.0) } else { (60_000, overhead) };
            let (computing, in_mpi) = (of_kind.0, (of_kind.1 * random.random_range(0.99..1.01)) as u64);
            let post = Signature { flags: STARTS, ..signature(0, Call::Isend, 0, 4_096, 0) };
            calls = calls.call(post, start, 1_000).call(
                signature(0, Call::Wait, peer::NONE, 0, 0),
                start + 1_000 + computing,
                in_mpi - 1_000,
            );
            calls = calls.completed(1);
            start += 100_000;
        }
        let folder = Folder::new();
        calls.write(&folder, 0, 1);
        folder
    };
    (0..count).map(&mut run).collect()
}

#[test]
fn requests_that_take_more_time_in_mpi_are_named_with_their_size_and_their_transfer_is_noise() {
    let (a, b) = (overlapping(4, 1, 4_000.0), overlapping(4, 2, 6_000.0));
    let (_, said) = diff(&a, &b, &[]);
    let of_overlap = |row: &&Value| row["table"] == "overlap";
    let rows: Vec<&Value> = said["figures"].as_array().unwrap().iter().filter(of_overlap).collect();
    let row = |figure: &str| *rows.iter().find(|row| row["figure"] == figure).unwrap_or_else(|| panic!("{said:#}"));
    let overhead = row("overhead_s");
    assert!(overhead["row"].as_str().unwrap().starts_with("send MPI_Isend "), "{overhead:#}");
    assert!(overhead["row"].as_str().unwrap().ends_with(" 4.0 KiB"), "{overhead:#}");
    assert_eq!([&overhead["verdict"], &row("availability_percent")["verdict"]], ["more", "less"]);
    assert_eq!(row("transfer_s")["verdict"], "noise");
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 0.02 * expected;
    assert!(near(&overhead["b_by_a"], 1.5) && near(&overhead["a"], 4e-6), "{overhead:#}");
    assert!(near(&row("availability_percent")["b"], 70.0), "{said:#}");
    let status = |condition: &str| diff(&a, &b, &["--fail-if", condition]).0;
    assert_eq!([status("MPI_Isend.overhead>+40%"), status("overlap:MPI_Isend.overhead>+60%")], [1, 0]);
    assert_eq!([status("4.0 KiB.availability<75"), status("MPI_Isend.transfer>+10%")], [1, 0]);
}

#[test]
fn the_life_of_a_request_is_not_called_a_transfer_for_it_may_wait_for_a_late_sender() {
    let (a, b) = (overlapping(1, 1, 4_000.0), overlapping(1, 2, 6_000.0));
    let output = differing_by(&[a[0].0.clone(), b[0].0.clone()], &[]).stdout;
    let text = String::from_utf8(output).unwrap();
    let table = text.split("\n\n").find(|part| part.starts_with("nonblocking requests")).unwrap();
    assert!(table.contains("lifetime, ") && !table.contains("transfer"), "{table}");
}

#[test]
fn requests_that_one_side_alone_makes_have_no_overhead_on_the_other() {
    let (a, b) = (overlapping(2, 1, 4_000.0), runs(2, 1, None));
    let (_, said) = diff(&a, &b, &[]);
    let mut seen = 0;
    for row in said["figures"].as_array().unwrap().iter().filter(|row| row["table"] == "overlap") {
        let expected = if row["figure"] == "requests" { Value::from(0) } else { Value::Null };
        assert_eq!(row["b"], expected, "{row:#}");
        seen += 1;
    }
    assert!(seen > 5, "{said:#}");
}

#[test]
fn runs_of_one_sided_transfers_alone_have_no_messages_to_compare() {
    let puts = |with_barrier: bool| {
        let put = Signature { sent: 64, ..signature(0, Call::Put, 1, 64, 0) };
        let mut calls = Calls::default().call(put, 1_000, 100);
        if with_barrier {
            calls = calls.call(signature(0, Call::Barrier, peer::NONE, 0, 0), 2_000, 100);
        }
        made(vec![calls], 2).0
    };
    let compared = |with_barrier: bool| {
        let sides = [puts(with_barrier), puts(with_barrier)];
        let output = differing_by(&sides.each_ref().map(|side| side.0.clone()), &["--messages"]);
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.code().unwrap(), text)
    };
    let (status, said) = compared(false);
    assert!(said.contains("nothing to compare; one-sided transfers are not covered"), "{said}");
    assert!(!said.contains("identical"), "{said}");
    assert_eq!(status, 3);
    let (_, said) = compared(true);
    assert!(said.contains("identical") && said.contains("one-sided transfers (MPI_Put) are not compared"), "{said}");
}

/// A run of three ranks whose library was set to these names, values and sources.
pub fn with_settings(all: &[[&str; 3]]) -> Folder {
    let variables = all.iter().map(|[name, value, from]| Variable {
        name: name.to_string(),
        value: value.to_string(),
        from: from.to_string(),
    });
    let barrier = || Calls::default().call(signature(0, Call::Barrier, peer::NONE, 0, 0), 1_000, 100);
    let asked = barrier().defines(vec![Definition::Variables(variables_text(&variables.collect::<Vec<_>>()))]);
    made(vec![asked, barrier(), barrier()], 3).0
}

#[test]
fn settings_of_the_library_that_all_runs_of_a_side_share_are_compared() {
    let a = [
        ["pml", "ob1", "/etc/a.conf:7"],
        ["eager", "4096", ""],
        ["same", "1", ""],
        ["only_a", "1", ""],
        ["ess", "1", ""],
    ];
    let b =
        [["eager", "8192", ""], ["same", "1", ""], ["btl", "tcp", "environment"], ["pml", "", ""], ["ess", "2", ""]];
    let (_, said) = diff(&[with_settings(&a)], &[with_settings(&b)], &[]);
    assert_eq!(
        said["run"]["library_settings"],
        "pml=nothing instead of ob1 (/etc/a.conf:7); eager=8192 instead of 4096"
    );
    let rows: Vec<[&str; 5]> = said["library_settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ["name", "a", "b", "from_a", "from_b"].map(|key| row[key].as_str().unwrap()))
        .collect();
    assert_eq!(rows, [["pml", "ob1", "", "/etc/a.conf:7", ""], ["eager", "4096", "8192", "", ""]]);
    let other = [["eager", "16384", ""], ["pml", "", ""]];
    let (_, said) = diff(&[with_settings(&a), with_settings(&a)], &[with_settings(&b), with_settings(&other)], &[]);
    assert_eq!(said["run"]["library_settings"], "pml=nothing instead of ob1 (/etc/a.conf:7)");
}

#[test]
fn the_first_lines_name_what_changed() {
    // Ten steps of an MPI_Allreduce; in B each step computes 2 ms in place of 1, and calls MPI_Barrier, too.
    let side = |setting: &str, work: u64, has_barrier: bool| {
        let one = |_| {
            let mut calls = Calls::default().defines(vec![Definition::Settings(vec![setting.into()])]);
            for step in 1..=10 {
                calls = calls.call(signature(0, Call::Allreduce, peer::NONE, 8, 8), step * work, 1_000);
                if has_barrier {
                    calls = calls.call(signature(0, Call::Barrier, peer::NONE, 0, 0), step * work + 1_000, 1_000);
                }
            }
            calls
        };
        made((0..2).map(one).collect(), 2).0
    };
    let (_, said) = diff(&[side("UCX_TLS=sm", 1_000_000, false)], &[side("UCX_TLS=tcp", 2_000_000, true)], &[]);
    let fact = |name: &str| said["run"][name].as_str().unwrap_or_else(|| panic!("{said:#}")).to_string();
    assert_eq!(fact("settings"), "A: UCX_TLS=sm; B: UCX_TLS=tcp");
    assert_eq!(fact("calls_of_b"), "MPI_Barrier at (not told apart) (20 calls)");
    assert!(fact("efficiency").contains(" % instead of "), "{said:#}");
    let rows = said["figures"].as_array().unwrap().iter();
    let gaps = rows.filter(|row| row["table"] == "computation" && row["figure"] == "time_mean_s");
    let gaps: Vec<(&str, u64, u64)> = gaps
        .map(|row| {
            let microseconds = |side: &str| (row[side].as_f64().unwrap() * 1e6).round() as u64;
            (row["row"].as_str().unwrap(), microseconds("a"), microseconds("b"))
        })
        .collect();
    assert!(gaps.contains(&("MPI_Allreduce at (not told apart) to the next", 8_991, 0)), "{gaps:?}");
    assert!(
        gaps.contains(&("MPI_Barrier at (not told apart) to MPI_Allreduce at (not told apart)", 0, 17_982)),
        "{gaps:?}"
    );
}
