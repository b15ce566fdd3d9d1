//! Builds the Python wheel (module `overhear`, and the command with the recorder in it) and the source distribution.
//!
//! The wheel runs where its tag manylinux2014 promises, on glibc 2.17 and later.

use std::path::{Path, PathBuf};
use std::process::Command;

use examples::environment::Environment;
use examples::wheel::run as done;
use examples::{target, workspace};

use crate::portable::{command, emptied, folder, into_wheel, made, maturin, tools};

/// Packages installed beside it for the trial: an MPI, its binding, and readers of tables.
const BESIDE: [&str; 6] =
    ["mpich==5.0.2", "mpi4py==4.1.2", "polars==2.1.0", "pandas==3.1.1", "pyarrow==26.0.1", "duckdb==2.0.0"];

/// Builds both, checks that a package index would accept them, and tries the wheel if asked.
pub fn run(has_polars: bool, is_tried: bool) -> Result<(), String> {
    let tools = tools()?;
    into_wheel(&command(&tools, has_polars)?)?;
    let wheels = target().join("wheels");
    let wheel = made(maturin(&tools, "", &wheels, "release")?.arg("--strip"), &wheels)?;
    let sources = sources(&tools)?;
    for file in [&wheel, &sources] {
        done(Command::new(tools.program("twine")).args(["check", "--strict"]).arg(file))?;
        println!("{}", file.display());
    }
    if is_tried { try_out(&wheel) } else { Ok(()) }
}

/// Packs the sources that git tracks, without the tests' reference data.
fn sources(tools: &Environment) -> Result<PathBuf, String> {
    let folder = folder().join("sources");
    emptied(&folder)?;
    let mut pack = Command::new(tools.program("maturin"));
    made(pack.current_dir(workspace()).arg("sdist").arg("--out").arg(&folder), &folder)
}

/// Installs the wheel into an empty environment, and runs the demonstration with no other program on the path.
fn try_out(wheel: &Path) -> Result<(), String> {
    let mut packages = BESIDE.to_vec();
    let wheel = wheel.display().to_string();
    packages.push(&wheel);
    let environment = Environment::fresh(&folder().join("tried"), &packages)?;
    let mut python = Command::new(environment.program("python"));
    python.arg(workspace().join("python/tests/demonstration.py"));
    // A new home makes the command unpack the recorder again.
    let home = folder().join("home");
    emptied(&home)?;
    done(python.env_clear().env("PATH", environment.programs()).env("HOME", home))
}
