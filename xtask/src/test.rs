//! All tests, under every MPI.

use std::process::Command;

use examples::browser;
use examples::mpi::{self, Mpi};
use examples::otf2;
use examples::python::Python;
use examples::wheel::run as done;

use crate::{archive, build};

/// Brings the libraries, builds, and runs the tests.
pub fn run(mpi: Option<&str>, name: Option<&str>) -> Result<(), String> {
    mpi::install_all()?;
    Python::install_all()?;
    browser::install()?;
    otf2::install()?;
    build::overhear()?;
    build::python_module()?;
    archive::make()?;
    let libraries = Mpi::all_of(mpi);
    for library in libraries.iter().filter(|library| library.built_as == library.name) {
        build::benchmarks(library)?;
    }
    let names: Vec<&str> = libraries.iter().map(|library| library.name).collect();
    println!("under {}, all with this one file:", names.join(", "));
    done(Command::new("sha256sum").arg(examples::run::library()))?;
    let mut tests = build::cargo();
    tests
        .args(["test", "--quiet", "--no-fail-fast", "--features", "overhear/polars"])
        .args(name.map(|name| format!("--test={name}")));
    // Ranks share two cores with nobody else: a test that times something would time the other tests.
    tests.args(["--", "--test-threads=1"]).env("TEST_MPI", names.join(","));
    done(&mut tests)
}
