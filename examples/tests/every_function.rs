//! Every function of the table is called once under every MPI that has it, and returns and gives what it does without
//! the recorder, which counts it once.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::libraries;
use examples::conformance::source::{BY_MAIN, TRIED, callable, program};
use examples::mpi::Mpi;
use examples::program::compile;
use examples::run::{Case, Report, finish};
use examples::target;
use serde_json::Value;

/// Functions that end the process or never return, without any recorder: where, which, and why.
const CANNOT: &[List] = &[
    (
        &["mpich4", "mpich5", "mpich5abi", "impi", "impiabi"],
        &[
            "MPI_T_event_callback_get_info",
            "MPI_T_event_copy",
            "MPI_T_event_get_source",
            "MPI_T_event_get_timestamp",
            "MPI_T_event_handle_free",
            "MPI_T_event_handle_get_info",
            "MPI_T_event_read",
            "MPI_T_event_register_callback",
            "MPI_T_event_set_dropped_handler",
        ],
        "there is no event, and none that is given is looked into",
    ),
    (
        &["mpich4", "mpich5", "mpich5abi"],
        &["MPI_T_pvar_get_info", "MPI_T_pvar_handle_alloc", "MPI_T_pvar_handle_free"],
        "there is no performance variable, and the first is looked into",
    ),
    (
        &["mpich5abi"],
        &[
            "MPI_T_pvar_read",
            "MPI_T_pvar_readreset",
            "MPI_T_pvar_reset",
            "MPI_T_pvar_start",
            "MPI_T_pvar_stop",
            "MPI_T_pvar_write",
        ],
        "there is no performance variable, and MPI_T_PVAR_ALL_HANDLES is looked into",
    ),
    (&["mpich4", "impi", "impiabi"], &["MPI_Session_call_errhandler"], "it aborts whatever the error handler"),
    (&["mpich5"], &["MPI_Comm_accept", "MPI_Comm_connect"], "they never return where ranks share a host"),
    (
        &["impi", "impiabi"],
        &[
            "MPI_Close_port",
            "MPI_Comm_accept",
            "MPI_Comm_connect",
            "MPI_Comm_join",
            "MPI_Comm_spawn",
            "MPI_Comm_spawn_multiple",
            "MPI_Open_port",
        ],
        "dynamic processes end in SIGSEGV where the launcher has no name server",
    ),
];

/// Functions that are called in a run of their own, and why.
const APART: &[List] = &[(
    &["impi", "impiabi"],
    &[
        "MPI_Raccumulate",
        "MPI_Raccumulate_c",
        "MPI_Rget",
        "MPI_Rget_accumulate",
        "MPI_Rget_accumulate_c",
        "MPI_Rget_c",
        "MPI_Rput",
        "MPI_Rput_c",
    ],
    "they end in SIGSEGV when the request of a persistent collective call was freed before",
)];

/// Functions that seldom fail, with the recorder or without it: a child process is waited for, and a busy machine may be late.
const VARYING: &[&str] = &["MPI_Comm_spawn", "MPI_Comm_spawn_multiple"];

/// Libraries, functions, and a reason.
type List = (&'static [&'static str], &'static [&'static str], &'static str);

const RANKS: u32 = 2;

fn listed(lists: &[List], mpi: &Mpi) -> Vec<&'static str> {
    let here = lists.iter().filter(|(under, _, _)| under.contains(&mpi.name));
    here.flat_map(|(_, functions, _)| functions.iter().copied()).collect()
}

/// Writes the program and builds it. A library's functions are its own, so it gets a program of its own.
fn build(mpi: &Mpi) -> (PathBuf, Vec<String>) {
    let folder = target().join("programs").join(mpi.name);
    fs::create_dir_all(&folder).unwrap();
    let (source, path) = (folder.join("every_function.c"), folder.join("every_function"));
    let calls = callable(mpi);
    let text = program(&calls);
    if fs::read_to_string(&source).is_ok_and(|written| written == text) {
        return (path, calls.iter().map(|call| call.mpi_name()).collect());
    }
    fs::write(&source, text).unwrap();
    // Deprecated and removed functions are called too.
    compile(mpi, &source, &path, &["-Wno-deprecated-declarations".into(), "-Wno-unused".into()]);
    (path, calls.iter().map(|call| call.mpi_name()).collect())
}

/// One run of the program, with what each rank said of each function.
struct Tried {
    said: Vec<BTreeMap<String, String>>,
}

impl Tried {
    fn read(results: &Path) -> Tried {
        let rank = |rank: u32| {
            let text = fs::read_to_string(results.with_extension(rank.to_string())).unwrap_or_default();
            let said = text.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
            said.map(|(name, said)| (name.to_string(), said.to_string())).collect()
        };
        Tried { said: (0..RANKS).map(rank).collect() }
    }

    fn has(&self, function: &str) -> bool {
        self.said.iter().any(|said| said.contains_key(function))
    }

