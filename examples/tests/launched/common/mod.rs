//! Helpers of several tests.

#![allow(dead_code, unused_imports)]

pub mod agreement;

use std::fs;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::choice;
pub use examples::choice::one_at_most;
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::program::{Program, compile};
use examples::rota;
use examples::run::{Case, Output, Run, finish, library, overhear};
pub use examples::transport::transports;
use examples::{planted_waits, target, workspace};
use serde_json::json;
use traces::progress::{Entries, EntryRun, INSIDE};
use traces::read::{RankFile, ThreadPages, Visitor, walk};

/// Every installed MPI. Panics if there is none: a test that ran under nothing has shown nothing.
pub fn every_library() -> Vec<Mpi> {
    let libraries = Mpi::all();
    assert!(!libraries.is_empty(), "no MPI is here: run cargo xtask test, which brings them");
    libraries
}

/// One MPI, the same for all tests of a file; every MPI in a full run.
#[track_caller]
pub fn libraries() -> Vec<Mpi> {
    one_at_most(every_library(), key_of(Location::caller()))
}

fn key_of(test: &Location<'static>) -> &'static str {
    choice::key_of_file(test.file())
}

/// One suitable library; all of them in a full run. `that` describes them.
#[track_caller]
pub fn those(that: &str, fits: impl Fn(&Mpi) -> bool) -> Vec<Mpi> {
    let libraries: Vec<Mpi> = every_library().into_iter().filter(fits).collect();
    assert!(!libraries.is_empty(), "no MPI that is here, or that TEST_MPI names, {that}");
    one_at_most(libraries, key_of(Location::caller()))
}

/// One Open MPI and one other MPI; every MPI in a full run: for launchers, engines and errors, in which the
/// families differ.
#[track_caller]
pub fn both_families() -> Vec<Mpi> {
    match rota::is_all() {
        true => every_library(),
        false => two_of(Location::caller()),
    }
}

fn two_of(test: &Location<'static>) -> Vec<Mpi> {
    rota::one_of_each(every_library(), key_of(test), Mpi::is_openmpi)
}

/// Libraries that a program runs under.
#[track_caller]
pub fn that_run(program: &Program) -> Vec<Mpi> {
    those(&format!("runs {}", program.name), |mpi| program.runs_under(mpi))
}

/// A single library, for tests that do not depend on it.
pub fn one() -> Mpi {
    every_library().remove(0)
}

/// A single library that a program runs under; all of them in a full run.
pub fn one_that_runs(program: &Program) -> Vec<Mpi> {
    let fitting = every_library().into_iter().filter(|mpi| program.runs_under(mpi)).collect();
    one_at_most(fitting, &program.name)
}

/// One MPI; in a full run one Open MPI and one other, since launchers do not differ between versions of a
/// family.
#[track_caller]
pub fn two_families() -> Vec<Mpi> {
    match rota::is_all() {
        true => two_of(Location::caller()),
        false => one_at_most(every_library(), key_of(Location::caller())),
    }
}

/// Runs a test under each of these libraries. Panics if there are none.
pub fn under_each(libraries: &[Mpi], test: impl FnMut(&Mpi)) {
    assert!(!libraries.is_empty());
    libraries.iter().for_each(test);
}

/// Ten messages from rank 0 to rank 1, and more by the arguments.
pub fn quick<'a>(mpi: &'a Mpi, arguments: &[&str]) -> Case<'a> {
    case("quick", mpi, 2, arguments)
}

/// Calls of a function in all ranks.
pub fn calls(run: &Run, function: &str) -> u64 {
    run.report("rank").sum("rank_functions", "calls", &[("function", json!(function))])
}

/// overhear's own lines of stderr.
pub fn own_lines(output: &Output) -> Vec<&str> {
    output.stderr.lines().filter(|line| line.starts_with("overhear: ")).collect()
}

/// Runs the case behind the launcher: the ranks are `overhear record -- program`.
pub fn behind(case: &Case<'_>, folder: &Path) -> Output {
    let mut words = case.mpi.launch(case.ranks);
    words.extend([overhear().display().to_string(), "record".into(), "--dir".into(), folder.display().to_string()]);
    words.extend(["--".into(), case.path.display().to_string()]);
    words.extend(case.arguments.iter().cloned());
    run(case, &words)
}

/// Runs the case with the library preloaded by the launcher, without the command.
pub fn by_hand(case: &Case<'_>, here: &Path) -> Output {
    fs::create_dir_all(here).unwrap();
    let mut words = case.words();
    let preload = library().display().to_string();
    let set = match case.mpi.is_openmpi() {
        true => vec!["-x".to_string(), format!("LD_PRELOAD={preload}")],
        false => vec!["-genv".to_string(), "LD_PRELOAD".into(), preload],
    };
    words.splice(1..1, set);
    let mut command = command(case, &words);
    finish(command.current_dir(here))
}

/// Runs words in the case's environment.
pub fn run(case: &Case<'_>, words: &[String]) -> Output {
    finish(&mut command(case, words))
}

fn command(case: &Case<'_>, words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    case.prepare(&mut command);
    command
}

