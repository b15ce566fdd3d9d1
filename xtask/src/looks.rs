//! Looks of `overhear hang` at programs that are right, while they run: how many say that one hangs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use examples::mpi::{self, Mpi};
use examples::program::Program;
use examples::run::Case;
use examples::running::{Running, verdict};

use crate::build;

/// A program that has not ended by then is left.
const LIMIT: Duration = Duration::from_secs(60);

/// What was seen of one program under one library.
#[derive(Default)]
struct Seen {
    looks: u64,
    alarms: u64,
}

/// Takes so many looks under these libraries, separated by commas, or under all, at the programs whose names contain `name`, one
/// after another and over again. Fails where one of them says that a program hangs.
pub fn run(count: u64, libraries: Option<&str>, name: Option<&str>) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    let mpis = Mpi::all_of(libraries);
    let wanted = |program: &&String| name.is_none_or(|name| program.contains(name));
    let programs: Vec<Program> = Program::names().iter().filter(wanted).map(|name| Program::read(name)).collect();
    let cases: Vec<(&Mpi, &Program, Case<'_>)> = mpis
        .iter()
        .flat_map(|mpi| programs.iter().filter(|program| program.runs_under(mpi)).map(move |program| (mpi, program)))
        .map(|(mpi, program)| (mpi, program, Case::of(program, mpi)))
        .collect();
    let mut seen: BTreeMap<(&str, &str), Seen> = BTreeMap::new();
    let mut alarms = Vec::new();
    let mut looks = 0;
    while looks < count {
        let before = looks;
        for (mpi, program, case) in &cases {
            let (taken, said) = look_while_it_runs(&format!("looks-{}", program.name), case, count - looks);
            let seen = seen.entry((mpi.name, &program.name)).or_default();
            (seen.looks, seen.alarms) = (seen.looks + taken, seen.alarms + said.len() as u64);
            alarms.extend(said.into_iter().map(|said| format!("{} {}: {said}", mpi.name, program.name)));
            looks += taken;
        }
        if looks == before {
            return Err("no program ran long enough to be looked at".into());
        }
        eprintln!("{looks} looks so far, {} false alarms", alarms.len());
    }
    println!("library  program                  looks  false alarms");
    for ((library, program), seen) in &seen {
        println!("{library:7}  {program:23}  {:5}  {:12}", seen.looks, seen.alarms);
    }
    println!("{looks} looks, {} false alarms", alarms.len());
    if alarms.is_empty() { Ok(()) } else { Err(format!("false alarms:\n{}", alarms.join("\n"))) }
}

/// How many looks were taken at a program, at most so many, and what those said that say it hangs.
fn look_while_it_runs(name: &str, case: &Case<'_>, most: u64) -> (u64, Vec<String>) {
    let mut running = Running::begin(name, case);
    let (began, mut looks, mut alarms) = (Instant::now(), 0, Vec::new());
    while looks < most && !running.is_over() && began.elapsed() < LIMIT {
        if !running.has_begun(case.ranks) {
            std::thread::sleep(Duration::from_millis(5));
            continue;
        }
        let answer = running.hang();
        looks += 1;
        if matches!(verdict(&answer), "certain" | "likely") {
            alarms.push(format!("{:#}", answer.json));
        }
    }
    (looks, alarms)
}
