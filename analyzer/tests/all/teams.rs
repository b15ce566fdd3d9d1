//! Parallel regions of OpenMP in runs made by hand.

use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{Definition, Module, Site};
use traces::file::{FileHeader, WITH_TEAMS};
use traces::signature::peer;
use traces::teams::{MOST_REGIONS, MOST_THREADS, OpenTeam, Teams};
use traces::write::{FileWriter, blank_block, call};

use crate::common::{BEGIN, Folder, definitions, header, overhear, signature, stdout};

const MILLISECOND: u64 = 1_000_000;

/// A rank of 100 ms with four threads: 40 ms in a region in which they work 40, 20, 20 and 20 ms, with 4 ms in barriers;
/// 20 ms in a barrier of MPI; and 10 ms in a region with 5 ms of MPI, and 20 ms in one with tasks.
pub fn one_rank() -> Folder {
    let at = |milliseconds: u64| BEGIN + milliseconds * MILLISECOND;
    let region = |from: u64, until: u64, site: u64| Teams {
        start: at(from),
        end: at(until),
        count: 1,
        site,
        threads: 4,
        inside: (until - from) * MILLISECOND,
        ..Teams::default()
    };
    let uneven = Teams {
        work: 96 * MILLISECOND,
        longest: 40 * MILLISECOND,
        own: 40 * MILLISECOND,
        barriers: 4 * MILLISECOND,
        ..region(0, 40, 1)
    };
    let calling = Teams { work: 40 * MILLISECOND, longest: 10 * MILLISECOND, ..region(60, 70, 2) };
    let with_tasks = Teams { unknown: 1, ..region(70, 90, 3) };
    let (mut words, last) = (Vec::from(uneven.words(BEGIN)), BEGIN);
    let last = call(&mut words, last, 1, at(40), 20 * MILLISECOND);
    words.extend(OpenTeam { start: at(60), site: 2 }.words(last));
    let last = call(&mut words, last, 1, at(62), 5 * MILLISECOND);
    words.extend(calling.words(last));
    words.extend(with_tasks.words(last));
    call(&mut words, last, 1, at(99), MILLISECOND);
    of_words(&words)
}

/// A run of one rank with these records.
fn of_words(words: &[u64]) -> Folder {
    let folder = Folder::new();
    let mut file =
        FileWriter::begin(Vec::new(), FileHeader { version: WITH_TEAMS, ..header(0, 1) }).expect("memory has room");
    file.thread(0, &blank_block()).unwrap();
    file.definitions(&definitions(1, 0)).unwrap();
    let module = Module { number: 1, path: "/opt/app".into(), build_id: vec![] };
    let site = |number| Definition::Site(Site { number, module: 1, offset: u64::from(number) });
    file.definitions(&[Definition::Module(module), site(1), site(2), site(3)]).unwrap();
    file.signatures(0, 0, &[signature(1, Call::Barrier, peer::NONE, 0, 0)]).unwrap();
    file.events(0, 0, BEGIN, words).unwrap();
    folder.write("rank-0000.ovh", &file.into_inner());
    folder
}

fn close(row: &Value, key: &str, expected: f64) {
    let found = row[key].as_f64().unwrap_or_else(|| panic!("{key} of {row}"));
    assert!((found - expected).abs() < 0.01 * expected.max(1e-6), "{key}: {found}, not {expected}");
}

