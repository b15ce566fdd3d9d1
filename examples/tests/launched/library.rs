//! Exports, dependencies and wrappers of the library.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::common::every_library;
use examples::glibc;
use examples::run::{finish, library};
use traces::calls::{Call, Reach};

fn symbols(path: &Path, arguments: &[&str]) -> Vec<String> {
    finish(Command::new("nm").arg("-D").args(arguments).arg(path)).stdout.lines().map(String::from).collect()
}

fn exported(path: &Path) -> BTreeSet<String> {
    let name = |line: String| line.split(' ').next_back().unwrap_or_default().to_string();
    symbols(path, &["--defined-only"]).into_iter().map(name).collect()
}

/// Exports besides MPI functions: those of progress engines, which only processes with such an engine look up; the
/// functions by which programs look up others, unload them, and filter system calls; and those by which programs name
/// regions.
const OTHERS: [&str; 13] = [
    "InitializeInjectionNvtx2",
    "dlclose",
    "dlsym",
    "fi_fabric",
    "opal_progress",
    "opal_progress_register",
    "opal_progress_register_lp",
    "opal_progress_unregister",
    "overhear_begin",
    "overhear_end",
    "prctl",
    "syscall",
    "ucp_worker_progress",
];

#[test]
fn exactly_the_functions_that_every_library_has_and_a_few_others_are_exported() {
    let core = Call::all().filter(|call| call.row().reach == Reach::Core && !call.is_large());
    let expected = core.map(Call::mpi_name).chain(OTHERS.map(String::from)).collect();
    assert_eq!(exported(&library()), expected);
}

#[test]
fn every_library_has_what_is_exported() {
    let mut ours = exported(&library());
    ours.retain(|name| !OTHERS.contains(&name.as_str()));
    for mpi in every_library() {
        let theirs = mpi.exports();
        let missing: Vec<_> = ours.difference(&theirs).collect();
        assert!(missing.is_empty(), "{} has no {missing:?}", mpi.name);
    }
}

#[test]
fn every_function_of_every_library_is_in_the_table() {
    let table: BTreeSet<String> = Call::all().map(Call::mpi_name).collect();
    for mpi in every_library() {
        let known = mpi.exports();
        // Names in upper case are constants; functions such as MPI_DUP_FN belong to them.
        let functions = known.iter().filter(|name| name.starts_with("MPI_") && name.chars().any(|c| c.is_lowercase()));
        let unknown: Vec<_> = functions.filter(|name| !table.contains(*name)).collect();
        assert!(unknown.is_empty(), "{} has {unknown:?}", mpi.name);
    }
}

#[test]
fn it_needs_no_mpi_and_nothing_but_libc() {
    let undefined = symbols(&library(), &["--undefined-only"]);
    assert!(!undefined.iter().any(|symbol| symbol.contains("MPI_")), "{undefined:?}");
    let dynamic = finish(Command::new("readelf").arg("-d").arg(library())).stdout;
    let needed: Vec<_> = dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
    // The loader is part of libc, and by now the other two are as well.
    let libc = ["[libc.so.6]", "[ld-linux", "[libdl.so.2]", "[libpthread.so.0]"];
    assert!(needed.iter().all(|line| libc.iter().any(|part| line.contains(part))), "{needed:?}");
}

#[test]
fn it_runs_with_the_oldest_libc_that_rust_runs_with() {
    let newest = glibc::needed(&library()).unwrap();
    assert!(newest <= glibc::OLDEST, "it needs glibc {newest:?}: name what does in build.rs");
}

#[test]
fn a_process_that_never_calls_mpi_notices_nothing() {
    for program in [&["true"][..], &["sh", "-c", "exit 3"], &["ls", "/"], &["python3", "-c", "print(1)"]] {
        let run = |preload: &str| finish(Command::new(program[0]).args(&program[1..]).env("LD_PRELOAD", preload));
        let (with, without) = (run(&library().to_string_lossy()), run(""));
        assert_eq!((with.status, with.stdout, with.stderr), (without.status, without.stdout, without.stderr));
    }
}
