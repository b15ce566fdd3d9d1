//! Call paths are those by which programs say that they called, call by call.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::{libraries, one_at_most, those};
use examples::mpi::Mpi;
use examples::program::{compile, compile_fortran};
use examples::python::Python;
use examples::run::{Case, Run};
use examples::{target, workspace};

/// Calls by path, as `main > solver > MPI_Barrier`.
type Paths = BTreeMap<String, u64>;

const RANKS: u64 = 2;

fn source(name: &str) -> PathBuf {
    workspace().join("examples/programs/paths").join(name)
}

/// A folder for programs that are built in this way under this library.
fn folder(mpi: &Mpi, built: &str) -> PathBuf {
    let folder = target().join("programs").join(mpi.built_as).join("paths").join(built);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// The paths of all ranks, by the lines of rank 0, "COUNT path" each: all ranks make the same calls.
fn stated(output: &str) -> Paths {
    let mut stated = Paths::new();
    for (calls, path) in output.lines().filter_map(|line| line.trim().split_once(' ')) {
        if let Ok(calls) = calls.parse::<u64>() {
            *stated.entry(path.to_string()).or_default() += RANKS * calls;
        }
    }
    stated
}

/// The paths that `overhear paths` shows to these functions.
fn shown(run: &Run, functions: &BTreeSet<&str>) -> Paths {
    let answer = run.ask("paths", &["--least", "0", "--no-cache"]);
    let rows = answer.rows("paths");
    let by_number: BTreeMap<u64, &Value> =
        rows.iter().map(|row| (row["path"].as_u64().expect("a path has a number"), row)).collect();
    let mut shown = Paths::new();
    for row in rows {
        let function = row["function"].as_str().expect("a path has a function");
        let calls = row["own_calls"].as_u64().expect("a path has calls");
        if calls == 0 || !functions.contains(function) {
            continue;
        }
        let mut names = vec![function];
        let mut caller = row["caller_path"].as_u64();
        while let Some(outer) = caller.and_then(|number| by_number.get(&number)) {
            names.push(outer["function"].as_str().expect("a path has a function"));
            caller = outer["caller_path"].as_u64();
        }
        names.reverse();
        *shown.entry(names.join(" > ")).or_default() += calls;
    }
    shown
}

fn is_as_stated(case: &Case<'_>, name: &str) {
    let (output, run) = case.recorded(name);
    assert_eq!(output.status, 0, "{name} under {}: {}", case.mpi.name, output.stderr);
    let stated = stated(&output.stdout);
    assert!(!stated.is_empty(), "{name} under {} states nothing: {}", case.mpi.name, output.stdout);
    let functions: BTreeSet<&str> = stated.keys().filter_map(|path| path.rsplit(" > ").next()).collect();
    assert_eq!(shown(&run, &functions), stated, "{name} under {}", case.mpi.name);
}

fn case<'a>(mpi: &'a Mpi, program: &Path, arguments: &[&str]) -> Case<'a> {
    Case {
        mpi,
        path: program.into(),
        arguments: arguments.iter().map(|word| word.to_string()).collect(),
        ranks: RANKS as u32,
        variables: Vec::new(),
    }
}

/// The ways to build: frames with and without a frame pointer, and whole programs at once.
const BUILDS: [(&str, &[&str]); 3] =
    [("frames", &["-O0"]), ("optimized", &["-O2", "-fomit-frame-pointer"]), ("whole", &["-O3", "-flto"])];

/// The C compiler compiles C++ by the file's name. Open MPI's own classes would have to be linked.
pub const CPP: [&str; 4] = ["-std=gnu++17", "-DOMPI_SKIP_MPICXX", "-Wl,--no-as-needed", "-lstdc++"];

fn flags(words: &[&str], more: &[&str]) -> Vec<String> {
    words.iter().chain(more).map(|word| word.to_string()).collect()
}

#[test]
fn c_programs_are_recorded_with_the_paths_that_they_took() {
    for mpi in libraries() {
        for (built, words) in BUILDS {
            let folder = folder(&mpi, built);
            for name in ["alpha", "omega"] {
                let library = flags(words, &["-shared", "-fPIC", &format!("-DNAME={name}")]);
                compile(&mpi, &source("call_paths_part.c"), &folder.join(name).with_extension("so"), &library);
            }
            let program = folder.join("call_paths_c");
            compile(&mpi, &source("call_paths.c"), &program, &flags(words, &[]));
            is_as_stated(&case(&mpi, &program, &[&folder.to_string_lossy()]), &format!("call-paths-c-{built}"));
        }
    }
}

