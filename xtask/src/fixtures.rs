//! Records the runs in `analyzer/tests/fixtures` anew: every program once, those that plant waits under two MPIs, and some of the
//! tests' own.

use std::fs;

use examples::fixture::{self, pack};
use examples::mpi::{self, Mpi};
use examples::program::Program;
use examples::run::Case;
use examples::{truth, waits, workspace};

use crate::build;

/// Programs of the tests that do what none of the others does.
const OF_TESTS: [&str; 17] = [
    "changed_message",
    "collective_times",
    "controlled",
    "exchanged",
    "fan_shapes",
    "first_taken",
    "jumps",
    "killed_between",
    "one_tag",
    "overlapped",
    "regions",
    "same_messages",
    "sessions_at_once",
    "sessions_only",
    "spawns_twice",
    "truncated",
    "turned",
];

/// The libraries, of which each program has one.
const LIBRARIES: [&str; 7] = ["ompi4", "mpich5", "mpich4", "ompi5", "impi", "mpich5abi", "impiabi"];
/// Those by which a program that plants waits is recorded besides: who waits in which call differs between the families.
const FAMILIES: [&str; 2] = ["ompi4", "mpich4"];
/// Others that are recorded by both.
const BY_BOTH: [&str; 1] = ["same_messages"];
/// A machine that does something else is late where nothing is planted: so often a program may be run.
const ATTEMPTS: usize = 20;

/// Records those whose names contain `name` under these libraries, separated by commas, or all.
pub fn run(libraries: Option<&str>, name: Option<&str>) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    fs::create_dir_all(fixture::folder()).map_err(|error| format!("{}: {error}", fixture::folder().display()))?;
    let is_meant = |library: &&Mpi| libraries.is_none_or(|names| names.split(',').any(|name| name == library.name));
    if libraries.is_none() && name.is_none() {
        remove_all()?;
    }
    let mut bytes = 0;
    for program in &programs()? {
        for mpi in under(program)?.iter().filter(is_meant) {
            if name.is_none_or(|name| program.name.contains(name)) {
                bytes += record(program, mpi)?;
            }
        }
    }
    println!("{bytes} bytes in all");
    Ok(())
}

/// Runs of other formats or programs are not to stay.
fn remove_all() -> Result<(), String> {
    let folder = fixture::folder();
    fs::remove_dir_all(&folder)
        .and_then(|()| fs::create_dir_all(&folder))
        .map_err(|error| format!("{}: {error}", folder.display()))
}

/// All programs that become fixtures.
fn programs() -> Result<Vec<Program>, String> {
    let folder = workspace().join("examples/tests/programs");
    let of_test = |name: &str| {
        let mut program = Program::read_in(&folder, name);
        program.flags.push(format!("-I{}", workspace().join("interposer/include").display()));
        program
    };
    let names = Program::names().into_iter().filter(|name| !fixture::TOO_LARGE.contains(&name.as_str()));
    let mut programs: Vec<Program> = names.map(|name| Program::read(&name)).collect();
    programs.extend(OF_TESTS.map(of_test));
    Ok(programs)
}

/// Under which libraries a program is recorded: by its name, so that another program changes nothing for it.
fn under(program: &Program) -> Result<Vec<Mpi>, String> {
    let named = |name: &str| Mpi::named(name).ok_or_else(|| format!("{name} is not here"));
    let libraries = LIBRARIES.into_iter().map(named).collect::<Result<Vec<Mpi>, _>>()?;
    let fits = |mpi: &&Mpi| program.runs_under(mpi);
    let at = program.name.bytes().map(usize::from).sum::<usize>() % libraries.len();
    let first = libraries.iter().cycle().skip(at).take(libraries.len()).find(fits);
    let first = first.ok_or_else(|| format!("{} runs under none", program.name))?;
    let other = FAMILIES.into_iter().filter_map(Mpi::named).find(|mpi| mpi.is_openmpi() != first.is_openmpi());
    let is_by_both = !program.waits.is_empty() || BY_BOTH.contains(&program.name.as_str());
    let other = other.filter(|mpi| is_by_both && program.runs_under(mpi));
    Ok([first.clone()].into_iter().chain(other).collect())
}

/// Records one until it went as it states, and packs it. Returns the bytes it takes.
fn record(program: &Program, mpi: &Mpi) -> Result<u64, String> {
    let name = format!("{}-{}", program.name, mpi.name);
    let mut wrong = Vec::new();
    for _ in 0..ATTEMPTS {
        let (output, run) = Case::of(program, mpi).recorded("fixture");
        wrong = match program.expectations.is_empty() {
            true => Vec::new(),
            false => truth::differences(program, |by| run.report(by)),
        };
        if !program.waits.is_empty() {
            wrong.extend(waits::differences(program, &output.stderr, &run.ask("waits", &[])));
        }
        if wrong.is_empty() {
            let bytes = pack(&name, program, &run, &output.stderr).map_err(|error| format!("{name}: {error}"))?;
            println!("{name:40}{bytes:9}");
            return Ok(bytes);
        }
    }
    Err(format!("{name}, the last of {ATTEMPTS} times:\n{}", wrong.join("\n")))
}
