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

/// Builds the command, with the recorder inside and its line tables.
pub fn command(tools: &Environment, has_polars: bool) -> Result<PathBuf, String> {
    let wheels = folder().join("command");
    // Polars is most of the command with it, so the profile is for the one without.
    let (features, profile) = if has_polars { ("embed,polars", "release") } else { ("embed", "small") };
    let mut command = maturin(tools, "analyzer", &wheels, profile)?;
    command.args(["--bindings", "bin", "--features", features]).env("OVERHEAR_LIBRARY", library()?);
    let wheel = made(&mut command, &wheels)?;
    let unpacked = folder().join("unpacked");
    emptied(&unpacked)?;
    unpack(&tools.program("python"), &wheel, &unpacked).map(|()| unpacked.join("overhear"))
}

/// Puts a command without line tables where pyproject.toml looks for the wheel's scripts.
pub fn into_wheel(command: &Path) -> Result<(), String> {
    let scripts = folder().join("data/scripts");
    emptied(&scripts)?;
    done(Command::new("objcopy").arg("--strip-unneeded").arg(command).arg(scripts.join("overhear")))
}

/// Builds the recorder.
pub fn built_library() -> Result<PathBuf, String> {
    done(cargo().args(["build", "--release", "--quiet", "--package", "overhear-interposer"]))?;
    Ok(target().join("release/liboverhear.so"))
}

/// Builds the recorder and strips its debug information, most of its size.
fn library() -> Result<PathBuf, String> {
    let built = built_library()?;
    let stripped = folder().join("liboverhear.so");
    let changed = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    // A newer file would recompile the command, which includes it.
    if changed(&stripped) < changed(&built) {
        done(Command::new("objcopy").arg("--strip-unneeded").arg(built).arg(&stripped))?;
    }
    Ok(stripped)
}

/// Folder of all files made here.
pub fn folder() -> PathBuf {
    target().join("wheel")
}

/// maturin's command line for a crate's wheel by this profile of cargo's, into an emptied folder.
pub fn maturin(tools: &Environment, of: &str, out: &Path, profile: &str) -> Result<Command, String> {
    emptied(out)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([tools.programs()].into_iter().chain(std::env::split_paths(&path)));
    let mut maturin = Command::new(tools.program("maturin"));
    maturin.current_dir(workspace().join(of)).env("PATH", path.map_err(|error| error.to_string())?);
    maturin.args(["build", "--profile", profile, "--locked", "--zig", "--compatibility", COMPATIBILITY]);
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
