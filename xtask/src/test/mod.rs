//! `cargo xtask test`: installs what tests need, builds, runs, and prints the times.

mod binaries;

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use clap::Args;
use examples::mpi::{self, Mpi};
use examples::program::Program;
use examples::python::Python;
use examples::wheel::run as done;
use examples::{browser, build, choice, otf2, rota, slurm};

use crate::archive;
use binaries::{Binary, Outcome, Ran, Selection, Shard, Stages};

/// Which tests run, and under which MPIs.
#[derive(Args)]
pub struct TestArgs {
    /// Only under these MPIs, such as ompi4,mpich5, and under all of them
    #[arg(long)]
    mpi: Option<String>,
    /// Every test under every MPI, with Polars, the archive and the Python module; takes hours
    #[arg(long)]
    all: bool,
    /// Other libraries and cases than the gate's; seven rotations take all
    #[arg(long, default_value_t = 0, value_name = "N", conflicts_with_all = ["mpi", "all", "measured"])]
    rotation: usize,
    /// Print the tests that would run, and the libraries that they prefer
    #[arg(long)]
    list: bool,
    /// Only the tests of what programs measure of themselves, under every MPI and transport
    #[arg(long)]
    measured: bool,
    /// One of several parts of the launches, such as 2/3; the first has all that needs no MPI
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// The tests that depend on the machine, with a recorder for aarch64 under qemu
    #[arg(long, conflicts_with_all = ["mpi", "all", "measured", "shard", "rotation", "list"])]
    aarch64: bool,
    /// Only tests whose names contain this, such as `hangs::` for those of a file
    name: Option<String>,
}

/// Tests of programs' own measurements. In a run of all tests they come last, while nothing runs beside them.
const MEASURED: [&str; 6] = ["collectives::", "cost::", "durations::", "fanout::", "network::", "overlap::"];

/// Tests of targets that take minutes to build; only a full run builds them.
const BUILT_APART: [&str; 3] = ["archive::", "linked_into_the_program", "python_package::"];

/// Groups of tests that take long, and show one thing in several ways. Of each group one test runs, the first in the
/// gate; all run in a full run, with `--measured`, and if they are named.
const ALTERNATIVES: [&[&str]; 4] = [
    // The first compares most figures.
    &[
        "collectives::what_nonblocking_operations_cost_and_hide_is_reconstructed",
        "overlap::overhead_and_availability_are_reconstructed",
        "fanout::round_trips_are_reconstructed",
    ],
    // Every other figure rests on the durations.
    &[
        "durations::recorded_durations_are_those_the_program_measures",
        "collectives::the_times_of_blocking_operations_are_reconstructed",
        "network::the_times_of_exchanges_are_reconstructed",
    ],
    // Pages of large runs in the browser. The first compares tables that the page computes with the command's.
    &[
        "follow::tables_of_a_part_of_a_long_run",
        "row_order::of_a_thousand_ranks_the_extremes_are_on_top",
        "row_shares::a_row_shows_the_shares_that_its_table_has",
        "row_shares::rows_that_stand_for_several_of_a_thousand_ranks",
        "a_thousand_ranks_share_bars_and_places",
    ],
    // Thousands of simulated hosts. Clusters share a slow folder.
    &[
        "hosts_that_share_a_slow_folder_agree",
        "hosts_that_ask_the_launcher_agree",
        "hosts_that_share_a_very_slow_folder_agree",
    ],
];

/// Parts of the names of tests that other rotations run.
fn of_other_rotations(rotation: usize) -> Vec<&'static str> {
    let mut others = Vec::new();
    for group in ALTERNATIVES {
        let own = rotation % group.len();
        others.extend(group.iter().enumerate().filter(|(at, _)| *at != own).map(|(_, test)| *test));
    }
    others
}

