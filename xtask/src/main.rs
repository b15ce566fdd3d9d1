//! `cargo xtask`: what the project needs done, each command doing all its own set-up.

mod aarch64;
mod abi_errors;
mod agreement;
mod archive;
mod build;
mod case_study;
mod clocks;
mod conformance;
mod damage;
mod demo;
mod dist;
mod fixtures;
mod hosts;
mod looks;
mod memcheck;
mod mutants;
mod papers;
mod portable;
mod races;
mod real_programs;
mod samples;
mod synthetic;
mod tables;
mod test;
mod verdicts;
mod watched;
mod wheel;

use std::path::PathBuf;
use std::process::ExitCode;

use ::synthetic::{Shape, Topology};
use clap::Parser;

/// What the project needs done. Each command does all its own set-up.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Record an integer sort on 4 ranks and show where its time went
    Demo,
    /// Show why one MPI is slower than another by what their progress engines do
    CaseStudy,
    /// Repeat the documents that define what is measured, and write docs/papers/
    Papers {
        /// Only this page, as availability
        page: Option<String>,
    },
    /// Show how well clocks of several hosts are put on one time line, and the waits found by it
    Clocks,
    /// Make liboverhear.a, for programs that are statically linked with MPI
    Archive,
    /// Run programs of Debian's packages with and without the recorder: whether they are harmed, and their reports add up
    RealPrograms {
        /// Only programs whose names contain this
        name: Option<String>,
    },
    /// Show that programs run as they do without us: every MPI function, misuse, and mpi4py's own tests
    Conformance {
        /// Only under these MPIs, as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
    },
    /// Damage runs at random and show that every analysis copes with them
    Damage {
        /// How many
        #[arg(long, default_value_t = 20_000)]
        runs: u64,
        /// The first one's seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
    /// Look at the small programs with `overhear hang` from their start to after their end: none may be said to hang
    Looks {
        /// How many looks
        #[arg(default_value_t = 1000)]
        count: u64,
        /// Only under these MPIs, as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
        /// Only programs whose names contain this
        name: Option<String>,
    },
    /// Run the collection of small programs, right ones and ones that hang: `overhear hang` has to tell which is which
    Verdicts {
        /// Only under these MPIs, as ompi4,mpich5 [default: ompi4,mpich4]
        #[arg(long)]
        mpi: Option<String>,
        /// Only programs whose names contain this
        name: Option<String>,
    },
    /// Run loops of published benchmarks and say how many of their figures their traces say, too
    Agreement(agreement::AgreementArgs),
    /// Run a program in pairs with and without `overhear top` and show how much longer it takes
    Watched {
        /// How many pairs
        #[arg(default_value_t = 20)]
        pairs: usize,
        /// Only under these MPIs, as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
    },
    /// Run the small programs under valgrind's memcheck: no error is ours
    Memcheck {
        /// Only under these MPIs, as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
        /// Only programs whose names contain this
        name: Option<String>,
    },
    /// Run programs with threads under ThreadSanitizer: no data race is ours
    Races,
    /// Try the recorder's tables with threads in all orders, by loom, and under valgrind
    Tables,
    /// Build the recorder for aarch64 and run tests with it under qemu
    Aarch64,
    /// Record the runs in traces/samples anew
    Samples,
    /// Record the runs anew that analyses are tested with where there is no MPI, analyzer/tests/fixtures
    Fixtures {
        /// Only under these MPIs, as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
        /// Only programs whose names contain this
        name: Option<String>,
    },
    /// Change the analyses here and there and show that a test that needs no MPI fails
    Mutants {
        /// About how many changes
        #[arg(long, default_value_t = 200)]
        count: usize,
        /// Which: another seed, other changes
        #[arg(long, default_value_t = 0)]
        seed: usize,
    },
    /// Plant errors into what the recorder knows of each ABI and show that the tests of every round notice
    AbiErrors {
        /// How many rounds
        #[arg(long, default_value_t = 7)]
        rounds: u64,
    },
    /// Write the run of a program that was never run, to try analyses on, and say how long its ranks wait
    Synthetic {
        /// The run's folder
        dir: PathBuf,
        /// Ranks
        #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
        ranks: u32,
        /// About so many calls of each
        #[arg(long, default_value_t = 10_000)]
        calls: u64,
        /// Ranks have two neighbors instead of four
        #[arg(long)]
        ring: bool,
        /// Another seed, other times
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Make the Python wheel, target/wheels/: the module, and the command with the library in it
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
    /// Run the tests: PyPI's MPIs come to target/, Debian's by apt where this is root
    Test(test::TestArgs),
    /// Build what tests run: target/tested/
    Build,
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Demo => demo::run(),
        Task::CaseStudy => case_study::run(),
        Task::Papers { page } => papers::run(page.as_deref()),
        Task::Clocks => clocks::run(),
        Task::Archive => archive::make().map(|archive| println!("{}", archive.display())),
        Task::RealPrograms { name } => real_programs::run(name.as_deref()),
        Task::Conformance { mpi } => conformance::run(mpi.as_deref()),
        Task::Damage { runs, seed } => damage::run(runs, seed),
        Task::Looks { count, mpi, name } => looks::run(count, mpi.as_deref(), name.as_deref()),
        Task::Verdicts { mpi, name } => verdicts::run(mpi.as_deref(), name.as_deref()),
        Task::Agreement(arguments) => agreement::run(&arguments),
        Task::Watched { pairs, mpi } => watched::run(pairs, mpi.as_deref()),
        Task::Memcheck { mpi, name } => memcheck::run(mpi.as_deref(), name.as_deref()),
        Task::Races => races::run(),
        Task::Tables => tables::run(),
        Task::Aarch64 => aarch64::run(),
        Task::Samples => samples::run(),
        Task::Fixtures { mpi, name } => fixtures::run(mpi.as_deref(), name.as_deref()),
        Task::Mutants { count, seed } => mutants::run(count, seed),
        Task::AbiErrors { rounds } => abi_errors::run(rounds),
        Task::Synthetic { dir, ranks, calls, ring, seed } => {
            let topology = if ring { Topology::Ring } else { Topology::Torus };
            synthetic::run(&dir, &Shape { ranks, calls, topology, seed })
        }
        Task::Wheel { without_polars, is_tried } => wheel::run(!without_polars, is_tried),
        Task::Dist { without_polars, is_tried } => dist::run(!without_polars, is_tried),
        Task::Test(arguments) => test::run(&arguments),
        Task::Build => examples::mpi::install_all().and_then(|()| build::overhear()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}
