//! Builds what is shown, tested and measured.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use examples::mpi::{self, Mpi};
use examples::{target, workspace};

use crate::run;

/// The benchmark programs.
const PROGRAMS: &[&str] = &["integer_sort"];

/// The cargo that runs this.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(workspace());
    command
}

/// Builds the command and the library.
pub fn overhear() -> Result<(), String> {
    run(cargo().args(["build", "--release", "--quiet", "--package", "overhear", "--package", "overhear-interposer"]))
}

/// Builds the benchmark programs for a library. Returns the folder they are in.
pub fn benchmarks(mpi: &Mpi) -> Result<PathBuf, String> {
    let libclang = mpi::install_libclang()?;
    let folder = target().join("programs").join(mpi.built_as);
    let mut build = cargo();
    build.args(["build", "--release", "--quiet", "--package", "overhear-benchmarks"]);
    mpi.set_environment(&mut build);
    // The libclang of PyPI comes without the headers of a compiler; those of the C compiler do.
    let headers = format!("-I{}", compiler_headers()?);
    build.env("MPICC", &mpi.compiler).env("LIBCLANG_PATH", libclang).env("BINDGEN_EXTRA_CLANG_ARGS", headers);
    run(&mut build)?;
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for program in PROGRAMS {
        // The next library's build takes this one's place.
        let (from, to) = (target().join("release").join(program), folder.join(program));
        fs::copy(&from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    Ok(folder)
}

/// Where the C compiler keeps the headers that are its own, such as stddef.h.
fn compiler_headers() -> Result<String, String> {
    let asked = Command::new("cc").arg("-print-file-name=include").output().map_err(|error| format!("cc: {error}"))?;
    Ok(String::from_utf8_lossy(&asked.stdout).trim().to_string())
}
