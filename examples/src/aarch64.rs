//! Another machine, played by qemu: programs, the recorder and MPI are built for it, launchers and the command for this one.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::mpi::MPICH;
use crate::wheel::{Wheel, run};
use crate::{host_target, packages};

/// The machine, as rustc calls it.
pub const TRIPLE: &str = "aarch64-unknown-linux-gnu";
/// A C compiler for it.
pub const COMPILER: &str = "aarch64-linux-gnu-gcc";
/// The variable that holds [`TRIPLE`] where tests are meant for it.
pub const VARIABLE: &str = "TEST_TARGET";
/// What PyPI calls it.
const PLATFORM: &str = "manylinux_2_28_aarch64";
/// What comes before a program, with the folder of its C library.
const EMULATOR: [&str; 3] = ["/usr/bin/qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"];

/// For MPICH's compiler, and for programs: qemu lets no process read from another.
pub const ENVIRONMENT: [(&str, &str); 2] = [("MPICH_CC", COMPILER), ("MPIR_CVAR_CH4_CMA_ENABLE", "0")];

/// Whether it is meant rather than this machine.
pub fn is_meant() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|machine| machine == TRIPLE)
}

/// Cargo's folder for it.
pub fn target() -> PathBuf {
    host_target().join(TRIPLE)
}

/// What comes before a program of the machine that is meant.
pub fn emulator() -> &'static [&'static str] {
    if is_meant() { &EMULATOR } else { &[] }
}

/// Brings what is needed beside what tests need anyway: by apt, where this is root, rustup, and from PyPI.
pub fn install() -> Result<(), String> {
    packages::install(&["qemu-user", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"])?;
    run(Command::new("rustup").args(["--quiet", "target", "add", TRIPLE]))?;
    let wheel = Wheel { platform: Some(PLATFORM), ..MPICH };
    wheel.install_for(Path::new("python3"), &target().join("mpi").join(wheel.name()))
}
