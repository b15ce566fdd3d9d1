//! Runs of the generated program, and each call's result.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::limits::VARYING;
use crate::answer::Answer;
use crate::mpi::Mpi;
use crate::run::{Case, fresh_folder};

const RANKS: u32 = 2;

/// One run of the program, with each rank's output for each function.
pub struct Tried {
    /// Output by rank and function.
    pub said: Vec<BTreeMap<String, String>>,
}

impl Tried {
    /// Reads the ranks' output files.
    pub fn read(results: &Path) -> Tried {
        let rank = |rank: u32| {
            let text = fs::read_to_string(results.with_extension(rank.to_string())).unwrap_or_default();
            let said = text.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
            said.map(|(name, said)| (name.to_string(), said.to_string())).collect()
        };
        Tried { said: (0..RANKS).map(rank).collect() }
    }

    pub fn has(&self, function: &str) -> bool {
        self.said.iter().any(|said| said.contains_key(function))
    }

    /// True if some rank got an error code.
    pub fn fails(&self, function: &str) -> bool {
        let code = |said: &String| said.strip_prefix("returned ").is_some_and(|code| !code.starts_with("0"));
        self.said.iter().filter_map(|said| said.get(function)).any(code)
    }

    /// Functions with different output on some rank, and the two outputs.
    fn differences(&self, other: &Tried, mpi: &Mpi) -> BTreeMap<String, String> {
        let mut differences = BTreeMap::new();
        let told = |said: &String| if mpi.name == RESERVED_UNSET { without_reserved(said) } else { said.clone() };
        for (rank, (mine, theirs)) in self.said.iter().zip(&other.said).enumerate() {
            let names = mine.keys().chain(theirs.keys().filter(|name| !mine.contains_key(*name)));
            let differing = names.filter(|name| mine.get(*name).map(told) != theirs.get(*name).map(told));
            differences.extend(differing.map(|name| {
                let said = format!("  without {:?}\n  with    {:?}", mine.get(name), theirs.get(name));
                (name.clone(), format!("rank {rank}: {name}\n{said}"))
            }));
        }
        differences
    }
}

/// The library whose large-count functions leave garbage in the status's last words, which the ABI reserves.
const RESERVED_UNSET: &str = "impiabi";

/// Drops the reserved words of statuses, three of eight.
fn without_reserved(said: &str) -> String {
    let mut is_status = false;
    let is_told = |word: &&str| match word.split_once(':').and_then(|(number, _)| number.parse::<usize>().ok()) {
        Some(number) => !is_status || number % 8 < 5,
        None => {
            is_status = word.contains("status");
            true
        }
    };
    said.split(' ').filter(is_told).collect::<Vec<_>>().join(" ")
}

/// A run of the program on some functions, and the folder of its results.
pub fn case<'a>(mpi: &'a Mpi, path: &Path, how: &[&str], names: &[&str]) -> (Case<'a>, PathBuf) {
    let results = fresh_folder(&format!("{}-results", mpi.name));
    for rank in 0..RANKS {
        drop(fs::remove_file(results.with_extension(rank.to_string())));
    }
    let words = [results.to_str().unwrap()].into_iter().chain(how.iter().copied()).chain(names.iter().copied());
    let case =
        Case { mpi, path: path.into(), arguments: words.map(String::from).collect(), ranks: RANKS, variables: vec![] };
    (case.with("OVERHEAR_FILTER", "all"), results)
}

/// Runs the program with and without the recorder. Returns the recording. Panics if the results differ.
pub fn same(mpi: &Mpi, path: &Path, how: &[&str], names: &[&str]) -> (Tried, Answer) {
    let mut differences = BTreeMap::new();
    for _attempt in 0..3 {
        let (plain_case, results) = case(mpi, path, how, names);
        let plain = plain_case.plain();
        let without = Tried::read(&results);
        let (recorded_case, results) = case(mpi, path, how, names);
        let (recorded, run) = recorded_case.recorded("functions");
        let with = Tried::read(&results);
        differences = without.differences(&with, mpi);
        if differences.is_empty() {
            assert_eq!(plain.status, recorded.status, "{} {how:?}: {}", mpi.name, recorded.stderr);
            return (with, run.report("site"));
        }
        if !differences.keys().all(|name| VARYING.contains(&name.as_str())) {
            break;
        }
    }
    panic!("{} {how:?}:\n{}", mpi.name, differences.into_values().collect::<Vec<_>>().join("\n"));
}

/// Runs the program until it aborts. Returns its exit status, and the ranks' output up to then.
pub fn abort(mpi: &Mpi, path: &Path, preload: bool) -> (i32, Vec<BTreeMap<String, String>>) {
    let (case, results) = case(mpi, path, &["abort", "look"], &[]);
    let output = if preload { case.recorded("abort").0 } else { case.plain() };
    (output.status, Tried::read(&results).said)
}
