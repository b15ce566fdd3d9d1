//! Builds the command, the recorder and the benchmark programs, for tests and measurements.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::machine::{target, workspace};
use crate::mpi::{self, Mpi};
use crate::run::tested;
use crate::wheel::run;

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

/// The library with the standard ABI's header.
const STANDARD_ABI: &str = "mpich5abi";

/// The packages that tests and lints take: all but SQL, since Polars takes minutes to build, engines, whose client needs protoc, and the
/// Python module.
pub const DEVELOPED: [&str; 4] =
    ["--workspace", "--exclude=overhear-sql", "--exclude=overhear-engine", "--exclude=overhear-python"];

/// Cargo, in the profiler's workspace.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(workspace());
    command
}

/// Builds the command in the test profile and the library in release.
pub fn overhear() -> Result<(), String> {
    run(cargo().args(["build", "--quiet", "--package", "overhear"]))?;
    library()?;
    put_together("debug", "overhear")
}

/// Builds command and library in release, as users do: for measurements, and to show them.
pub fn released() -> Result<(), String> {
    run(cargo().args(["build", "--release"]))?;
    put_together("release", "overhear")?;
    put_together("release", "liboverhear.so")
}

pub fn library() -> Result<(), String> {
    run(cargo().args(["build", "--release", "--quiet", "--package", "overhear-interposer"]))?;
    put_together("release", "liboverhear.so")
}

pub fn python_module() -> Result<(), String> {
    run(cargo().args(["build", "--release", "--quiet", "--package", "overhear-python"]))?;
    put_together("release", "lib_overhear.so")
}

/// Links a built file into the tested folder.
pub fn put_together(profile: &str, name: &str) -> Result<(), String> {
    let (from, to) = (target().join(profile).join(name), tested().join(name));
    fs::create_dir_all(tested()).map_err(|error| format!("{}: {error}", tested().display()))?;
    let _ = fs::remove_file(&to);
    fs::hard_link(&from, &to).map_err(|error| format!("{} as {}: {error}", from.display(), to.display()))
}

/// Builds the benchmark programs for a library. Returns their folder.
pub fn benchmarks(mpi: &Mpi) -> Result<PathBuf, String> {
    let libclang = mpi::install_libclang()?;
    let folder = target().join("programs").join(mpi.built_as);
    let built = built_for(mpi)?;
    let mut build = cargo();
    build.current_dir(workspace().join("examples/lab"));
    build.args(["build", "--release", "--quiet", "--package", "overhear-benchmarks", "--target-dir"]).arg(&built);
    mpi.set_environment(&mut build);
    // PyPI's libclang has no compiler headers; the C compiler lends its own.
    let mut clang = vec![format!("-I{}", compiler_headers()?)];
    if mpi.built_as == STANDARD_ABI {
        build.env("CFLAGS", fortran_conversions().join(" "));
        // MPICH's compiler wrapper adds these flags itself.
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

/// The library's target folder: mpi-sys does not notice a changed compiler, so each library has its own. A new one begins as a copy
/// of another library's, without what depends on the library: bindgen takes a minute to compile.
fn built_for(mpi: &Mpi) -> Result<PathBuf, String> {
    let all = target().join("mpi/built");
    let own = all.join(mpi.built_as);
    if own.exists() {
        return Ok(own);
    }
    let folders = fs::read_dir(&all).into_iter().flatten().flatten().map(|entry| entry.path());
    let others: Vec<PathBuf> = folders.filter(|folder| folder.join("release/deps").exists()).collect();
    if let Some(other) = others.first() {
        // The copy gets its final name last, so a folder of that name holds nothing of the other library.
        let copy = target().join("mpi/copied");
        let _ = fs::remove_dir_all(&copy);
        run(Command::new("cp").arg("--archive").arg(other).arg(&copy))?;
        let mut clean = cargo();
        clean.current_dir(workspace().join("examples/lab")).args(["clean", "--quiet", "--release", "--target-dir"]);
        run(clean.arg(&copy).args(["--package", "build-probe-mpi", "--package", "mpi-sys", "--package", "mpi"]))?;
        fs::rename(&copy, &own).map_err(|error| format!("{} as {}: {error}", copy.display(), own.display()))?;
    }
    Ok(own)
}

/// Folder of the C compiler's own headers, such as stddef.h.
fn compiler_headers() -> Result<String, String> {
    let asked = Command::new("cc").arg("-print-file-name=include").output().map_err(|error| format!("cc: {error}"))?;
    Ok(String::from_utf8_lossy(&asked.stdout).trim().to_string())
}

/// mpi-sys needs MPI_Fint, which the standard ABI leaves to Fortran.
const FORTRAN_INTEGER: &str = "-DMPI_Fint=int";

/// mpi-sys wraps conversions to Fortran handles, which the standard ABI names differently.
fn fortran_conversions() -> Vec<String> {
    let handles = ["Comm", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Type", "Win"];
    let renamed = |handle: &&str| {
        [("c2f", "toint"), ("f2c", "fromint")].map(|(old, new)| format!("-DMPI_{handle}_{old}=MPI_{handle}_{new}"))
    };
    std::iter::once(FORTRAN_INTEGER.to_string()).chain(handles.iter().flat_map(renamed)).collect()
}