#[test]
fn regions_idle_threads_and_efficiencies_are_those_of_the_records() {
    let folder = one_rank();
    let output = overhear("teams", &folder.0, &["--whole", "--format", "json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let of_rank = &report["leaders"][0];
    close(of_rank, "regions_s", 0.070);
    close(of_rank, "mpi_s", 0.021);
    close(of_rank, "mpi_in_regions_s", 0.005);
    let regions = report["parallel_regions"].as_array().unwrap();
    let of = |milliseconds: f64| {
        let is_it = |row: &&Value| (row["time_mean_s"].as_f64().unwrap() - milliseconds / 1e3).abs() < 1e-6;
        regions.iter().find(is_it).unwrap_or_else(|| panic!("{report}"))
    };
    close(of(40.0), "imbalance_mean_s", 0.016);
    close(of(40.0), "barriers_mean_s", 0.004);
    close(of(40.0), "idle_mean_s", 0.060);
    assert_eq!((&of(20.0)["work_mean_s"], &of(20.0)["unknown_regions"]), (&Value::Null, &Value::from(1)));
    let idle = report["idle_threads"].as_array().unwrap();
    let in_mpi: f64 =
        idle.iter().filter(|row| row["function"] == "MPI_Barrier").filter_map(|row| row["idle_mean_s"].as_f64()).sum();
    assert!((in_mpi - 3.0 * 0.021).abs() < 1e-4, "{in_mpi}");
    // Parallel efficiency is the product of its factors.
    let rows = report["hybrid_efficiencies"].as_array().unwrap();
    let factors: Vec<f64> = rows.iter().map(|row| row["efficiency_percent"].as_f64().unwrap() / 100.0).collect();
    let [all, mpi, openmp, balance, scheduling, serialization] = factors[..] else { panic!("{report}") };
    assert!(
        (all - mpi * openmp).abs() < 1e-6 && (openmp - balance * scheduling * serialization).abs() < 1e-6,
        "{report}"
    );
    assert!(report["warnings"].to_string().contains("unknown of 1 regions"), "{report}");
}

#[test]
fn a_run_without_openmp_says_so() {
    let output = overhear("teams", &crate::common::two_ranks().0, &[]);
    assert!(stdout(&output).contains("no parallel region of OpenMP was recorded"), "{output:?}");
}

#[test]
fn sums_that_no_run_has_are_printed_and_nothing_ends_for_them() {
    let wild = [0, 1, u64::MAX];
    let mut ran = 0;
    for (count, threads, unknown) in [(0, 0, 0), (1, 0, 7), (u64::MAX, u64::MAX, u64::MAX), (3, 2, 0)] {
        for sum in wild {
            let teams = Teams {
                start: BEGIN,
                end: BEGIN.wrapping_add(sum),
                count: count & MOST_REGIONS,
                site: sum & 3,
                threads: threads & MOST_THREADS,
                unknown: unknown & MOST_REGIONS,
                inside: sum,
                work: u64::MAX,
                longest: sum,
                own: u64::MAX,
                barriers: sum,
                locks: u64::MAX,
            };
            let folder = of_words(&[Vec::from(teams.words(BEGIN)), Vec::from(teams.words(BEGIN))].concat());
            for command in ["teams", "report", "diagnose"] {
                let output = overhear(command, &folder.0, &["--format", "json"]);
                assert!(serde_json::from_slice::<Value>(&output.stdout).is_ok(), "{command}: {teams:?}: {output:?}");
            }
            ran += 1;
        }
    }
    assert_eq!(ran, 12);
}

/// A rank of a second with so many threads: half a second in a region in which they work so many milliseconds together, the longest so
/// many, and then so many milliseconds in MPI, in a region or not.
fn findings(threads: u64, [work, longest, in_mpi]: [u64; 3], is_in_region: bool) -> Vec<Value> {
    let at = |milliseconds: u64| BEGIN + milliseconds * MILLISECOND;
    let region = |from: u64, until: u64| Teams {
        start: at(from),
        end: at(until),
        count: 1,
        site: 1,
        threads,
        inside: (until - from) * MILLISECOND,
        work: work * MILLISECOND,
        longest: longest * MILLISECOND,
        ..Teams::default()
    };
    let (mut words, mut last) = (Vec::from(region(0, 500).words(BEGIN)), BEGIN);
    if is_in_region {
        words.extend(OpenTeam { start: at(500), site: 1 }.words(last));
    }
    last = call(&mut words, last, 1, at(501), in_mpi * MILLISECOND);
    if is_in_region {
        words.extend(Teams { work: 0, longest: 0, ..region(500, 502 + in_mpi) }.words(last));
    }
    call(&mut words, last, 1, at(999), MILLISECOND / 1000);
    let output = overhear("diagnose", &of_words(&words).0, &["--no-cache", "--format", "json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    report["findings"].as_array().unwrap().clone()
}

#[test]
fn threads_that_idle_while_their_leader_is_in_mpi_and_uneven_regions_are_found() {
    let cases = [
        (
            "idle for three quarters of 300 ms",
            (4, [2000, 500, 300], false),
            Some("23 % of the 4 cores of each rank idle while thread 0 is in MPI_Barrier"),
            None,
        ),
        ("less than a tenth of the cores", (4, [2000, 500, 100], false), None, None),
        ("the others may work meanwhile", (4, [2000, 500, 300], true), None, None),
        ("nobody else is there", (1, [500, 500, 300], false), None, None),
        ("one works for 400 ms, all for 250 ms on average", (4, [1000, 400, 10], false), None, Some(0.150)),
        ("too little to be told", (4, [1000, 265, 10], false), None, None),
    ];
    for (case, (threads, times, is_in_region), idle, uneven) in cases {
        let found = findings(threads, times, is_in_region);
        let of = |kind: &str| found.iter().find(|row| row["kind"] == kind);
        let headline = of("idle_threads").map(|row| row["headline"].as_str().unwrap().to_string());
        assert_eq!(headline.is_some(), idle.is_some(), "{case}: {found:?}");
        if let (Some(headline), Some(idle)) = (headline, idle) {
            assert!(headline.starts_with(idle), "{case}: {headline}");
        }
        let cost = of("uneven_region").map(|row| row["at_most_s"].as_f64().unwrap());
        assert_eq!(cost.is_some(), uneven.is_some(), "{case}: {found:?}");
        if let (Some(cost), Some(uneven)) = (cost, uneven) {
            assert!((cost - uneven).abs() < 1e-3, "{case}: {cost}");
        }
    }
}
