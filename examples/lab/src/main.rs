//! `cargo lab`: experiments with the profiler. Each installs and builds all it needs.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! papers
//! agreement case_study clocks conformance demo diagnosis looks overhead real_programs scale sensitivity synthetic verdicts watched what_if
//! held_out hosts
//! ```

mod agreement;
mod case_study;
mod clocks;
mod conformance;
mod demo;
mod diagnosis;
mod held_out;
mod hosts;
mod looks;
mod overhead;
mod papers;
mod real_programs;
mod scale;
mod sensitivity;
mod synthetic;
mod verdicts;
mod watched;
mod what_if;

use std::path::PathBuf;
use std::process::ExitCode;

use ::synthetic::{Cluster, Shape, Topology};
use clap::Parser;

/// Experiments with the profiler. Each installs and builds all it needs.
#[derive(Parser)]
#[command(bin_name = "cargo lab")]
enum Experiment {
    /// Record an integer sort on as many ranks as there are cores, and show where its time went
    Demo,
    /// Repeat the measurements of published papers, and rewrite docs/papers/
    Papers {
        /// Only this page, such as availability
        page: Option<String>,
    },
    /// Show why one MPI is slower than another by what their progress engines do
    CaseStudy,
    /// Compare the figures that benchmark loops print with those in their traces
    Agreement(agreement::AgreementArgs),
    /// Run programs with a planted cause, and their twins without, and count what `overhear diagnose` puts first
    Diagnosis(diagnosis::DiagnosisArgs),
    /// Record applications from Debian's packages, and check their results and their reports
    RealPrograms {
        /// Only programs whose names contain this
        name: Option<String>,
    },
    /// Run every MPI function, misuse of MPI, and mpi4py's own tests, with and without the recorder
    Conformance {
        /// Only under these MPIs, such as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
    },
    /// Call `overhear hang` on small programs from start to end, and report every false alarm
    Looks {
        /// Number of calls
        #[arg(default_value_t = 1000)]
        count: u64,
        /// Only under these MPIs, such as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
        /// Only programs whose names contain this
        name: Option<String>,
    },
    /// Run small programs, of which some hang, and count the right and wrong verdicts of `overhear hang`
    Verdicts {
        /// Only under these MPIs, such as ompi4,mpich5 [default: ompi4,mpich4]
        #[arg(long)]
        mpi: Option<String>,
        /// Only programs whose names contain one of these
        names: Vec<String>,
    },
    /// Try each limit of the first screen's rules at half, at twice and taken out, and list the first findings that change
    Sensitivity {
        /// Folders of further runs
        folders: Vec<PathBuf>,
    },
    /// Compare what recording is said to delay loops by with pairs of plain and recorded runs
    Overhead(overhead::OverheadArgs),
    /// Measure by how much `overhear top` slows a program down
    Watched {
        /// Pairs of runs, one with top and one without
        #[arg(default_value_t = 20)]
        pairs: usize,
        /// Only under these MPIs, such as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
    },
    /// Compare what `overhear whatif` predicts with programs that are really changed
    Whatif(what_if::WhatIfArgs),
    /// Measure MPI_Init and MPI_Finalize of many ranks with and without the recorder
    Scale(scale::ScaleArgs),
    /// Measure how well the clocks of several hosts are aligned, and the waits found with them
    Clocks,
    /// Write the run of an imaginary program of any size, and print how long its ranks wait
    Synthetic {
        /// The run's folder
        dir: PathBuf,
        /// Ranks
        #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
        ranks: u32,
        /// Calls per rank, about
        #[arg(long, default_value_t = 10_000)]
        calls: u64,
        /// Give ranks two neighbors instead of four
        #[arg(long)]
        ring: bool,
        /// Make each call at so many lines in turn, of which one is the default
        #[arg(long, conflicts_with = "ranks_per_host", value_parser = clap::value_parser!(u32).range(1..))]
        lines: Option<u32>,
        /// Seed of the random times
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Spread the ranks over hosts, so many on each, of which one is slow; without it all are on one
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        ranks_per_host: Option<u32>,
        /// Write counts and times in place of calls
        #[arg(long, requires = "ranks_per_host")]
        profile: bool,
    },
}

fn main() -> ExitCode {
    let done = match Experiment::parse() {
        Experiment::Demo => demo::run(),
        Experiment::Papers { page } => papers::run(page.as_deref()),
        Experiment::CaseStudy => case_study::run(),
        Experiment::Agreement(arguments) => agreement::run(&arguments),
        Experiment::Diagnosis(arguments) => diagnosis::run(&arguments),
        Experiment::RealPrograms { name } => real_programs::run(name.as_deref()),
        Experiment::Conformance { mpi } => conformance::run(mpi.as_deref()),
        Experiment::Looks { count, mpi, name } => looks::run(count, mpi.as_deref(), name.as_deref()),
        Experiment::Verdicts { mpi, names } => verdicts::run(mpi.as_deref(), &names),
        Experiment::Sensitivity { folders } => sensitivity::run(&folders),
        Experiment::Overhead(arguments) => overhead::run(&arguments),
        Experiment::Watched { pairs, mpi } => watched::run(pairs, mpi.as_deref()),
        Experiment::Whatif(arguments) => what_if::run(&arguments),
        Experiment::Scale(arguments) => scale::run(&arguments),
        Experiment::Clocks => clocks::run(),
        Experiment::Synthetic { dir, ranks, calls, ring, lines, seed, ranks_per_host, profile } => {
            let topology = if ring { Topology::Ring } else { Topology::Torus };
            let cluster = ranks_per_host.map(|ranks_per_host| Cluster { ranks_per_host, is_profile: profile });
            synthetic::run(&dir, &Shape { ranks, calls, topology, seed }, cluster, lines)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("lab: {reason}");
            ExitCode::FAILURE
        }
    }
}
