//! Small programs, correct ones and ones that hang, to test that `overhear hang` tells them apart.
//!
//! In: `programs/verdicts.c`, whose programs each state their truth. Out: the verdicts on each while it ran and after
//! it was killed, and their scores: a program that hangs does not end, and one that does not hang ends by itself.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::answer::Answer;
use crate::machine::workspace;
use crate::mpi::Mpi;
use crate::program::Program;
use crate::run::{Case, Run};
use crate::running::{Running, says_it_hangs, verdict};

/// Longest look at a program without a verdict. Programs that end do so before, and if only time can tell, `hang` waits
/// for a minute of silence.
const LIMIT: Duration = Duration::from_secs(75);
/// Time in which a program that was said to hang may end and refute the verdict.
pub const PROOF: Duration = Duration::from_secs(4);

#[derive(Clone, Debug)]
pub struct SmallProgram {
    pub name: String,
    pub ranks: u32,
    /// `None` if libraries differ.
    pub hangs: Option<bool>,
}

/// A verdict compared with the truth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    Right,
    Wrong,
    /// The verdict is that the evidence does not decide.
    CannotTell,
}

/// Result of one program under one library.
#[derive(Debug)]
pub struct Trial {
    pub hung: bool,
    /// Score while it ran.
    pub live: Score,
    /// Score after it was over.
    pub after: Score,
    /// Verdicts, and their reasons.
    pub said: String,
    /// Number of looks while it ran.
    pub looks: u32,
}

fn folder() -> PathBuf {
    workspace().join("examples/tests/programs")
}

pub fn all() -> Vec<SmallProgram> {
    let path = folder().join("verdicts.c");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let stated = text.lines().filter_map(|line| line.strip_prefix("PROGRAM(").or(line.strip_prefix("THREADED(")));
    stated.map(|line| small_program(line).unwrap_or_else(|| panic!("{line}: no such program"))).collect()
}

/// Reads `name, ranks, truth)`.
fn small_program(line: &str) -> Option<SmallProgram> {
    let mut words = line.strip_suffix(')')?.split(", ");
    let (name, ranks, truth) = (words.next()?.to_string(), words.next()?.parse().ok()?, words.next()?);
    let hangs = match truth {
        "HANGS" => Some(true),
        "ENDS" => Some(false),
        "DEPENDS" => None,
        _ => return None,
    };
    Some(SmallProgram { name, ranks, hangs })
}

pub fn build(mpi: &Mpi) -> PathBuf {
    Program::read_in(&folder(), "verdicts").build(mpi)
}

pub fn case<'a>(program: &SmallProgram, mpi: &'a Mpi) -> Case<'a> {
    let (arguments, path) = (vec![program.name.clone()], build(mpi));
    Case { mpi, path, arguments, ranks: program.ranks, variables: Vec::new() }
}

/// Runs a program and looks at it until it ends, is said to hang, or `LIMIT` is over. One that is said to hang has
/// `proof` to end.
///
/// Fails if the program does not do what it states: that says nothing about the verdict.
pub fn judge(program: &SmallProgram, mpi: &Mpi, proof: Duration) -> Result<Trial, String> {
    let mut running = Running::begin(&format!("verdicts-{}", program.name), &case(program, mpi));
    let (began, mut looks, mut last) = (Instant::now(), 0, None);
    while !running.is_over() && began.elapsed() < LIMIT {
        let Some(answer) = running.look() else {
            sleep(Duration::from_millis(5));
            continue;
        };
        looks += 1;
        let hangs = says_it_hangs(&answer);
        last = Some(answer);
        if hangs {
            break;
        }
        sleep(Duration::from_millis(100));
    }
    let hung = !ends_within(&mut running, proof);
    let run = Run { folder: running.run.folder.clone() };
    drop(running);
    run.wait_for_its_processes();
    if program.hangs.is_some_and(|hangs| hangs != hung) {
        let state = if hung { "does not end" } else { "ends" };
        return Err(format!("{} under {} {state}: {}", program.name, mpi.name, said(last.as_ref())));
    }
    let after = run.ask("hang", &["--no-cache"]);
    Ok(Trial {
        hung,
        live: last.as_ref().map_or(Score::CannotTell, |answer| score(answer, hung)),
        after: score(&after, hung),
        said: format!("{}; after its end: {}", said(last.as_ref()), said(Some(&after))),
        looks,
    })
}

fn ends_within(running: &mut Running, time: Duration) -> bool {
    let began = Instant::now();
    while !running.is_over() && began.elapsed() < time {
        sleep(Duration::from_millis(20));
    }
    running.is_over()
}

fn score(answer: &Answer, hung: bool) -> Score {
    match (verdict(answer), hung) {
        ("certain" | "likely", true) | ("no" | "finished", false) => Score::Right,
        ("unknown", _) => Score::CannotTell,
        _ => Score::Wrong,
    }
}

fn said(answer: Option<&Answer>) -> String {
    let Some(answer) = answer else { return "nothing".into() };
    format!("{}: {}", verdict(answer), answer.json["run"]["rests_on"].as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_collection_has_programs_that_hang_and_programs_that_end_each_by_a_name_of_its_own() {
        let all = all();
        let count = |hangs| all.iter().filter(|program| program.hangs == hangs).count();
        assert!(count(Some(true)) >= 40 && count(Some(false)) >= 25, "{} programs", all.len());
        let names: std::collections::BTreeSet<&str> = all.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
    }
}