    /// Functions of which the ranks said something else, and what.
    fn differences(&self, other: &Tried) -> BTreeMap<String, String> {
        let mut differences = BTreeMap::new();
        for (rank, (mine, theirs)) in self.said.iter().zip(&other.said).enumerate() {
            let names = mine.keys().chain(theirs.keys().filter(|name| !mine.contains_key(*name)));
            let differing = names.filter(|name| mine.get(*name) != theirs.get(*name));
            differences.extend(differing.map(|name| {
                let said = format!("  without {:?}\n  with    {:?}", mine.get(name), theirs.get(name));
                (name.clone(), format!("rank {rank}: {name}\n{said}"))
            }));
        }
        differences
    }
}

fn case<'a>(mpi: &'a Mpi, path: &Path, how: &[&str], names: &[&str]) -> (Case<'a>, PathBuf) {
    let results = target().join("runs").join(format!("{}-functions", mpi.name));
    fs::create_dir_all(results.parent().unwrap()).unwrap();
    (0..RANKS).for_each(|rank| drop(fs::remove_file(results.with_extension(rank.to_string()))));
    let words = [results.to_str().unwrap()].into_iter().chain(how.iter().copied()).chain(names.iter().copied());
    let case =
        Case { mpi, path: path.into(), arguments: words.map(String::from).collect(), ranks: RANKS, variables: vec![] };
    (case.with("OVERHEAR_FILTER", "all"), results)
}

/// Runs the program with and without the recorder, and compares. Returns what was recorded.
fn same(mpi: &Mpi, path: &Path, how: &[&str], names: &[&str]) -> (Tried, Report) {
    let mut differences = BTreeMap::new();
    for _attempt in 0..3 {
        let (plain_case, results) = case(mpi, path, how, names);
        let plain = plain_case.plain();
        let without = Tried::read(&results);
        let (recorded_case, results) = case(mpi, path, how, names);
        let (recorded, run) = recorded_case.recorded("functions");
        let with = Tried::read(&results);
        differences = without.differences(&with);
        if differences.is_empty() {
            assert_eq!(plain.status, recorded.status, "{} {how:?}: {}", mpi.name, recorded.stderr);
            return (with, run.report("site"));
        }
        if !differences.keys().all(|name| VARYING.contains(&name.as_str())) {
            break;
        }
    }
    panic!("{} {how:?}:\n{}", mpi.name, differences.into_values().collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_function_does_what_it_does_without_the_recorder_and_is_counted_once() {
    for mpi in libraries() {
        let (path, functions) = build(&mpi);
        let (cannot, apart) = (listed(CANNOT, &mpi), listed(APART, &mpi));
        let left_out = |name: &&str| BY_MAIN.contains(name) || cannot.contains(name) || apart.contains(name);
        let together: Vec<&str> = functions.iter().map(String::as_str).filter(|name| !left_out(name)).collect();
        let runs = [("look", &together), ("ignore", &together), ("look", &apart)];
        for (statuses, names) in runs.into_iter().filter(|(_, names)| !names.is_empty()) {
            let (tried, report) = same(&mpi, &path, &["init", statuses], names);
            let missing: Vec<_> = names.iter().filter(|name| !tried.has(name)).collect();
            assert!(missing.is_empty(), "{}: nobody called {missing:?}", mpi.name);
            let all = names.iter().chain(&["MPI_Init", "MPI_Finalize"]);
            let counts = |name: &&&str| {
                let is_its_own = |row: &&Value| {
                    row["function"] == ***name && row["site"].as_str().is_some_and(|site| site.contains(TRIED))
                };
                let calls: u64 =
                    report.rows("sites").iter().filter(is_its_own).filter_map(|row| row["calls"].as_u64()).sum();
                let said = tried.said.iter().filter(|said| said.contains_key(**name)).count() as u64;
                (calls != said).then(|| format!("{name}: {calls} instead of {said}"))
            };
            let wrong: Vec<_> = all.filter_map(|name| counts(&name)).collect();
            assert!(wrong.is_empty(), "{} counts {wrong:#?}", mpi.name);
        }
    }
}

#[test]
fn initialising_with_threads_and_aborting_are_the_same_with_the_recorder() {
    for mpi in libraries() {
        let (path, _) = build(&mpi);
        let (threads, _) = same(&mpi, &path, &["init_thread", "look"], &["MPI_Barrier"]);
        assert!(threads.has("MPI_Init_thread") && threads.has("MPI_Barrier"), "{}", mpi.name);
        let run = |preload: bool| {
            let (case, results) = case(&mpi, &path, &["abort", "look"], &[]);
            let output = if preload { case.recorded("abort").0 } else { case.plain() };
            (output.status, Tried::read(&results).said)
        };
        assert_eq!(run(false), run(true), "{}", mpi.name);
    }
}

#[test]
fn what_cannot_be_called_ends_no_run_well_without_the_recorder_either() {
    for mpi in libraries() {
        let (path, _) = build(&mpi);
        for function in listed(CANNOT, &mpi) {
            let (case, _) = case(&mpi, &path, &["init", "look"], &[function]);
            let mut command = Command::new("timeout");
            command.args(["--kill-after=1", "5"]).args(case.words());
            case.prepare(&mut command);
            let output = finish(&mut command);
            assert_ne!(output.status, 0, "{}: {function} can be called after all", mpi.name);
        }
    }
}
