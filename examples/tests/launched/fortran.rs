//! Fortran bindings that are not libraries linked with the program.

use std::path::PathBuf;

use crate::common::those;
use examples::mpi::{Fortran, MPICH_MODULES, Mpi};
use examples::program::{Program, compile, compile_fortran};
use examples::run::Case;
use examples::{target, workspace};
use serde_json::json;

fn source(name: &str) -> PathBuf {
    workspace().join("examples/tests/programs").join(name)
}

/// Libraries with a Fortran compiler.
fn with_fortran() -> Vec<(Mpi, Fortran)> {
    let libraries = those("has Fortran", |mpi| mpi.fortran.is_some());
    libraries.into_iter().filter_map(|mpi| mpi.fortran.clone().map(|fortran| (mpi, fortran))).collect()
}

#[test]
fn a_library_loaded_late_that_calls_mpi_in_fortran_is_seen() {
    for (mpi, fortran) in with_fortran() {
        let folder = target().join("programs").join(mpi.name);
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("late_fortran");
        compile(&mpi, &source("late_fortran.c"), &path, &["-Wl,--as-needed".into()]);
        let shared =
            Fortran { compiler: [fortran.compiler, vec!["-shared".into(), "-fPIC".into()]].concat(), ..fortran };
        compile_fortran(&mpi, &shared, &source("late_fortran_part.F90"), &folder.join("late_fortran_part.so"));
        let case = Case { mpi: &mpi, path, arguments: Vec::new(), ranks: 2, variables: Vec::new() };
        let (output, run) = case.recorded("late-fortran");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        let sites = run.report("site");
        let calls_at = |function: &str, site: &str| {
            sites.sum("sites", "calls", &[("function", json!(function)), ("site", json!(site))])
        };
        let seen = [
            calls_at("MPI_Send", "communicate (late_fortran_part.F90:10)"),
            calls_at("MPI_Recv", "communicate (late_fortran_part.F90:12)"),
        ];
        assert_eq!(seen, [10, 10], "{}: {:?}", mpi.name, sites.rows("sites"));
    }
}

#[test]
fn a_binding_that_is_linked_into_the_program_is_seen_and_said() {
    let mpi = Mpi::named("mpich4").expect("mpich4 is not here: cargo xtask test brings it where this is root");
    let fortran = mpi.fortran.clone().expect("it comes with a compiler");
    let archive = mpi.library.with_file_name("libmpichfort.a");
    let program = Program::read("fortran_mpif");
    let path = target().join("programs/mpich4/fortran_archive");
    let linked = Fortran {
        compiler: vec!["/usr/bin/gfortran".into(), format!("-I{MPICH_MODULES}")],
        libraries: vec![archive.display().to_string(), mpi.library.display().to_string()],
        ..fortran
    };
    compile_fortran(&mpi, &linked, &program.source, &path);
    let case = Case { path, ..Case::of(&program, &mpi) };
    let (output, run) = case.recorded("fortran-archive");
    assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}", output.stderr);
    let report = run.report("site");
    assert_eq!(report.sum("sites", "calls", &[("function", json!("MPI_Send"))]), 20);
    let said = "calls came through a Fortran binding that is linked into the program";
    assert!(report.warnings().contains(said), "{}", report.warnings());
}