#[test]
fn cpp_programs_are_recorded_with_the_paths_that_they_took() {
    for mpi in one_at_most(libraries(), "call_paths.cpp") {
        for (built, words) in BUILDS {
            let program = folder(&mpi, built).join("call_paths_cpp");
            compile(&mpi, &source("call_paths.cpp"), &program, &flags(words, &CPP));
            is_as_stated(&case(&mpi, &program, &[]), &format!("call-paths-cpp-{built}"));
        }
    }
}

#[test]
fn fortran_programs_are_recorded_with_the_paths_that_they_took() {
    for mpi in those("has Fortran", |mpi| mpi.fortran.is_some()) {
        let fortran = mpi.fortran.clone().expect("it comes with a compiler");
        let program = folder(&mpi, mpi.name).join("call_paths_fortran");
        compile_fortran(&mpi, &fortran, &source("call_paths.F90"), &program);
        is_as_stated(&case(&mpi, &program, &[]), "call-paths-fortran");
    }
}

#[test]
fn rust_programs_are_recorded_with_the_paths_that_they_took() {
    for mpi in libraries() {
        for (built, level) in [("frames", "0"), ("optimized", "3")] {
            let folder = folder(&mpi, built);
            let (library, program) = (folder.join("libcall_paths_rust.a"), folder.join("call_paths_rust"));
            let mut rustc = Command::new("rustc");
            rustc.args(["--edition", "2024", "-g", "-C", "panic=abort", "--crate-type", "staticlib"]);
            rustc.args(["--crate-name", "call_paths", "-C", &format!("opt-level={level}")]);
            let output =
                rustc.arg(source("call_paths.rs")).arg("-o").arg(&library).output().expect("rustc is installed");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            compile(&mpi, &source("call_paths_rust.c"), &program, &flags(&["-g"], &[&library.to_string_lossy()]));
            is_as_stated(&case(&mpi, &program, &[]), &format!("call-paths-rust-{built}"));
        }
    }
}

#[test]
fn paths_through_code_without_unwind_information_begin_there() {
    for mpi in libraries() {
        for (built, words) in BUILDS {
            let program = folder(&mpi, built).join("call_paths_jitted");
            compile(&mpi, &source("call_paths_jitted.c"), &program, &flags(words, &[]));
            is_as_stated(&case(&mpi, &program, &[]), &format!("call-paths-jitted-{built}"));
        }
    }
}

#[test]
fn python_programs_are_recorded_with_the_paths_that_they_took() {
    let mut ran = 0;
    for python in Python::all() {
        for mpi in those("mpi4py has a module for", Python::fits) {
            if let Some(case) = python.case(&source("call_paths.py"), &mpi, RANKS as u32) {
                is_as_stated(&case, "call-paths-python");
                ran += 1;
            }
        }
    }
    assert!(ran > 0, "no Python has an mpi4py for any library");
}

#[test]
fn asked_for_call_sites_alone_no_path_is_recorded_and_that_is_said() {
    let mpi = crate::common::one();
    let folder = folder(&mpi, "frames");
    let program = folder.join("call_paths_cpp");
    compile(&mpi, &source("call_paths.cpp"), &program, &flags(BUILDS[0].1, &CPP));
    let (output, run) = case(&mpi, &program, &[]).with("OVERHEAR_CALL_PATH", "off").recorded("no-call-paths");
    assert_eq!(output.status, 0, "{}", output.stderr);
    let sites = run.report("site");
    let layers = sites.rows("sites").iter().filter(|row| row["function"] == "MPI_Allreduce");
    let calls: u64 = layers.map(|row| row["calls"].as_u64().expect("a site has calls")).sum();
    assert_eq!(calls, stated(&output.stdout).values().sum::<u64>());
}

#[test]
fn of_a_path_that_is_to_be_short_the_innermost_functions_are_recorded() {
    let mpi = crate::common::one();
    let program = folder(&mpi, "frames").join("call_paths_cpp");
    compile(&mpi, &source("call_paths.cpp"), &program, &flags(BUILDS[0].1, &CPP));
    let (output, run) = case(&mpi, &program, &[]).with("OVERHEAR_CALL_PATH", "2").recorded("short-call-paths");
    assert_eq!(output.status, 0, "{}", output.stderr);
    let mut short = Paths::new();
    for (path, calls) in stated(&output.stdout) {
        let names: Vec<&str> = path.split(" > ").collect();
        // An inlined function has no frame of its own.
        let last = if names.contains(&"inlined") { 4 } else { 3 };
        let innermost = names[names.len() - last..].join(" > ");
        *short.entry(format!("... > {innermost}")).or_default() += calls;
    }
    assert_eq!(shown(&run, &["MPI_Allreduce"].into()), short);
}
