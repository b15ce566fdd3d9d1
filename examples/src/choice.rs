//! Libraries that each program and each file of tests runs under.

use std::path::Path;

use crate::mpi::Mpi;
use crate::program::{ABI_SENSITIVE, Program};
use crate::rota;

/// Libraries that a program runs under in a rotation: one of each ABI if ABIs number differently what it uses, else one.
/// `None` means all.
pub fn of_program(program: &Program, mut libraries: Vec<Mpi>, rotation: Option<usize>) -> Vec<Mpi> {
    libraries.retain(|mpi| program.runs_under(mpi));
    chosen(&program.name, libraries, rotation)
}

fn chosen(program: &str, libraries: Vec<Mpi>, rotation: Option<usize>) -> Vec<Mpi> {
    match rotation {
        None => libraries,
        Some(rotation) if ABI_SENSITIVE.contains(&program) => {
            rota::one_of_each_in(rotation, libraries, program, Mpi::abi)
        }
        Some(rotation) => rota::one_of_each_in(rotation, libraries, program, |_| ()),
    }
}

/// One of these libraries; all of them in a full run.
pub fn one_at_most(libraries: Vec<Mpi>, key: &str) -> Vec<Mpi> {
    if rota::is_all() { libraries } else { rota::one_of_each(libraries, key, |_| ()) }
}

/// Key of a file of tests: they share the programs built for a library.
pub fn key_of_file(path: &str) -> &str {
    Path::new(path).file_stem().and_then(|name| name.to_str()).unwrap_or(path)
}

/// Libraries in the order in which the tests of a file prefer them: each test takes the first that has all it needs.
pub fn of_file(path: &str, libraries: Vec<Mpi>, rotation: usize) -> Vec<Mpi> {
    rota::in_order(libraries, key_of_file(path), rotation)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;
    use crate::machine::workspace;
    use crate::mpi::known;

    fn files_of_tests() -> Vec<String> {
        let files = fs::read_dir(workspace().join("examples/tests/launched")).unwrap().flatten();
        files.map(|file| file.path().display().to_string()).filter(|path| path.ends_with(".rs")).collect()
    }

    #[test]
    fn the_gate_runs_programs_and_files_of_tests_under_every_library() {
        let mut taken: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for name in Program::names() {
            for mpi in chosen(&name, known(), Some(0)) {
                taken.entry(mpi.name).or_default()[0] += 1;
            }
        }
        for file in files_of_tests() {
            taken.entry(of_file(&file, known(), 0)[0].name).or_default()[1] += 1;
        }
        assert_eq!(taken.len(), known().len(), "{taken:?}");
        assert!(taken.values().all(|[programs, files]| *programs >= 5 && *files >= 3), "{taken:?}");
    }
}
