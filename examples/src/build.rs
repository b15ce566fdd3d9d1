//! Builds the command, the recorder and the benchmark programs, for tests and measurements.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::machine::{target, workspace};
use crate::mpi::{self, Mpi};
use crate::run::tested;
use crate::wheel::run;

/// The benchmark programs.
const PROGRAMS: &[&str] = &[
    "integer_sort",
    "alltoallv_schemes",
    "post_work_wait",
    "fan_out",
    "swap",
    "timed_collectives",
    "sweep",
    "halo",
    "rsmpi_ring",
];

/// The library whose header is that of the standard ABI.
const STANDARD_ABI: &str = "mpich5abi";

/// Runs in the workspace of the profiler.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(workspace());
    command
}

/// Builds the command as tests are compiled, and the library as it is released.
pub fn overhear() -> Result<(), String> {
    run(cargo().args(["build", "--quiet", "--package", "overhear"]))?;
    library()?;
    put_together("debug", "overhear")
}

/// The same with the command as it is released, for what measures it.
pub fn released() -> Result<(), String> {
    run(cargo().args(["build", "--release", "--quiet", "--package", "overhear"]))?;
    library()?;
    put_together("release", "overhear")
}

/// Builds the library.
pub fn library() -> Result<(), String> {
    run(cargo().args(["build", "--release", "--quiet", "--package", "overhear-interposer"]))?;
    put_together("release", "liboverhear.so")
}

/// Builds the module of the Python package.
pub fn python_module() -> Result<(), String> {
    run(cargo().args(["build", "--release", "--quiet", "--package", "overhear-python"]))?;
    put_together("release", "lib_overhear.so")
}

/// Links a file of a profile into the folder of what is tested.
pub fn put_together(profile: &str, name: &str) -> Result<(), String> {
    let (from, to) = (target().join(profile).join(name), tested().join(name));
    fs::create_dir_all(tested()).map_err(|error| format!("{}: {error}", tested().display()))?;
    let _ = fs::remove_file(&to);
    fs::hard_link(&from, &to).map_err(|error| format!("{} as {}: {error}", from.display(), to.display()))
}

/// Builds the benchmark programs for a library. Returns the folder they are in.
pub fn benchmarks(mpi: &Mpi) -> Result<PathBuf, String> {
    let libclang = mpi::install_libclang()?;
    let folder = target().join("programs").join(mpi.built_as);
    // mpi-sys does not notice that another compiler is meant.
    let built = target().join("mpi/built").join(mpi.built_as);
    let mut build = cargo();
    build.current_dir(workspace().join("examples/lab"));
    build.args(["build", "--release", "--quiet", "--package", "overhear-benchmarks", "--target-dir"]).arg(&built);
    mpi.set_environment(&mut build);
    // The libclang of PyPI comes without the headers of a compiler; those of the C compiler do.
    let mut clang = vec![format!("-I{}", compiler_headers()?)];
    if mpi.built_as == STANDARD_ABI {
        build.env("CFLAGS", fortran_conversions().join(" "));
        // What its compiler adds of itself.
        clang.extend(["-DMPI_ABI".into(), FORTRAN_INTEGER.into()]);
    }
    build.env("MPICC", &mpi.compiler).env("LIBCLANG_PATH", libclang).env("BINDGEN_EXTRA_CLANG_ARGS", clang.join(" "));
    build.env("MPI_LIBRARIES", mpi.library.parent().unwrap_or(&folder));
    run(&mut build)?;
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for program in PROGRAMS {
        let (from, to) = (built.join("release").join(program), folder.join(program));
        let _ = fs::remove_file(&to);
        fs::hard_link(&from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    Ok(folder)
}

/// Where the C compiler keeps the headers that are its own, such as stddef.h.
fn compiler_headers() -> Result<String, String> {
    let asked = Command::new("cc").arg("-print-file-name=include").output().map_err(|error| format!("cc: {error}"))?;
    Ok(String::from_utf8_lossy(&asked.stdout).trim().to_string())
}

/// mpi-sys knows a type for Fortran's integers, which the standard ABI leaves to Fortran.
const FORTRAN_INTEGER: &str = "-DMPI_Fint=int";

/// mpi-sys wraps conversions to Fortran handles, which the standard ABI has under other names.
fn fortran_conversions() -> Vec<String> {
    let handles = ["Comm", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Type", "Win"];
    let renamed = |handle: &&str| {
        [("c2f", "toint"), ("f2c", "fromint")].map(|(old, new)| format!("-DMPI_{handle}_{old}=MPI_{handle}_{new}"))
    };
    std::iter::once(FORTRAN_INTEGER.to_string()).chain(handles.iter().flat_map(renamed)).collect()
}
