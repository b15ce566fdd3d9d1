//! Runs every program under valgrind's memcheck.

use std::time::Instant;

use examples::build;
use examples::memcheck;
use examples::mpi::{self, Mpi};
use examples::program::Program;
use examples::run::Case;

/// Runs programs whose names contain `name` under these libraries, separated by commas, or under all. Fails at any
/// error of the recorder.
pub fn run(libraries: Option<&str>, name: Option<&str>) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    let wanted = |program: &&String| name.is_none_or(|name| program.contains(name));
    let programs: Vec<Program> = Program::names().iter().filter(wanted).map(|name| Program::read(name)).collect();
    let mut ours = Vec::new();
    println!("library  program                  seconds  status  processes  errors  of ours");
    for mpi in Mpi::all_of(libraries) {
        for program in programs.iter().filter(|program| program.runs_under(&mpi)) {
            let began = Instant::now();
            let checked = memcheck::run(Case::of(program, &mpi), "memcheck")?;
            println!(
                "{:7}  {:23}  {:7.1}  {:6}  {:9}  {:6}  {:7}",
                mpi.name,
                program.name,
                began.elapsed().as_secs_f64(),
                checked.output.status,
                checked.processes,
                checked.errors,
                checked.ours.len()
            );
            ours.extend(checked.ours.iter().map(|error| format!("{} {}: {error}", mpi.name, program.name)));
        }
    }
    if ours.is_empty() { Ok(()) } else { Err(format!("memcheck found\n{}", ours.join("\n"))) }
}
