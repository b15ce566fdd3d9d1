//! Counts the right and wrong verdicts of `overhear hang` on small programs, of which some hang.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use examples::build;
use examples::mpi::{self, Mpi};
use examples::verdicts::{self, Score, SmallProgram, Trial};

/// Programs that run at a time.
const AT_ONCE: usize = 2;
/// Default libraries.
const LIBRARIES: &str = "ompi4,mpich4";

/// Runs programs whose names contain one of `names`, or all, under these libraries, separated by commas. Fails at any
/// wrong verdict.
pub fn run(libraries: Option<&str>, names: &[String]) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    let mpis = Mpi::all_of(libraries.or(Some(LIBRARIES)));
    let is_wanted =
        |program: &SmallProgram| names.is_empty() || names.iter().any(|name| program.name.contains(name.as_str()));
    let programs: Vec<SmallProgram> = verdicts::all().into_iter().filter(is_wanted).collect();
    for mpi in &mpis {
        verdicts::build(mpi);
    }
    let cases: Vec<(&Mpi, &SmallProgram)> =
        programs.iter().flat_map(|program| mpis.iter().map(move |mpi| (mpi, program))).collect();
    let trials = try_all(&cases);
    println!("library  program                                     hung  live         after its end");
    for (mpi, program, trial) in &trials {
        let hung = if trial.hung { "yes" } else { "no" };
        let (live, after) = (in_words(trial.live), in_words(trial.after));
        println!("{:7}  {:42}  {hung:4}  {live:11}  {after:13}  {}", mpi, program, trial.said);
    }
    for when in ["live", "after its end"] {
        let score = |trial: &Trial| if when == "live" { trial.live } else { trial.after };
        let count = |wanted| trials.iter().filter(|(.., trial)| score(trial) == wanted).count();
        let [right, wrong, unknown] = [Score::Right, Score::Wrong, Score::CannotTell].map(count);
        println!("{when}: {right} right, {wrong} wrong, {unknown} cannot tell, of {}", trials.len());
    }
    let failed = cases.len() - trials.len();
    let is_wrong = |trial: &Trial| trial.live == Score::Wrong || trial.after == Score::Wrong;
    let wrong = trials.iter().filter(|(.., trial)| is_wrong(trial)).count();
    match (failed, wrong, trials.is_empty()) {
        (0, 0, false) => Ok(()),
        (_, _, true) => Err("no program ran".into()),
        _ => Err(format!("{wrong} judged wrong, {failed} did not do what they state")),
    }
}

/// Runs all cases, a few at a time.
fn try_all(cases: &[(&Mpi, &SmallProgram)]) -> Vec<(String, String, Trial)> {
    let (next, trials) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((mpi, program)) = cases.get(next.fetch_add(1, Relaxed)) {
            match verdicts::judge(program, mpi, verdicts::PROOF) {
                Ok(trial) => {
                    let is_right = (trial.live, trial.after) == (Score::Right, Score::Right);
                    let said = if is_right { "" } else { trial.said.as_str() };
                    eprintln!("{} {}: {:?}, then {:?} {said}", mpi.name, program.name, trial.live, trial.after);
                    let trial = (mpi.name.to_string(), program.name.clone(), trial);
                    trials.lock().expect("no trial panics").push(trial);
                }
                Err(reason) => eprintln!("{reason}"),
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(work);
        }
    });
    let mut trials = trials.into_inner().expect("no trial panics");
    trials.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
    trials
}

fn in_words(score: Score) -> &'static str {
    match score {
        Score::Right => "right",
        Score::Wrong => "WRONG",
        Score::CannotTell => "cannot tell",
    }
}