/// A program of `tests/programs` on `ranks` ranks.
pub fn case<'a>(name: &str, mpi: &'a Mpi, ranks: u32, arguments: &[&str]) -> Case<'a> {
    let source = workspace().join("examples/tests/programs").join(name).with_extension("c");
    let path: PathBuf = target().join("programs").join(mpi.built_as).join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    compile(mpi, &source, &path, &[]);
    let arguments = arguments.iter().map(|argument| argument.to_string()).collect();
    Case { mpi, path, arguments, ranks, variables: Vec::new() }
}

/// Libraries that the programs in Rust are built for.
pub fn with_programs_in_rust() -> Vec<Mpi> {
    match rota::is_all() || rota::is_measured() {
        true => every_library(),
        false => rota::with_programs_in_rust(every_library(), rota::rotation()),
    }
}

fn rust_program(name: &str, mpi: &Mpi) -> PathBuf {
    target().join("programs").join(mpi.built_as).join(name)
}

/// A program in Rust, built by cargo xtask for every library, on 4 ranks.
pub fn in_rust<'a>(name: &str, mpi: &'a Mpi) -> Case<'a> {
    let path = rust_program(name, mpi);
    assert!(path.exists(), "{} is not built: run cargo xtask test", path.display());
    Case { mpi, path, arguments: Vec::new(), ranks: 4, variables: Vec::new() }
}

/// A recorded run whose launcher reports the same failure as without the recorder. Now and then a launcher reports
/// instead how it killed another rank, or that it was told to abort: then both are run again.
pub fn failed_as_plain(case: &Case, name: &str) -> Run {
    let mut seen = Vec::new();
    for _ in 0..5 {
        let (plain, (recorded, run)) = (case.plain(), case.recorded(name));
        assert_ne!(recorded.status, 0, "{name} under {}: {}", case.mpi.name, recorded.stderr);
        if recorded.status == plain.status {
            return run;
        }
        seen.push((plain.status, recorded.status));
    }
    panic!("{name} under {}: statuses without and with the recorder: {seen:?}", case.mpi.name);
}

/// Entries into the progress engine, according to the records.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Turns {
    pub said: Entries,
    /// Productive entries with a time.
    pub placed: u64,
    /// For each call with entries: productive ones, and the number of runs they are recorded in.
    pub calls: Vec<(u64, u64)>,
    /// Begin of the last run of entries.
    pub last: Option<u64>,
}

impl Visitor for Turns {
    fn call(&mut self, _: u32, _: u64, _: u64) {}

    fn engine(&mut self, during: Entries) {
        self.said += during;
        self.calls.push((during.productive, 0));
    }

    fn productive(&mut self, run: &EntryRun) {
        self.placed += run.count;
        self.last = Some(run.start);
        self.calls.last_mut().expect("what is said of entries comes first").1 += 1;
    }
}

impl Turns {
    /// Reads a thread's records.
    pub fn of(thread: &ThreadPages<'_>) -> Turns {
        let mut turns = Turns::default();
        thread.pages.iter().for_each(|page| assert!(walk(page, &mut turns).is_ok()));
        turns
    }

    /// Entries in a run's records, and in its ledgers.
    pub fn of_run(run: &Run) -> (Turns, Entries) {
        let (mut all, mut ledger) = (Turns::default(), Entries::default());
        for file in run.files() {
            let file = RankFile::open(&file).unwrap();
            for thread in &file.contents().threads {
                let turns = Turns::of(thread);
                all.said += turns.said;
                all.placed += turns.placed;
                all.calls.extend(turns.calls);
                ledger += thread.block.unwrap().ledger[INSIDE].calls();
            }
        }
        (all, ledger)
    }
}

/// Attempts at a program: on a busy machine, ranks wait for the processor where nothing is planted.
pub const ATTEMPTS: usize = 3;

/// Runs a program that plants waits, with variables set, and returns a run in which they are found as stated.
pub fn assert_planted(program: &Program, mpi: &Mpi, variables: &[(&str, &str)]) -> Run {
    let _alone = alone();
    let case = variables.iter().fold(Case::of(program, mpi), |case, (name, value)| case.with(name, value));
    let record = || case.recorded(&format!("waits-{}", program.name));
    assert_as_planted(program, mpi, record(), record)
}

/// Repeats a recording until the planted waits are found. A program that plants nothing is fine the first time.
pub fn assert_as_planted(
    program: &Program,
    mpi: &Mpi,
    first: (Output, Run),
    mut again: impl FnMut() -> (Output, Run),
) -> Run {
    let (mut output, mut run) = first;
    if program.waits.is_empty() {
        return run;
    }
    let _alone = alone();
    let mut differences = Vec::new();
    for attempt in 1..=ATTEMPTS {
        assert_eq!(output.status, 0, "{} under {}: {}", program.name, mpi.name, output.stderr);
        differences = planted_waits::differences(program, &output.stderr, &run.ask("waits", &[]));
        if differences.is_empty() {
            return run;
        }
        if attempt < ATTEMPTS {
            (output, run) = again();
        }
    }
    panic!("{} under {}, the last of {ATTEMPTS} times:\n{}", program.name, mpi.name, differences.join("\n"));
}