/// Installs the libraries, builds, and runs the tests.
pub fn run(arguments: &TestArgs) -> Result<(), String> {
    let mut stages = Stages::begin();
    let selection = arguments.selection()?;
    let variables = arguments.variables();
    if arguments.list {
        return list(arguments, &selection, &variables);
    }
    let launching = prepare(arguments)?;
    stages.end("bringing, and compiling what launches need");

    done(Command::new("sha256sum").arg(examples::run::library()))?;
    let run_launching = |selection: &Selection| -> Result<Vec<Ran>, String> {
        launching.iter().map(|binary| binary.run(selection, &variables)).collect()
    };
    let measures_alone = selection.names.is_empty();
    let launched_beside = if measures_alone { selection.without(&MEASURED) } else { selection.clone() };
    let others = OnceLock::new();
    let next = AtomicUsize::new(0);
    let run_others = || -> Result<Vec<Ran>, String> {
        let others: &Vec<Binary> = others.wait();
        let mut ran = Vec::new();
        while let Some(binary) = others.get(next.fetch_add(1, Relaxed)) {
            ran.push(binary.run(&selection, &variables)?);
        }
        Ok(ran)
    };
    // The other tests are compiled and run on cores that launches leave idle.
    let (launched, analyzed) = thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let built = build_others(arguments, &launching);
            let is_built = built.as_ref().map(|_| ()).map_err(String::clone);
            others.get_or_init(|| built.unwrap_or_default());
            is_built.and_then(|()| run_others())
        });
        // Once all programs were launched, two of the other files run at a time.
        let launched = run_launching(&launched_beside)
            .and_then(|ran| Ok(ran.into_iter().chain(run_others()?).collect::<Vec<_>>()));
        (launched, beside.join().unwrap_or_else(|_| Err("the tests beside the launches panicked".into())))
    });
    let mut outcome = Outcome::default();
    for ran in launched?.into_iter().chain(analyzed?) {
        outcome.add(ran);
    }
    stages.end("compiling and running tests");
    if measures_alone {
        for ran in run_launching(&selection.only(&MEASURED))? {
            outcome.add(ran);
        }
        stages.end("measuring tests");
        let all: Vec<&Binary> = launching.iter().chain(others.wait()).collect();
        outcome.try_again(&all, &variables)?;
    }
    stages.print();
    if arguments.is_rotation() {
        let others = of_other_rotations(arguments.rotation).join(", ");
        println!("rotation {}; other rotations take other libraries and cases, and: {others}", arguments.rotation);
    }
    if let Some(reason) = slurm::missing() {
        println!("no ways under Slurm were tried: {reason}");
    }
    outcome.print()
}

/// Prints each test that would run. Behind those that launch stand the libraries: a program's, and those that a file's tests
/// prefer, the first first.
fn list(arguments: &TestArgs, selection: &Selection, variables: &[(&str, String)]) -> Result<(), String> {
    let mut lines = Vec::new();
    for binary in binaries::build_all(arguments.all)? {
        for test in binary.selected(selection, variables)? {
            lines.push(format!("{} {test}{}", binary.title, of_test(&binary.title, &test, arguments)));
        }
    }
    lines.sort();
    for line in lines {
        println!("{line}");
    }
    Ok(())
}

impl TestArgs {
    pub fn is_for_aarch64(&self) -> bool {
        self.aarch64
    }

    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// True unless the user chose tests.
    fn is_rotation(&self) -> bool {
        !self.all && !self.measured && self.name.is_none()
    }

    /// Variables of the tests: what runs depends on the arguments alone.
    fn variables(&self) -> Vec<(&'static str, String)> {
        let is = |chosen: bool| if chosen { "1".to_string() } else { String::new() };
        vec![
            (rota::ROTATION, self.rotation.to_string()),
            (rota::LIBRARIES, self.mpi.clone().unwrap_or_default()),
            (rota::ALL, is(self.all)),
            (rota::MEASURED, is(self.measured)),
            (rota::TESTS, String::new()),
        ]
    }

    fn selection(&self) -> Result<Selection, String> {
        let mut skipped = if self.all { Vec::new() } else { BUILT_APART.to_vec() };
        if self.is_rotation() {
            skipped.extend(of_other_rotations(self.rotation));
        }
        Ok(Selection {
            names: match (&self.name, self.measured) {
                (Some(name), _) => vec![name.clone()],
                (None, true) => MEASURED.map(String::from).into(),
                (None, false) => Vec::new(),
            },
            skipped: skipped.into_iter().map(String::from).collect(),
            shard: self.shard.as_deref().map(Shard::read).transpose()?,
            exact: None,
        })
    }
}

