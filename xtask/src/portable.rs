//! Portable builds of command and recorder: both run on glibc 2.17 and later.
//!
//! The recorder needs no more by itself; the command, because zig links it against that version. maturin builds the
//! command as part of a wheel, and fails if it needs a later version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::build::cargo;
use examples::environment::Environment;
use examples::wheel::{run as done, unpack};
use examples::{target, workspace};

/// PyPI packages that build it.
const TOOLS: [&str; 3] = ["maturin==1.16.0", "twine==7.0.0", "ziglang==0.15.2"];

/// Platform tag for glibc 2.17.
const COMPATIBILITY: &str = "manylinux2014";

pub fn tools() -> Result<Environment, String> {
    Environment::with(&folder().join("tools"), &TOOLS)
}

/// Builds the command, with the recorder inside.
pub fn command(tools: &Environment, has_polars: bool) -> Result<PathBuf, String> {
    let wheels = folder().join("command");
    let features = if has_polars { "embed,polars" } else { "embed" };
    let mut command = maturin(tools, "analyzer", &wheels)?;
    command.args(["--bindings", "bin", "--features", features]).env("OVERHEAR_LIBRARY", library()?);
    let wheel = made(&mut command, &wheels)?;
    // pyproject.toml takes it from here as one of the wheel's scripts.
    let scripts = folder().join("data/scripts");
    emptied(&scripts)?;
    unpack(&tools.program("python"), &wheel, &scripts).map(|()| scripts.join("overhear"))
}

/// Builds the recorder and strips its debug information, most of its size.
pub fn library() -> Result<PathBuf, String> {
    done(cargo().args(["build", "--release", "--quiet", "--package", "overhear-interposer"]))?;
    let stripped = folder().join("liboverhear.so");
    let built = target().join("release/liboverhear.so");
    let changed = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    // A newer file would recompile the command, which includes it.
    if changed(&stripped) < changed(&built) {
        done(Command::new("objcopy").arg("--strip-debug").arg(built).arg(&stripped))?;
    }
    Ok(stripped)
}

/// Folder of all files made here.
pub fn folder() -> PathBuf {
    target().join("wheel")
}

/// maturin's command line for a crate's wheel, into an emptied folder.
pub fn maturin(tools: &Environment, of: &str, out: &Path) -> Result<Command, String> {
    emptied(out)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([tools.programs()].into_iter().chain(std::env::split_paths(&path)));
    let mut maturin = Command::new(tools.program("maturin"));
    maturin.current_dir(workspace().join(of)).env("PATH", path.map_err(|error| error.to_string())?);
    maturin.args(["build", "--release", "--strip", "--locked", "--zig", "--compatibility", COMPATIBILITY]);
    maturin.arg("--out").arg(out);
    Ok(maturin)
}

/// Runs a command that leaves a single wheel in a folder. Returns its path.
pub fn made(command: &mut Command, out: &Path) -> Result<PathBuf, String> {
    done(command)?;
    let wheel = fs::read_dir(out).ok().and_then(|mut files| files.next()?.ok());
    wheel.map(|wheel| wheel.path()).ok_or_else(|| format!("maturin left nothing in {}", out.display()))
}

/// Creates the folder, or empties it.
pub fn emptied(folder: &Path) -> Result<(), String> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}
