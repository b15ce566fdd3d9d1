//! The Python wheel: the module `overhear`, and the command with the recorder in it.
//!
//! All three run on glibc 2.17 and later, which the tag manylinux2014 promises: the recorder by itself, module and command since zig links
//! them against that version. maturin makes both, and fails where one needs a later version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::environment::Environment;
use examples::wheel::{run as done, unpack};
use examples::{target, workspace};

use crate::build::cargo;

/// What makes it, of PyPI.
const TOOLS: [&str; 2] = ["maturin==1.16.0", "ziglang==0.15.2"];

/// What it is tried with: an MPI, its binding, and readers of tables.
const BESIDE: [&str; 6] =
    ["mpich==5.0.2", "mpi4py==4.1.2", "polars==2.1.0", "pandas==3.1.1", "pyarrow==26.0.1", "duckdb==2.0.0"];

/// Makes the wheel, and tries it.
pub fn run(has_polars: bool, is_tried: bool) -> Result<(), String> {
    let wheel = make(has_polars)?;
    println!("{}", wheel.display());
    if is_tried { try_out(&wheel) } else { Ok(()) }
}

fn make(has_polars: bool) -> Result<PathBuf, String> {
    let tools = Environment::with(&folder().join("tools"), &TOOLS)?;
    let features = if has_polars { "embed,polars" } else { "embed" };
    let mut command = maturin(&tools, "analyzer", &folder().join("command"))?;
    command.args(["--bindings", "bin", "--features", features]).env("OVERHEAR_LIBRARY", library()?);
    let command = made(&mut command, &folder().join("command"))?;
    // From here, python/pyproject.toml has it taken as one of the wheel's scripts.
    let scripts = folder().join("data/scripts");
    emptied(&scripts)?;
    unpack(&tools.program("python"), &command, &scripts)?;
    let wheels = target().join("wheels");
    made(&mut maturin(&tools, "python", &wheels)?, &wheels)
}

/// Installs the wheel where there is nothing else, and runs the demonstration with no other program on the path.
fn try_out(wheel: &Path) -> Result<(), String> {
    let mut packages = BESIDE.to_vec();
    let wheel = wheel.display().to_string();
    packages.push(&wheel);
    let environment = Environment::fresh(&folder().join("tried"), &packages)?;
    let mut python = Command::new(environment.program("python"));
    python.arg(workspace().join("python/tests/demonstration.py"));
    // The recorder is to be unpacked anew.
    let home = folder().join("home");
    emptied(&home)?;
    done(python.env_clear().env("PATH", environment.programs()).env("HOME", home))
}

/// Where all of this lies.
fn folder() -> PathBuf {
    target().join("wheel")
}

/// The recorder without its debug information, which is most of it.
fn library() -> Result<PathBuf, String> {
    done(cargo().args(["build", "--release", "--quiet", "--package", "overhear-interposer"]))?;
    let stripped = folder().join("liboverhear.so");
    let built = target().join("release/liboverhear.so");
    done(Command::new("objcopy").arg("--strip-debug").arg(built).arg(&stripped)).map(|()| stripped)
}

/// What makes the wheel of a crate in a folder that is emptied.
fn maturin(tools: &Environment, of: &str, out: &Path) -> Result<Command, String> {
    emptied(out)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([tools.programs()].into_iter().chain(std::env::split_paths(&path)));
    let mut maturin = Command::new(tools.program("maturin"));
    maturin.current_dir(workspace().join(of)).env("PATH", path.map_err(|error| error.to_string())?);
    maturin.args(["build", "--release", "--strip", "--locked", "--zig", "--compatibility", "manylinux2014"]);
    maturin.arg("--out").arg(out);
    Ok(maturin)
}

/// The wheel that a command leaves alone in a folder.
fn made(command: &mut Command, out: &Path) -> Result<PathBuf, String> {
    done(command)?;
    let wheel = fs::read_dir(out).ok().and_then(|mut files| files.next()?.ok());
    wheel.map(|wheel| wheel.path()).ok_or_else(|| format!("maturin left nothing in {}", out.display()))
}

fn emptied(folder: &Path) -> Result<(), String> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}
