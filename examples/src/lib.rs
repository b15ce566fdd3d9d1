//! Runs the programs in `programs/` under every MPI at hand, with and without the recorder, and reads back what was
//! recorded.
//!
//! [`mpi`] knows the MPI libraries and how they are installed, [`program`] builds a program and knows what it states,
//! [`run`] runs it, [`truth`] and [`waits`] compare what it states with what the command says, an [`answer`]. [`fixture`] packs what was
//! recorded, for where no MPI is. [`conformance`] writes programs that call every function.

pub mod aarch64;
pub mod answer;
pub mod conformance;
pub mod fixture;
pub mod memcheck;
pub mod mpi;
pub mod mpi4py;
pub mod packages;
pub mod program;
pub mod python;
pub mod run;
pub mod transport;
pub mod truth;
pub mod waits;
pub mod wheel;

use std::path::PathBuf;

/// The workspace's folder.
pub fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is where it was built")
}

/// Cargo's folder for what is built, where everything made for tests goes too.
pub fn target() -> PathBuf {
    if aarch64::is_meant() { aarch64::target() } else { host_target() }
}

/// That of this machine, whatever machine is meant.
fn host_target() -> PathBuf {
    workspace().join("target")
}
