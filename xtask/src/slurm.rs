//! `cargo xtask slurm`: tries every way to record under a real Slurm of two nodes, which it installs and starts on this
//! machine.

use examples::slurm::PACKAGES;
use examples::wheel::run as done;
use examples::{build, mpi, packages};

pub fn run() -> Result<(), String> {
    packages::install(&PACKAGES)?;
    mpi::install_all()?;
    build::overhear()?;
    let mut cargo = build::cargo();
    cargo.args([
        "test",
        "--quiet",
        "--package",
        "overhear-examples",
        "--test",
        "launched",
        "slurm::",
        "--",
        "--nocapture",
    ]);
    done(cargo.env("TEST_SLURM", "all"))
}
