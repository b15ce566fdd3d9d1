//! Analyses reconstruct rounds from one rank to several others and back as programs measure them in the same run.

use crate::common::agreement::{Differences, agree, recorded, with_benchmarks, with_transports};
use crate::common::{both_families, case, in_rust, libraries};
use examples::answer::{Answer, number, whole};
use examples::loops::{Comparison, INTERVAL, LOOPS, LoopSizes, compare};
use examples::mpi::Mpi;
use examples::run::Case;
use serde_json::{Value, json};

/// Allowed difference of medians: a share, and seconds.
const APART: (f64, f64) = (0.05, 0.3e-6);
/// Rounds of each row, and earlier ones that the program does not count.
const ROUNDS: u64 = 41;
const FIRST: u64 = 4;

/// Names of the program's functions, and the analysis' names.
const FUNCTIONS: [(&str, &str); 3] = [("isend", "MPI_Isend"), ("issend", "MPI_Issend"), ("bcast", "MPI_Bcast")];

#[test]
fn round_trips_are_reconstructed_as_the_program_measures_them() {
    let mut ran = 0;
    for mpi in with_benchmarks() {
        // MPICH 4 over UCX often hangs in MPI_Finalize on more than two ranks, one of them spinning, recorded or not.
        for (way, variables) in
            with_transports(&mpi).into_iter().filter(|(way, _)| mpi.name != "mpich4" || *way == "default")
        {
            for ranks in [3, 4] {
                agree(&format!("{} over {way} on {ranks} ranks", mpi.name), || differences(&mpi, ranks, &variables));
                ran += 1;
            }
        }
    }
    assert!(ran > 0);
}

