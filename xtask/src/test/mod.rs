//! `cargo xtask test`: installs what tests need, builds, runs, and prints the times.

mod binaries;

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use clap::Args;
use examples::mpi::{self, Mpi};
use examples::python::Python;
use examples::wheel::run as done;
use examples::{browser, build, otf2, rota};

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
    /// Only the tests of what programs measure of themselves, under every MPI and transport
    #[arg(long)]
    measured: bool,
    /// One of several parts of the launches, such as 2/3; the first has all that needs no MPI
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// The tests that depend on the machine, with a recorder for aarch64 under qemu
    #[arg(long, conflicts_with_all = ["mpi", "all", "measured", "shard"])]
    aarch64: bool,
    /// Only tests whose names contain this, such as `hangs::` for those of a file
    name: Option<String>,
}

/// Tests of programs' own measurements. In a run of all tests they come last, while nothing runs beside them.
const MEASURED: [&str; 6] = ["collectives::", "cost::", "durations::", "fanout::", "network::", "overlap::"];

/// Tests of targets that take minutes to build; only a full run builds them.
const BUILT_APART: [&str; 3] = ["archive::", "linked_into_the_program", "python_package::"];

/// Groups of tests that take long, and show one thing in several ways. Of each group one test runs a day, in turns; all
/// run in a full run, with `--measured`, and if they are named.
const IN_TURNS: [&[&str]; 4] = [
    &[
        "collectives::what_nonblocking_operations_cost_and_hide_is_reconstructed",
        "fanout::round_trips_are_reconstructed",
        "overlap::overhead_and_availability_are_reconstructed",
    ],
    &[
        "collectives::the_times_of_blocking_operations_are_reconstructed",
        "durations::recorded_durations_are_those_the_program_measures",
        "network::the_times_of_exchanges_are_reconstructed",
    ],
    // Pages of large runs in the browser.
    &[
        "row_order::of_a_thousand_ranks_the_extremes_are_on_top",
        "row_shares::a_row_shows_the_shares_that_its_table_has",
        "row_shares::rows_that_stand_for_several_of_a_thousand_ranks",
        "follow::tables_of_a_part_of_a_long_run",
        "a_thousand_ranks_share_bars_and_places",
    ],
    // Thousands of simulated hosts.
    &[
        "hosts_that_share_a_slow_folder_agree",
        "hosts_that_ask_the_launcher_agree",
        "hosts_that_share_a_very_slow_folder_agree",
    ],
];

/// Parts of the names of tests whose turn is another day.
fn of_other_days(round: u64) -> Vec<&'static str> {
    let others = |group: &[&'static str]| -> Vec<&'static str> {
        let today = (round % group.len() as u64) as usize;
        group.iter().enumerate().filter(|(at, _)| *at != today).map(|(_, test)| *test).collect()
    };
    IN_TURNS.into_iter().flat_map(others).collect()
}

/// Installs the libraries, builds, and runs the tests.
pub fn run(arguments: &TestArgs) -> Result<(), String> {
    let mut stages = Stages::begin();
    let round = rota::round();
    let selection = arguments.selection(round)?;
    let launching = prepare(arguments, round)?;
    stages.end("bringing, and compiling what launches need");

    done(Command::new("sha256sum").arg(examples::run::library()))?;
    let mut variables = vec![(rota::ROUND, round.to_string())];
    variables.extend(arguments.mpi.clone().map(|names| ("TEST_MPI", names)));
    variables.extend(arguments.all.then(|| (rota::ALL, "1".to_string())));
    variables.extend(arguments.measured.then(|| (rota::MEASURED, "1".to_string())));
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
    }
    stages.print();
    let shard = arguments.shard.as_ref().map_or(String::new(), |shard| format!(", shard {shard}"));
    println!("round {round}{shard}: {}={round} takes the same libraries, pages and tests again", rota::ROUND);
    if arguments.has_turns() {
        println!("on another day, in turns: {}", of_other_days(round).join(", "));
    }
    outcome.print()
}

impl TestArgs {
    pub fn is_for_aarch64(&self) -> bool {
        self.aarch64
    }

    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn has_turns(&self) -> bool {
        !self.all && !self.measured && self.name.is_none()
    }

    fn selection(&self, round: u64) -> Result<Selection, String> {
        let mut skipped = if self.all { Vec::new() } else { BUILT_APART.to_vec() };
        if self.has_turns() {
            skipped.extend(of_other_days(round));
        }
        Ok(Selection {
            names: match (&self.name, self.measured) {
                (Some(name), _) => vec![name.clone()],
                (None, true) => MEASURED.map(String::from).into(),
                (None, false) => Vec::new(),
            },
            skipped: skipped.into_iter().map(String::from).collect(),
            shard: self.shard.as_deref().map(Shard::read).transpose()?,
        })
    }
}

/// Compiles the tests that launch nothing, in the order of their turns. Checks that the lists of tests name none that is gone.
fn build_others(arguments: &TestArgs, launching: &[Binary]) -> Result<Vec<Binary>, String> {
    let mut others = binaries::build_others(arguments.all)?;
    binaries::find(launching.iter().chain(&others), &IN_TURNS.concat())?;
    others.sort_by_key(Binary::turn);
    Ok(others)
}

/// Installs and builds in parallel: downloads wait for the network, and the recorder, a single codegen unit, keeps one
/// core busy. Returns the compiled tests that launch programs.
fn prepare(arguments: &TestArgs, round: u64) -> Result<Vec<Binary>, String> {
    let (tests, recorder, benchmarks) = thread::scope(|scope| {
        let recorder = scope.spawn(|| build_recorder(arguments.all));
        let benchmarks = scope.spawn(|| bring().and_then(|()| build_benchmarks(arguments, round)));
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

fn build_benchmarks(arguments: &TestArgs, round: u64) -> Result<(), String> {
    for library in with_benchmarks(arguments, round) {
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

/// Libraries for the programs in Rust: those that were asked for, or whose turn it is.
fn with_benchmarks(arguments: &TestArgs, round: u64) -> Vec<Mpi> {
    let libraries = Mpi::all_of(arguments.mpi.as_deref());
    if arguments.all || arguments.measured || arguments.mpi.is_some() {
        let names: BTreeSet<&str> = libraries.iter().map(|mpi| mpi.built_as).collect();
        return names.into_iter().filter_map(Mpi::named).collect();
    }
    rota::with_programs_in_rust(libraries, round)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_test_of_a_group_has_its_turn_within_as_many_days_as_there_are_in_it() {
        let all: BTreeSet<&str> = IN_TURNS.into_iter().flatten().copied().collect();
        let days = IN_TURNS.map(<[&str]>::len).into_iter().max().unwrap_or(0) as u64;
        let today = |round| all.difference(&of_other_days(round).into_iter().collect()).copied().collect::<Vec<_>>();
        assert!((0..days).all(|round| today(round).len() == IN_TURNS.len()));
        assert_eq!((0..days).flat_map(today).collect::<BTreeSet<_>>(), all);
    }
}
