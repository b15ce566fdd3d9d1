//! `cargo xtask`: builds, tests, checks and packages. Each command does all its own set-up.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! aarch64 abi_errors damage dist engine fixtures golden memcheck mutants races slurm tables test wheel
//! test/binaries mutants/trials
//! mutants/copied_workspace
//! mutants/written_mutations
//! mutants/places
//! dist/licences dist/tried
//! archive portable
//! ```

mod aarch64;
mod abi_errors;
mod archive;
mod damage;
mod dist;
mod engine;
mod fixtures;
mod golden;
mod memcheck;
mod mutants;
mod portable;
mod races;
mod slurm;
mod tables;
mod test;
mod wheel;

use std::process::ExitCode;

use clap::Parser;
use examples::{build, mpi};

/// Builds, tests and packages the profiler. Each command installs all it needs.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Build what tests run, into target/tested/
    Build {
        /// Make liboverhear.a instead, for programs that are linked statically with MPI
        #[arg(long)]
        archive: bool,
    },
    /// Run the tests: MPIs come from PyPI to target/, and from Debian by apt if run as root
    Test(test::TestArgs),
    /// Record again the runs that the analyses are tested with, analyzer/tests/fixtures
    Fixtures {
        /// Only under these MPIs, such as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
        /// The two runs in traces/samples instead
        #[arg(long, conflicts_with_all = ["mpi", "name"])]
        samples: bool,
        /// Only programs whose names contain this
        name: Option<String>,
    },
    /// Show how golden files differ from what tests saw last, and accept those named
    Golden {
        /// Ends of the paths of files to accept, such as both/diff.txt
        names: Vec<String>,
    },
    /// Damage recorded runs at random and run every analysis on them
    Damage {
        /// Number of damaged runs
        #[arg(long, default_value_t = 20_000)]
        runs: u64,
        /// Seed of the first one
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
    /// Plant errors into the analyses, all in one build, and list those that no test without MPI notices
    Mutants {
        /// Number of errors, about
        #[arg(long, default_value_t = 200)]
        count: usize,
        /// Seed that chooses them
        #[arg(long, default_value_t = 0)]
        seed: usize,
        /// Plant errors into the recorder's tables of ABIs instead; the tests of every rotation must notice
        #[arg(long, conflicts_with_all = ["count", "seed"])]
        abi: bool,
    },
    /// Run the example programs under valgrind's memcheck and list the errors that are ours
    Memcheck {
        /// Only under these MPIs, such as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
        /// Only programs whose names contain this
        name: Option<String>,
    },
    /// Run programs with threads under ThreadSanitizer and list the data races that are ours
    Races,
    /// Test the recorder's tables with threads in all orders, by loom, and under valgrind
    Tables,
    /// Record in every way under a real Slurm of two nodes on this machine, which root installs and starts
    Slurm,
    /// Test the SQL for engines on recorded runs, by DuckDB
    Engine {
        /// By Sail, too, with several workers, through overhear --engine
        #[arg(long)]
        sail: bool,
        /// By Apache Spark in the same way
        #[arg(long)]
        spark: bool,
    },
    /// Make the Python wheel, target/wheels/: the module, and the command with the recorder in it
    Wheel {
        /// Leave Polars out: no `overhear query`, and minutes less to build
        #[arg(long)]
        without_polars: bool,
        /// Install it into a fresh environment, record a program of mpi4py there, and read the run
        #[arg(long = "try")]
        is_tried: bool,
    },
    /// Make the archive, target/dist/: command, library, manual pages, completions, guide, licences
    Dist {
        /// Leave Polars out: no `overhear query`, and minutes less to build
        #[arg(long)]
        without_polars: bool,
        /// Unpack it in a Debian 11 of its own, without Rust, and record and report there; as root
        #[arg(long = "try")]
        is_tried: bool,
    },
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Build { archive: false } => mpi::install_all().and_then(|()| build::overhear()),
        Task::Build { archive: true } => archive::make().map(|archive| println!("{}", archive.display())),
        Task::Test(arguments) if arguments.is_for_aarch64() => aarch64::run(arguments.name()),
        Task::Test(arguments) => test::run(&arguments),
        Task::Fixtures { samples: true, .. } => fixtures::record_samples(),
        Task::Fixtures { mpi, name, .. } => fixtures::run(mpi.as_deref(), name.as_deref()),
        Task::Golden { names } => golden::run(&names),
        Task::Damage { runs, seed } => damage::run(runs, seed),
        Task::Mutants { abi: true, .. } => abi_errors::run(),
        Task::Mutants { count, seed, .. } => mutants::run(count, seed),
        Task::Memcheck { mpi, name } => memcheck::run(mpi.as_deref(), name.as_deref()),
        Task::Races => races::run(),
        Task::Slurm => slurm::run(),
        Task::Tables => tables::run(),
        Task::Engine { sail, spark } => engine::run(sail, spark),
        Task::Wheel { without_polars, is_tried } => wheel::run(!without_polars, is_tried),
        Task::Dist { without_polars, is_tried } => dist::run(!without_polars, is_tried),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}