/// Rows with different medians.
fn differences(mpi: &Mpi, ranks: u32, variables: &[(&str, &str)]) -> Differences {
    let words = "--json --functions isend,issend,bcast --max-bytes 65536 --factor 256 --rounds";
    let words = words.split(' ').map(String::from).chain([ROUNDS.to_string()]).collect();
    let case = Case { arguments: words, ranks, ..in_rust("fan_out", mpi) };
    let (output, run) = recorded(case, variables, "fan_out");
    let measured: Value = serde_json::from_str(&output).unwrap();
    let said = run.ask("fanout", &[]);
    let rows = measured["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 9 * (ranks as usize - 1));
    rows.iter()
        .filter_map(|row| {
            Some((format!("{} {} {}", row["function"], row["ranks"], row["bytes"]), difference(row, &said)?))
        })
        .collect()
}

/// Describes the difference between a row of the program and the trace.
fn difference(measured: &Value, said: &Answer) -> Option<String> {
    let (_, function) = FUNCTIONS.iter().find(|(name, _)| measured["function"] == *name)?;
    let wanted = [
        ("way", json!("round_trip")),
        ("root_rank", json!(0)),
        ("function", json!(function)),
        ("size_bytes", measured["bytes"].clone()),
        ("ranks", measured["ranks"].clone()),
    ];
    let found = said.matching("rounds", &wanted);
    let [found] = found[..] else { panic!("{measured} is {found:#?}") };
    // Every round is found, even a disturbed one.
    assert_eq!((whole(found, "rounds"), whole(measured, "rounds")), (ROUNDS + FIRST, ROUNDS), "{found:#}");
    let [least, most] = ["median_least_s", "median_most_s"].map(|end| measured[end].as_f64());
    let median = number(measured, "median_s");
    // The trace includes the rounds before the program's own, so a median may be anywhere between those of the two
    // kinds.
    let nearest = number(found, "median_s").clamp(least.unwrap_or(median), most.unwrap_or(median));
    apart(nearest, found)
}

fn apart(program: f64, found: &Value) -> Option<String> {
    let trace = number(found, "median_s");
    let is_apart = (program - trace).abs() > APART.0 * program + APART.1;
    is_apart.then(|| format!("{trace} and not {program}"))
}

#[test]
fn what_is_got_from_several_ranks_takes_as_long_as_the_program_measures() {
    let mut ran = 0;
    for mpi in with_benchmarks() {
        agree(mpi.name, || got(&mpi));
        ran += 1;
    }
    assert!(ran > 0);
}

/// Rows of MPI_Get with different medians.
fn got(mpi: &Mpi) -> Differences {
    let words = "--json --functions get --max-bytes 65536 --factor 256 --rounds";
    let words = words.split(' ').map(String::from).chain([ROUNDS.to_string()]).collect();
    let case = Case { arguments: words, ranks: 3, ..in_rust("fan_out", mpi) };
    let (output, run) = recorded(case, &[], "fan_out-get");
    let measured: Value = serde_json::from_str(&output).unwrap();
    let said = run.ask("fanout", &["--rank", "0"]);
    let rows = measured["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3 * 2);
    let difference = |row: &Value| {
        let wanted =
            [("function", json!("MPI_Get")), ("size_bytes", row["bytes"].clone()), ("ranks", row["ranks"].clone())];
        let found = said.matching("one_sided", &wanted);
        let [found] = found[..] else { panic!("{row} is {found:#?}") };
        assert_eq!(whole(found, "rounds"), ROUNDS + FIRST, "{found:#}");
        Some((format!("{} {}", row["ranks"], row["bytes"]), apart(number(row, "median_s"), found)?))
    };
    rows.iter().filter_map(difference).collect()
}

#[test]
fn loops_of_one_sided_transfers_have_the_latency_and_bandwidth_that_they_print() {
    let loops = LOOPS.iter().find(|of| of.program == "osu_one_sided").unwrap();
    let sizes = LoopSizes { least: 1 << 10, most: 1 << 13, effort: 0.3 };
    let mut ran = 0;
    for mpi in both_families() {
        agree(mpi.name, || {
            // A loop's first hundredth is not in the printed latency, its first eleventh not in the mean: interruptions between count.
            let found = compare(loops, &mpi, &[], &sizes, 0).into_iter();
            let found = found.filter(|one| one.figure == INTERVAL || one.figure == "megabytes_a_second");
            let difference = |one: Comparison| {
                let Comparison { of, bytes, printed, said, .. } = &one;
                assert!(said.is_some(), "{one:?}");
                (!one.is_within()).then(|| (format!("{of} {bytes}"), format!("{said:?} and not {printed}")))
            };
            found.filter_map(difference).collect::<Differences>()
        });
        ran += 1;
    }
    assert!(ran > 0);
}

#[test]
fn other_shapes_of_the_same_are_found_and_the_planted_maverick_is_named() {
    let mut ran = 0;
    for mpi in libraries() {
        agree(mpi.name, || shapes(&mpi));
        ran += 1;
    }
    assert!(ran > 0);
}

/// Runs a program of another shape. Returns differences between its statements and the trace.
fn shapes(mpi: &Mpi) -> Differences {
    let (output, run) = case("fan_shapes", mpi, 4, &[]).recorded("fan_shapes");
    assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
    let said = run.ask("fanout", &[]);
    let functions = [
        ("persistent", "MPI_Startall"),
        ("probing", "MPI_Ssend"),
        ("collective", "MPI_Scatter"),
        ("turns", "MPI_Sendrecv"),
    ];
    let mut differences = Differences::new();
    let mut ran = 0;
    for line in output.stderr.lines().filter_map(|line| line.strip_prefix("truth: ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let [shape, ranks, rounds, "=", median] = words[..] else { panic!("{line}") };
        let (_, function) = functions.iter().find(|(name, _)| *name == shape).unwrap();
        let found = said.matching("rounds", &[("function", json!(function)), ("root_rank", json!(3))]);
        let of: u64 = found.iter().map(|row| whole(row, "rounds")).sum();
        assert_eq!(of, rounds.parse::<u64>().unwrap(), "{} {shape}: {found:#?}", mpi.name);
        assert!(
            found.iter().all(|row| row["ranks"] == ranks.parse::<u64>().unwrap() && row["size_bytes"] == 512),
            "{found:#?}"
        );
        let [found] = found[..] else { panic!("{shape}: {found:#?}") };
        differences.extend(apart(median.parse().unwrap(), found).map(|how| (shape.to_string(), how)));
        ran += 1;
    }
    assert_eq!(ran, 4, "{}", output.stderr);
    let late = said.matching("mavericks", &[("function", json!("MPI_Startall")), ("round", json!(7))]);
    // If others are as late, none is a maverick.
    match late[..] {
        [late] => assert!(late["last_rank"] == 0 && number(late, "round_s") >= 0.03, "{late:#}"),
        _ => drop(differences.insert("maverick".into(), format!("{late:#?}"))),
    }
    differences
}
