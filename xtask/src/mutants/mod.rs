//! Plants errors into the analyses, all in one build, and runs the tests without MPI for one error at a time. A missed
//! error is in code that no test covers.

mod copied_workspace;
mod places;
mod trials;
mod written_mutations;

use std::fs;

use examples::workspace;
use places::{Planted, files};

/// Tries `count` errors, spread evenly over the files, and prints the missed ones. Fails if more than a tenth were
/// missed.
pub fn run(count: usize, seed: usize) -> Result<(), String> {
    let all = all()?;
    let (of, count) = (all.len(), count.min(all.len()));
    println!("{count} of {of} changes, seed {seed}");
    let is_chosen = |at: usize| (at + seed + 1) * count / of > (at + seed) * count / of;
    let chosen: Vec<Planted> =
        all.into_iter().enumerate().filter(|(at, _)| is_chosen(*at)).map(|(_, error)| error).collect();
    let built = copied_workspace::build(&chosen)?;
    let outcome = trials::run(&built, &chosen)?;
    let [caught, hung, missed] = ["caught", "hung", "missed"].map(|fate| {
        let of_fate = outcome.iter().filter(|trial| trial.fate() == fate);
        of_fate.map(|trial| chosen[trial.number].in_words()).collect::<Vec<String>>()
    });
    println!(
        "\n{} caught, {} hung, {} did not build, {} missed:",
        caught.len(),
        hung.len(),
        built.left_out.len(),
        missed.len()
    );
    for error in &missed {
        println!("  {error}");
    }
    match caught.len() + hung.len() {
        0 => Err("no change was tried".into()),
        seen if 9 * missed.len() > seen => Err("more than a tenth was missed".into()),
        _ => Ok(()),
    }
}

/// All possible errors, ordered by file and line.
fn all() -> Result<Vec<Planted>, String> {
    let mut all = Vec::new();
    for file in files()? {
        let text = fs::read_to_string(workspace().join(&file)).map_err(|error| format!("{file}: {error}"))?;
        let found = places::of(&text).map_err(|error| format!("{file}: {error}"))?;
        all.extend(found.into_iter().map(|mutation| Planted { file: file.clone(), mutation }));
    }
    Ok(all)
}
