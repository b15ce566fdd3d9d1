//! Compares programs that measure themselves with their traces, row by row.

use std::collections::{BTreeMap, BTreeSet};

use examples::answer::Answer;
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::rota;
use examples::run::{Case, Run};
use serde_json::json;

use super::{one_at_most, transports, with_programs_in_rust};

/// Rows that differ, each with a description.
pub type Differences = BTreeMap<String, String>;

/// A run's rows compared with the program's measurements.
#[derive(Default)]
pub struct Compared {
    pub rows: usize,
    pub differences: Differences,
    /// Rows without a figure: other processes disturbed too many requests.
    pub unknown: BTreeSet<String>,
}

impl From<Differences> for Compared {
    fn from(differences: Differences) -> Compared {
        Compared { differences, ..Compared::default() }
    }
}

/// Libraries to compare benchmarks under in a full run.
const LIBRARIES: [&str; 4] = ["ompi4", "ompi5", "mpich4", "mpich5"];
/// Attempts at a row on a busy machine: runs are short, and each row is measured at another moment.
const ATTEMPTS: usize = 6;

/// Libraries to compare benchmarks under: one, except in a full run.
pub fn with_benchmarks() -> Vec<Mpi> {
    let mut libraries = with_programs_in_rust();
    libraries.retain(|mpi| LIBRARIES.contains(&mpi.name));
    assert!(!libraries.is_empty(), "no MPI that is here, or that TEST_MPI names, has the programs");
    if rota::is_measured() { libraries } else { one_at_most(libraries, "benchmarks") }
}

/// Transports to compare over.
pub fn with_transports(mpi: &Mpi) -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let ways: &[&str] = if rota::is_all() || rota::is_measured() { &["default", "tcp"] } else { &["default"] };
    transports(mpi).into_iter().filter(|(way, _)| ways.contains(way)).collect()
}

/// On a loaded machine, one in this many rows may have no figure in any attempt.
const ROWS_FOR_AN_UNKNOWN: usize = 5;

/// Rows that may differ in every attempt of a default run, whose machine other programs may share: a row of a few
/// microseconds is now and then off in all of them. An analysis that errs is off in most rows.
const ROWS_OFF: usize = 3;

/// Runs until every row has agreed once. Fails if more than [`ROWS_OFF`] rows with a figure differ in every attempt, with
/// `--measured` if one does.
pub fn agree<C: Into<Compared>>(of: &str, compare: impl FnMut() -> C) {
    let (allowed, every) = if rota::is_measured() { (0, usize::MAX) } else { (ROWS_OFF, ROWS_FOR_AN_UNKNOWN) };
    agree_but_for(allowed, every, of, compare);
}

/// Runs until every row has agreed once.
pub fn agree_in_every_row(of: &str, compare: impl FnMut() -> Differences) {
    agree_but_for(0, usize::MAX, of, compare);
}

fn agree_but_for<C: Into<Compared>>(allowed: usize, every: usize, of: &str, mut compare: impl FnMut() -> C) {
    let _alone = alone();
    let mut left: Compared = compare().into();
    for _ in 1..ATTEMPTS {
        if left.differences.is_empty() && left.unknown.is_empty() {
            return;
        }
        left.go_on_with(compare().into());
    }
    let Compared { rows, differences, unknown } = left;
    assert!(differences.len() <= allowed, "{of}, each of {ATTEMPTS} times: {differences:#?}");
    assert!(unknown.len() <= rows / every, "{of}, without a figure each of {ATTEMPTS} times: {unknown:#?}");
}

impl Compared {
    /// Drops the rows that agreed in another attempt. A row with a figure in either attempt is judged by that one.
    fn go_on_with(&mut self, mut again: Compared) {
        self.differences.retain(|row, _| again.differences.contains_key(row) || again.unknown.contains(row));
        for row in std::mem::take(&mut self.unknown) {
            if let Some(difference) = again.differences.remove(&row) {
                self.differences.insert(row, difference);
            } else if again.unknown.contains(&row) {
                self.unknown.insert(row);
            }
        }
    }
}

#[test]
fn a_row_without_a_figure_neither_agrees_nor_hides_that_it_differs() {
    let different = |row: &str| (row.to_string(), "2 and not 1".to_string());
    let attempt = |differences: &[&str], unknown: &[&str]| Compared {
        rows: 4,
        differences: differences.iter().map(|row| different(row)).collect(),
        unknown: unknown.iter().map(|row| row.to_string()).collect(),
    };
    let mut left = attempt(&["a", "b"], &["c", "d"]);
    left.go_on_with(attempt(&["c"], &["a", "d"]));
    assert!(left.differences.keys().eq(["a", "c"]), "{:?}", left.differences);
    assert!(left.unknown.iter().eq(["d"]), "{:?}", left.unknown);
    left.go_on_with(attempt(&["a", "b", "c"], &[]));
    assert!(left.differences.keys().eq(["a", "c"]) && left.unknown.is_empty());
}

/// Runs [`agree`] under each library that has the benchmarks, over shared memory and TCP.
pub fn agree_everywhere<C: Into<Compared>>(mut compare: impl FnMut(&Mpi, &[(&str, &str)]) -> C) {
    let mut ran = 0;
    for mpi in with_benchmarks() {
        for (way, variables) in with_transports(&mpi) {
            agree(&format!("{} over {way}", mpi.name), || compare(&mpi, &variables));
            ran += 1;
        }
    }
    assert!(ran > 0);
}

/// The mark of each kind of waiting in a program's source, and its column in `overlap`.
const KINDS_OF_WAITING: [(&str, &str); 3] = [
    ("right after", "waited_right_after"),
    ("without progress", "postponed_without_progress"),
    ("with progress", "postponed_with_progress"),
];

/// The kinds of waiting of which `overlap` does not count as many requests as the program plants. An interruption between post and
/// wait postpones one, so one in ten may be missing.
pub fn differences_of_waiting(said: &Answer, planted: u64, site: impl Fn(&str) -> String) -> Differences {
    let mut differences = Differences::new();
    for (mark, column) in KINDS_OF_WAITING {
        let requests = said.sum("postponed", column, &[("site", json!(site(mark)))]);
        if !(planted - planted / 10..=planted).contains(&requests) {
            differences.insert(mark.into(), format!("{requests} and not {planted}: {:#}", said.json["postponed"]));
        }
    }
    differences
}

/// A program's output, and its trace.
pub fn recorded(case: Case<'_>, variables: &[(&str, &str)], name: &str) -> (String, Run) {
    let case = variables.iter().fold(case, |case, (name, value)| case.with(name, value));
    let (output, run) = case.recorded(name);
    assert_eq!(output.status, 0, "{}: {}", case.mpi.name, output.stderr);
    (output.stdout, run)
}
