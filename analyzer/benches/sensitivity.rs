//! Tries each limit of the rules at half, at twice, and taken out, and prints which first findings change on all recorded runs.
//!
//! `cargo lab sensitivity [FOLDER ...]`: folders of further runs. A limit whose absence changes nothing decides nothing here; one that
//! half or twice moves needs a measured reason.

use std::path::{Path, PathBuf};
use std::{env, fs};

use analyzer::commands::all_analyses::AllAnalyses;
use examples::fixture;
use metrics::summary::limits::Limit;
use metrics::summary::{self, Evidence, rules};
use model::{Choice, Run};

/// A run's name and its evidence.
struct Judged<'a> {
    name: &'a str,
    evidence: &'a AllAnalyses<'a>,
    first: Vec<String>,
}

fn main() {
    let further: Vec<PathBuf> =
        env::args_os().skip(1).map(PathBuf::from).filter(|argument| argument.is_dir()).collect();
    let folders = folders(&further);
    let runs: Vec<(String, Run)> = folders.iter().filter_map(|folder| loaded(folder)).collect();
    let analyses: Vec<(&str, AllAnalyses)> =
        runs.iter().map(|(name, run)| (name.as_str(), AllAnalyses::of(run))).collect();
    let judged: Vec<Judged> =
        analyses.iter().map(|(name, evidence)| Judged { name, evidence, first: first(&evidence.evidence()) }).collect();
    let found = judged.iter().filter(|run| !run.first.is_empty()).count();
    println!("{} runs, {found} with a finding about the program\n", judged.len());
    println!(
        "{:32} {:>10}  {:>5} {:>5} {:>5}  runs whose first finding changes with half, or twice",
        "limit", "value", "half", "twice", "none"
    );
    let (mut idle, mut moving, mut all) = (0, 0, 0);
    for limit in rules::limits() {
        let value = limit.value();
        let changed = [value / 2.0, value * 2.0, limit.none()].map(|tried| changes(limit, tried, &judged));
        let [half, twice, none] = &changed;
        let mut names: Vec<&str> = half.iter().chain(twice).copied().collect();
        names.sort_unstable();
        names.dedup();
        all += 1;
        idle += usize::from(none.is_empty());
        moving += usize::from(!names.is_empty());
        let told = names.iter().take(4).copied().collect::<Vec<_>>().join(", ");
        println!("{:32} {:>10}  {:>5} {:>5} {:>5}  {told}", limit.name, value, half.len(), twice.len(), none.len());
    }
    println!(
        "\n{all} limits: half or twice changes the first finding of a run with {moving}, absence changes none with {idle}"
    );
}

/// Names of the runs whose first finding is another one with this figure.
fn changes<'a>(limit: &Limit, tried: f64, judged: &[Judged<'a>]) -> Vec<&'a str> {
    limit.set(tried);
    let changed = judged.iter().filter(|run| first(&run.evidence.evidence()) != run.first).map(|run| run.name);
    let changed = changed.collect();
    limit.set(limit.value());
    changed
}

/// Kind, ranks and sites of the first finding about the program.
fn first(evidence: &Evidence) -> Vec<String> {
    let findings = summary::findings(evidence);
    let Some(first) = findings.iter().find(|finding| !finding.kind.is_about_the_run()) else { return Vec::new() };
    let mut key = vec![first.kind.key().to_string()];
    key.extend(first.ranks.iter().map(ToString::to_string));
    key.extend(first.sites.iter().cloned());
    key
}

/// Folders of the fixtures, unpacked, of the samples, and of further runs.
fn folders(further: &[PathBuf]) -> Vec<PathBuf> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sensitivity");
    let mut folders: Vec<PathBuf> = Vec::new();
    for name in fixture::names().into_iter().chain(fixture::diagnosis_names()) {
        let into = scratch.join(name.replace('/', "-"));
        fixture::unpack(&name, &into);
        folders.push(into.join("run"));
    }
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples");
    for folder in further.iter().chain([&samples]) {
        let inside = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        folders.extend(inside.filter(|path| path.is_dir()));
    }
    folders.sort();
    folders
}

/// A run with its name, that of its folder or, for a fixture, of the one around it.
fn loaded(folder: &Path) -> Option<(String, Run)> {
    let named = if folder.ends_with("run") { folder.parent()? } else { folder };
    let run = Run::select(folder, &Choice::default()).ok()?;
    Some((named.file_name()?.to_string_lossy().into_owned(), run))
}
