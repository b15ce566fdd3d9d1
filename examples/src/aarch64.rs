//! Cross testing under qemu: programs, the recorder and MPI are built for aarch64, launchers and the command for this
//! machine.

use std::path::Path;
use std::process::Command;

use crate::machine::{AARCH64, aarch64_target, is_aarch64_meant};
use crate::packages;
use crate::wheel::{MPICH, Wheel, run};

pub const COMPILER: &str = "aarch64-linux-gnu-gcc";
/// PyPI's platform tag.
const PLATFORM: &str = "manylinux_2_28_aarch64";
/// Runs an aarch64 program; the C library's folder follows `-L`.
const EMULATOR: [&str; 3] = ["/usr/bin/qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"];

/// The C compiler is for MPICH's wrapper. CMA is off because qemu lets no process read from another.
pub const ENVIRONMENT: [(&str, &str); 2] = [("MPICH_CC", COMPILER), ("MPIR_CVAR_CH4_CMA_ENABLE", "0")];

/// Words to put before a program of the tested machine; empty for this one.
pub fn emulator() -> &'static [&'static str] {
    if is_aarch64_meant() { &EMULATOR } else { &[] }
}

/// Installs qemu and the cross compiler by apt (as root), Rust's target by rustup, and the libraries from PyPI.
pub fn install() -> Result<(), String> {
    packages::install(&["qemu-user", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"])?;
    run(Command::new("rustup").args(["--quiet", "target", "add", AARCH64]))?;
    let wheel = Wheel { platform: Some(PLATFORM), ..MPICH };
    wheel.install_for(Path::new("python3"), &aarch64_target().join("mpi").join(wheel.name()))
}
