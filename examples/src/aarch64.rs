//! Another machine, played by qemu: programs, the recorder and MPI are built for it, launchers and the command for this one.

use std::path::Path;
use std::process::Command;

use crate::machine::{AARCH64, aarch64_target, is_aarch64_meant};
use crate::packages;
use crate::wheel::{MPICH, Wheel, run};

/// A C compiler for it.
pub const COMPILER: &str = "aarch64-linux-gnu-gcc";
/// What PyPI calls it.
const PLATFORM: &str = "manylinux_2_28_aarch64";
/// What comes before a program, with the folder of its C library.
const EMULATOR: [&str; 3] = ["/usr/bin/qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"];

/// For MPICH's compiler, and for programs: qemu lets no process read from another.
pub const ENVIRONMENT: [(&str, &str); 2] = [("MPICH_CC", COMPILER), ("MPIR_CVAR_CH4_CMA_ENABLE", "0")];

/// What comes before a program of the machine that is meant.
pub fn emulator() -> &'static [&'static str] {
    if is_aarch64_meant() { &EMULATOR } else { &[] }
}

/// Brings what is needed beside what tests need anyway: by apt, where this is root, rustup, and from PyPI.
pub fn install() -> Result<(), String> {
    packages::install(&["qemu-user", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"])?;
    run(Command::new("rustup").args(["--quiet", "target", "add", AARCH64]))?;
    let wheel = Wheel { platform: Some(PLATFORM), ..MPICH };
    wheel.install_for(Path::new("python3"), &aarch64_target().join("mpi").join(wheel.name()))
}
