//! `overhear diff`: two sides compared, of one run each or several.

use std::path::PathBuf;

use super::print::print;
use crate::cli;
use crate::error::{DIFFERENT, Error, OK, PARTIAL};
use crate::metrics::compare::{self, FigureRow, Side, Threshold, figures};
use crate::metrics::{engine, overview};
use crate::model::{Choice, Run};
use crate::report::schema::Schema;
use crate::report::{Report, Sheet};

/// Prints what differs. Returns the exit status: 1 where a condition is met.
pub fn run(arguments: &cli::Diff) -> Result<u8, Error> {
    let choice = arguments.select.choice();
    let (of_a, of_b) = match arguments.runs.as_slice() {
        [a, b] => (std::slice::from_ref(a), std::slice::from_ref(b)),
        _ => (arguments.a.as_slice(), arguments.b.as_slice()),
    };
    let (a, b) = (Read::all("A", of_a, &choice)?, Read::all("B", of_b, &choice)?);
    let all = compare::compare(&a.side, &b.side);
    let mut warnings = met(&arguments.fail_if, &all)?;
    let is_met = !warnings.is_empty();
    warnings.extend(compare::warnings(&a.side, &b.side));
    warnings.extend([a.warnings, b.warnings].concat());
    let is_judged = a.side.len() > 1 && b.side.len() > 1;
    let mut tables = compare::sections(&all, is_judged);
    let facts = compare::facts(&a.side, &b.side, &all);
    tables.push(Sheet::from(compare::table(all)));
    print(Report { facts, warnings, tables }, "diff", &arguments.print)?;
    Ok(match (is_met, a.is_partial || b.is_partial) {
        (true, _) => DIFFERENT,
        (false, true) => PARTIAL,
        (false, false) => OK,
    })
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    Schema::of("diff").facts(compare::FACTS).table::<FigureRow>()
}

/// What was read of a side.
struct Read {
    side: Side,
    warnings: Vec<String>,
    is_partial: bool,
}

impl Read {
    /// Reads run after run, so that there is never more than one in memory.
    fn all(name: &str, folders: &[PathBuf], choice: &Choice) -> Result<Read, Error> {
        let mut read = Read { side: Vec::new(), warnings: Vec::new(), is_partial: false };
        for (folder, number) in folders.iter().zip(1..) {
            let run = Run::select(folder, choice)?;
            let name = if folders.len() == 1 { name.to_string() } else { format!("{name} {number}") };
            let figures = figures(&run);
            let said = figures.warnings.iter().cloned().chain(engine::unseen(&run)).chain(overview::warnings(&run));
            read.warnings.extend(said.map(|said| format!("{name}: {said}")));
            read.is_partial |= run.is_partial();
            read.side.push(figures);
        }
        Ok(read)
    }
}

/// What to say of each condition that is met.
fn met(conditions: &[Threshold], all: &[compare::Comparison]) -> Result<Vec<String>, Error> {
    let said: Result<Vec<Vec<String>>, Error> = conditions.iter().map(|condition| condition.exceeded(all)).collect();
    Ok(said?.concat())
}
