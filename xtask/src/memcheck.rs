//! Every program under valgrind's memcheck.

use std::time::Instant;

use examples::memcheck;
use examples::mpi::{self, Mpi};
use examples::program::Program;
use examples::run::Case;

use crate::build;
use crate::packages;

/// Libraries whose own code memcheck understands; under the others it ends in instructions that it does not know, or the
/// launcher waits for what it takes too long for.
const LIBRARIES: [&str; 2] = ["ompi4", "mpich4"];

/// Programs that take too long, since each call takes a hundred times longer.
const LEFT_OUT: [&str; 0] = [];

/// Runs all programs whose names contain `name`, and fails where an error is the recorder's.
pub fn run(name: Option<&str>) -> Result<(), String> {
    mpi::install_all()?;
    packages::install(&["valgrind".into()])?;
    build::overhear()?;
    let wanted =
        |program: &String| name.is_none_or(|name| program.contains(name)) && !LEFT_OUT.contains(&program.as_str());
    let programs: Vec<Program> =
        Program::names().iter().filter(|name| wanted(name)).map(|name| Program::read(name)).collect();
    let mut ours = Vec::new();
    println!("library  program                  seconds  processes  errors  of ours");
    for mpi in LIBRARIES.into_iter().filter_map(Mpi::named) {
        for program in programs.iter().filter(|program| program.runs_under(&mpi)) {
            let began = Instant::now();
            let checked = memcheck::run(Case::of(program, &mpi), "memcheck")?;
            println!(
                "{:7}  {:23}  {:7.1}  {:9}  {:6}  {:7}",
                mpi.name,
                program.name,
                began.elapsed().as_secs_f64(),
                checked.processes,
                checked.errors,
                checked.ours.len()
            );
            ours.extend(checked.ours.iter().map(|error| format!("{} {}: {error}", mpi.name, program.name)));
        }
    }
    if ours.is_empty() { Ok(()) } else { Err(format!("memcheck found\n{}", ours.join("\n"))) }
}
