//! Runs of the generated program, and each call's result.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use super::limits::VARYING;
use crate::answer::Answer;
use crate::mpi::Mpi;
use crate::run::{Case, fresh_folder};
use crate::{rota, target};

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

/// A run without the recorder: its exit status, and the ranks' output.
type Plain = (i32, Vec<BTreeMap<String, String>>);

/// File for a run without the recorder, named by all that determines its output: program, library and functions.
fn kept(mpi: &Mpi, path: &Path, how: &[&str], names: &[&str]) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    let library = fs::metadata(&mpi.library).ok()?;
    (mpi.name, fs::read(path).ok()?, library.len(), library.modified().ok()?, how, names).hash(&mut hasher);
    Some(target().join("plain").join(format!("{:016x}.json", hasher.finish())))
}

/// The results of an earlier run without the recorder. A full run takes none.
fn kept_plain(mpi: &Mpi, path: &Path, how: &[&str], names: &[&str]) -> Option<(i32, Tried)> {
    let file = kept(mpi, path, how, names).filter(|_| !rota::is_all())?;
    let (status, said) = serde_json::from_slice::<Plain>(&fs::read(file).ok()?).ok()?;
    Some((status, Tried { said }))
}

/// Runs the program without the recorder, and keeps the result.
fn plain(mpi: &Mpi, path: &Path, how: &[&str], names: &[&str]) -> (i32, Tried) {
    let (case, results) = case(mpi, path, how, names);
    let (status, tried) = (case.plain().status, Tried::read(&results));
    if let Some(file) = kept(mpi, path, how, names) {
        let text = serde_json::to_vec(&(status, &tried.said)).expect("numbers and names are JSON");
        // Tests of two threads may write the same file.
        let partial = file.with_extension(format!("{:?}", std::thread::current().id()));
        let written = fs::create_dir_all(target().join("plain")).and_then(|()| fs::write(&partial, text));
        written.and_then(|()| fs::rename(&partial, &file)).expect("the target folder can be written");
    }
    (status, tried)
}

/// Runs the program with and without the recorder. Returns the recording. Panics if the results differ.
pub fn same(mpi: &Mpi, path: &Path, how: &[&str], names: &[&str]) -> (Tried, Answer) {
    let mut differences = BTreeMap::new();
    let mut kept = kept_plain(mpi, path, how, names);
    for _attempt in 0..3 {
        let was_kept = kept.is_some();
        let (status, without) = kept.take().unwrap_or_else(|| plain(mpi, path, how, names));
        let (recorded_case, results) = case(mpi, path, how, names);
        let (recorded, run) = recorded_case.recorded("functions");
        let with = Tried::read(&results);
        differences = without.differences(&with, mpi);
        if differences.is_empty() {
            assert_eq!(status, recorded.status, "{} {how:?}: {}", mpi.name, recorded.stderr);
            return (with, run.report("site"));
        }
        // A kept result may come from a machine in another state, so it proves no difference.
        if !was_kept && !differences.keys().all(|name| VARYING.contains(&name.as_str())) {
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
