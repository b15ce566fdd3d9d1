//! `cargo xtask test`: brings what tests need, builds, runs, and says what took how long.

mod binaries;
mod stages;

use std::collections::BTreeSet;
use std::process::Command;
use std::thread;

use clap::Args;
use examples::mpi::{self, Mpi};
use examples::python::Python;
use examples::wheel::run as done;
use examples::{browser, otf2, rota};

use crate::{archive, build};
use binaries::Outcome;
use stages::Stages;

/// Which tests are run, and under what.
#[derive(Args)]
pub struct TestArgs {
    /// Only under these MPIs, as ompi4,mpich5, and under all of them
    #[arg(long)]
    mpi: Option<String>,
    /// Every test under every MPI, with Polars, the archive and the Python module: hours where nothing takes turns
    #[arg(long)]
    all: bool,
    /// What programs measure of themselves, under every MPI and transport
    #[arg(long)]
    measured: bool,
    /// One of several parts of the launches, as 2/3; the first has all that needs no MPI
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Only tests whose names contain this, as `hangs::` for those of a file
    name: Option<String>,
}

/// Tests that compare what programs measure of themselves.
const MEASURED: [&str; 6] = ["collectives::", "cost::", "durations::", "fanout::", "model::", "overlap::"];

/// Tests of what takes minutes to build, which is built where all is tested.
const BUILT_APART: [&str; 3] = ["archive::", "linked_into_the_program", "python_package::"];

/// Brings the libraries, builds, and runs the tests.
pub fn run(arguments: &TestArgs) -> Result<(), String> {
    let mut stages = Stages::begin();
    let is_all = arguments.all;
    // Downloads wait for the network, and the compiler for nobody.
    let binaries = thread::scope(|scope| {
        let brought = scope.spawn(bring);
        let built = binaries::build(is_all);
        brought.join().map_err(|_| "bringing what is needed failed")??;
        built
    })?;
    stages.end("bringing and compiling");
    build::library()?;
    build::put_together("debug", "overhear")?;
    if is_all {
        build::python_module()?;
        archive::make()?;
    }
    let round = rota::round();
    for library in with_benchmarks(arguments, round) {
        build::benchmarks(&library)?;
    }
    stages.end("building what is tested");

    println!("round {round}: {}={round} cargo xtask test takes the same libraries again", rota::ROUND);
    done(Command::new("sha256sum").arg(examples::run::library()))?;
    let mut variables = vec![(rota::ROUND, round.to_string())];
    variables.extend(arguments.mpi.clone().map(|names| ("TEST_MPI", names)));
    variables.extend(is_all.then(|| (rota::ALL, "1".to_string())));
    variables.extend(arguments.measured.then(|| (rota::MEASURED, "1".to_string())));
    let selection = binaries::Selection {
        names: match (&arguments.name, arguments.measured) {
            (Some(name), _) => vec![name.clone()],
            (None, true) => MEASURED.map(String::from).into(),
            (None, false) => Vec::new(),
        },
        skipped: if is_all { Vec::new() } else { BUILT_APART.map(String::from).into() },
        shard: arguments.shard.as_deref().map(binaries::Shard::read).transpose()?,
    };
    let mut outcome = Outcome::default();
    for binary in &binaries {
        outcome.add(binary.run(&selection, &variables)?);
    }
    stages.end("tests");
    stages.print();
    outcome.print()
}

/// Brings the libraries and all else that is not compiled here.
fn bring() -> Result<(), String> {
    mpi::install_all()?;
    mpi::install_libclang()?;
    Python::install_all()?;
    browser::install()?;
    otf2::install()
}

/// The libraries that programs in Rust are built for: those whose turn it is, or that were asked for.
fn with_benchmarks(arguments: &TestArgs, round: u64) -> Vec<Mpi> {
    let libraries = Mpi::all_of(arguments.mpi.as_deref());
    if arguments.all || arguments.measured || arguments.mpi.is_some() {
        let names: BTreeSet<&str> = libraries.iter().map(|mpi| mpi.built_as).collect();
        return names.into_iter().filter_map(Mpi::named).collect();
    }
    rota::with_programs_in_rust(libraries, round)
}
