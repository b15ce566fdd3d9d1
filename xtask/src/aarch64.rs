//! Builds the recorder for aarch64, and runs tests with it under qemu.

use std::fs;

use examples::build;
use examples::run::overhear;
use examples::wheel::run as done;
use examples::{aarch64, machine, mpi, rota};

/// Tests of the parts that depend on the machine: interception, timing, call sites, the recording, untouched programs,
/// and reads of a file while a program writes it.
const TESTS: &[&str] = &[
    "every_function::",
    "bad_input::",
    "untouched::",
    "killed::",
    "ends::",
    "threads::",
    "sessions::",
    "regions::",
    "library::",
    "full_speed::",
];

/// Tests among them that need something missing here, by parts of their names.
const LEFT_OUT: &[&str] = &[
    // These need compilers for other languages.
    "fortran",
    // These need a launcher that runs spawned programs under qemu.
    "spawns",
    "a_profile_says",
    // These use programs of this machine.
    "a_process_that_never_calls_mpi",
    // These need an MPI whose engine can be seen.
    "what_the_engine_did",
    // GNU's linker lists libgcc_s as needed although nothing uses it.
    "nothing_but_libc",
];

/// Runs the tests, or those of them whose names contain `name`.
pub fn run(name: Option<&str>) -> Result<(), String> {
    mpi::install_all()?;
    aarch64::install()?;
    build::overhear()?;
    let mut cargo = build::cargo();
    cargo.args(["build", "--release", "--quiet", "--package", "overhear-interposer", "--target", machine::AARCH64]);
    done(cargo.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", aarch64::COMPILER))?;
    // The command preloads the library beside it.
    let tested = machine::aarch64_target().join("tested");
    fs::create_dir_all(&tested).map_err(|error| format!("{}: {error}", tested.display()))?;
    let library = machine::aarch64_target().join("release/liboverhear.so");
    for (from, name) in [(overhear(), "overhear"), (library, "liboverhear.so")] {
        fs::copy(&from, tested.join(name)).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    match name {
        Some(name) => tests("launched", &[name]),
        None => tests("programs", &[]).and(tests("launched", TESTS)),
    }
}

/// Runs tests of a file under every library.
fn tests(file: &str, names: &[&str]) -> Result<(), String> {
    let mut cargo = build::cargo();
    cargo.args(["test", "--quiet", "--package", "overhear-examples", "--test", file, "--"]).args(names);
    cargo.args(LEFT_OUT.iter().flat_map(|name| ["--skip", name])).arg("--test-threads=1");
    done(cargo.env(machine::VARIABLE, machine::AARCH64).env(rota::ALL, "1"))
}
