//! Programs linked with `liboverhear.a`.

use std::path::Path;
use std::process::Command;

use crate::common::those;
use examples::mpi::Mpi;
use examples::program::{Program, compile};
use examples::run::{Case, Output, Run, archive, finish, fresh_folder};
use examples::target;
use examples::truth;

/// Flags for linking the library statically, if it has an archive here.
fn statically(mpi: &Mpi) -> Option<Vec<&'static str>> {
    let is_here = mpi.name == "mpich4" && mpi.library.with_file_name("libmpich.a").exists();
    is_here.then(|| vec!["-Wl,-Bstatic", "-lmpich", "-Wl,-Bdynamic", "-lhwloc", "-lucp", "-lucs", "-lpthread", "-lm"])
}

/// Builds a program with the archive in front of MPI, using this linker command.
fn link<'a>(program: &Program, mpi: &'a Mpi, linker: &Path, last: &[&str]) -> Case<'a> {
    let folder = target().join("programs").join(mpi.built_as);
    std::fs::create_dir_all(&folder).unwrap();
    let object = folder.join(&program.name).with_extension("o");
    compile(mpi, &program.source, &object, &["-c".into()]);
    let path = folder.join(format!("{}-with-archive", program.name));
    let mut command = Command::new(linker);
    command.arg("-o").arg(&path).arg(object).arg(archive()).args(last);
    mpi.set_environment(&mut command);
    let linked = finish(&mut command);
    assert_eq!(linked.status, 0, "{command:?}: {}", linked.stderr);
    Case { path, ..Case::of(program, mpi) }
}

/// Runs the program with and without the library that `overhear record` preloads.
fn as_stated(program: &Program, case: &Case<'_>) {
    let folder = fresh_folder(&format!("{}-{}-archive-alone", case.mpi.name, program.name));
    let words = case.words();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("OVERHEAR_DIR", &folder);
    case.prepare(&mut command);
    let alone = (finish(&mut command), Run { folder });
    for (Output { status, stdout, stderr }, run) in [alone, case.recorded(&format!("{}-archive", program.name))] {
        assert_eq!((status, stdout.as_str()), (0, "ok\n"), "{} under {}: {stderr}", program.name, case.mpi.name);
        assert!(!stderr.contains("its MPI library lacks"), "{stderr}");
        truth::check(program, &run, case.mpi.name);
    }
}

/// Calls of every kind, and functions that some libraries lack.
const PROGRAMS: [&str; 4] = ["ring", "collectives", "persistent_collectives", "large_counts"];

#[test]
fn a_program_with_the_archive_and_a_static_mpi_is_recorded_as_it_states() {
    for mpi in those("can be linked statically", |mpi| statically(mpi).is_some()) {
        let last = statically(&mpi).unwrap_or_default();
        for program in PROGRAMS.map(Program::read).iter().filter(|program| program.runs_under(&mpi)) {
            as_stated(program, &link(program, &mpi, Path::new("cc"), &last));
        }
    }
}

#[test]
fn a_program_with_the_archive_and_a_shared_mpi_is_recorded_as_it_states() {
    for mpi in &those("has a compiler", |mpi| mpi.built_as == mpi.name) {
        for program in PROGRAMS.map(Program::read).iter().filter(|program| program.runs_under(mpi)) {
            as_stated(program, &link(program, mpi, &mpi.compiler, &[]));
        }
    }
}