/// The libraries behind a test in the list.
fn of_test(title: &str, test: &str, arguments: &TestArgs) -> String {
    let installed = Mpi::all_of(arguments.mpi.as_deref());
    let libraries = match title {
        "examples/tests/programs" => {
            let all = arguments.all || arguments.mpi.is_some();
            choice::of_program(&Program::read(program_of(test)), installed, (!all).then_some(arguments.rotation))
        }
        "examples/tests/launched" => {
            choice::of_file(test.split("::").next().unwrap_or(test), installed, arguments.rotation)
        }
        _ => Vec::new(),
    };
    libraries.iter().map(|mpi| format!(" {}", mpi.name)).collect()
}

/// The program that a test of `examples/tests/programs.rs` is named after.
fn program_of(test: &str) -> &str {
    let of_profile = || test.strip_prefix("a_profile_says_what_")?.strip_suffix("_states");
    test.strip_suffix("_is_recorded_as_it_states").or_else(of_profile).unwrap_or(test)
}

/// Compiles the tests that launch nothing, in the order of their turns. Checks that the lists of tests name none that is gone.
fn build_others(arguments: &TestArgs, launching: &[Binary]) -> Result<Vec<Binary>, String> {
    let mut others = binaries::build_others(arguments.all)?;
    binaries::find(launching.iter().chain(&others), &ALTERNATIVES.concat())?;
    others.sort_by_key(Binary::turn);
    Ok(others)
}

/// Installs and builds in parallel: downloads wait for the network, and the recorder, a single codegen unit, keeps one
/// core busy. Returns the compiled tests that launch programs.
fn prepare(arguments: &TestArgs) -> Result<Vec<Binary>, String> {
    let (tests, recorder, benchmarks) = thread::scope(|scope| {
        let recorder = scope.spawn(|| build_recorder(arguments.all));
        let benchmarks = scope.spawn(|| bring().and_then(|()| build_benchmarks(arguments)));
        let tests = binaries::build_launching(arguments.all);
        let panicked = || Err("a build panicked".to_string());
        (tests, recorder.join().unwrap_or_else(|_| panicked()), benchmarks.join().unwrap_or_else(|_| panicked()))
    });
    recorder?;
    benchmarks?;
    build::put_together("debug", "overhear")?;
    tests
}

fn build_recorder(is_all: bool) -> Result<(), String> {
    build::library()?;
    if is_all {
        build::python_module()?;
        archive::make()?;
    }
    Ok(())
}

fn build_benchmarks(arguments: &TestArgs) -> Result<(), String> {
    for library in with_benchmarks(arguments) {
        build::benchmarks(&library)?;
    }
    Ok(())
}

/// Installs the libraries and all other requirements.
fn bring() -> Result<(), String> {
    mpi::install_all()?;
    mpi::install_libclang()?;
    Python::install_all()?;
    browser::install()?;
    otf2::install()
}

/// Libraries for the programs in Rust.
fn with_benchmarks(arguments: &TestArgs) -> Vec<Mpi> {
    let libraries = Mpi::all_of(arguments.mpi.as_deref());
    if arguments.all || arguments.measured || arguments.mpi.is_some() {
        let names: BTreeSet<&str> = libraries.iter().map(|mpi| mpi.built_as).collect();
        return names.into_iter().filter_map(Mpi::named).collect();
    }
    rota::with_programs_in_rust(libraries, arguments.rotation)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn one_test_of_each_group_runs_and_each_in_some_rotation() {
        let all: BTreeSet<&str> = ALTERNATIVES.into_iter().flatten().copied().collect();
        let rotations = ALTERNATIVES.map(<[&str]>::len).into_iter().max().unwrap_or(0);
        let taken =
            |rotation| all.difference(&of_other_rotations(rotation).into_iter().collect()).copied().collect::<Vec<_>>();
        assert!((0..rotations).all(|rotation| taken(rotation).len() == ALTERNATIVES.len()));
        assert_eq!((0..rotations).flat_map(taken).collect::<BTreeSet<_>>(), all);
    }
}
