//! What several tests need.

#![allow(dead_code)]

use std::path::PathBuf;

use examples::mpi::Mpi;
use examples::program::compile;
use examples::run::Case;
use examples::{target, workspace};

/// Every MPI at hand. Panics where there is none: a test that ran under nothing has shown nothing.
pub fn libraries() -> Vec<Mpi> {
    let libraries = Mpi::all();
    assert!(!libraries.is_empty(), "no MPI is here: run cargo xtask test, which brings them");
    libraries
}

/// A program of `tests/programs`, on so many ranks.
pub fn case<'a>(name: &str, mpi: &'a Mpi, ranks: u32, arguments: &[&str]) -> Case<'a> {
    let source = workspace().join("examples/tests/programs").join(name).with_extension("c");
    let path: PathBuf = target().join("programs").join(mpi.built_as).join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    compile(mpi, &source, &path, &[]);
    let arguments = arguments.iter().map(|argument| argument.to_string()).collect();
    Case { mpi, path, arguments, ranks, variables: Vec::new() }
}

/// The integer sort on 4 ranks, which cargo xtask builds for every library.
pub fn integer_sort(mpi: &Mpi) -> Case<'_> {
    let path = target().join("programs").join(mpi.built_as).join("integer_sort");
    assert!(path.exists(), "{} is not built: run cargo xtask test", path.display());
    Case { mpi, path, arguments: Vec::new(), ranks: 4, variables: Vec::new() }
}
