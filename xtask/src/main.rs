//! `cargo xtask`: what the project needs done, each command doing all its own set-up.

mod build;
mod case_study;
mod demo;
mod hosts;
mod samples;
mod test;

use std::process::{Command, ExitCode};

use clap::Parser;

/// What the project needs done. Each command does all its own set-up.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Record an integer sort on 4 ranks and show where its time went
    Demo,
    /// Show why one MPI is slower than another by what their progress engines do
    CaseStudy,
    /// Record the runs in traces/samples anew
    Samples,
    /// Run all tests under every MPI: PyPI's under target/, Debian's by apt where this is root
    Test {
        /// Only under these MPIs, as ompi4,mpich5
        #[arg(long)]
        mpi: Option<String>,
        /// Only tests whose names contain this
        name: Option<String>,
    },
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Demo => demo::run(),
        Task::CaseStudy => case_study::run(),
        Task::Samples => samples::run(),
        Task::Test { mpi, name } => test::run(mpi.as_deref(), name.as_deref()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a command, and fails with its name where it fails.
fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}
