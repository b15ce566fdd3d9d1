//! Runs are damaged at random, and every analysis must cope: it ends soon, with one of its exit statuses, and takes no
//! more memory than the files account for.
//!
//! `cargo xtask damage` tries more runs, or one by its seed.

#[path = "../all/common/mod.rs"]
mod common;
mod limits;
mod mutations;
mod originals;

use std::panic::{AssertUnwindSafe, catch_unwind};

use analyzer::cli::Cli;
use analyzer::commands;
use clap::Parser;
use common::Folder;
use mutations::Damage;

/// Analyses of each run; the folder replaces DIR.
const ANALYSES: [&[&str]; 23] = [
    &["progress", "DIR", "--plot", "/dev/null"],
    &["waits", "DIR"],
    &["path", "DIR"],
    &["pop", "DIR"],
    &["whatif", "DIR", "--balance", "--latency", "+1ms"],
    &["matrix", "DIR", "--plot", "/dev/null"],
    &["imbalance", "DIR", "--by", "site"],
    &["teams", "DIR"],
    &["files", "DIR"],
    &["sleeps", "DIR"],
    &["overlap", "DIR"],
    &["network", "DIR", "--plot", "/dev/null"],
    &["fanout", "DIR", "--plot", "/dev/null"],
    &["check", "DIR"],
    &["report", "DIR", "--by", "collective", "--plot", "/dev/null"],
    &["report", "DIR", "--html", "/dev/null"],
    &["diff", "DIR", "DIR"],
    &["diff", "DIR", "DIR", "--messages"],
    &["scaling", "DIR", "DIR"],
    &["waits", "DIR", "--region", "solve"],
    &["export", "DIR"],
    &["timeline", "DIR"],
    &["timeline", "DIR", "--svg", "/dev/null", "--html", "/dev/null"],
];
/// Breakdowns to choose one from.
const BREAKDOWNS: [&str; 11] =
    ["function", "rank", "rank=1", "behavior", "comm", "site", "size", "peer", "thread", "region", "collective"];
const FORMATS: [&str; 3] = ["text", "json", "csv"];

/// Default number of damaged runs.
const DAMAGED: u64 = 150;

/// Range of seeds to try.
fn seeds() -> std::ops::Range<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first = number("DAMAGE_SEED").unwrap_or(0);
    first..first + number("DAMAGE_RUNS").unwrap_or(DAMAGED)
}

#[test]
fn every_analysis_copes_with_any_damage() {
    let originals = originals::all();
    limits::watch();
    let all = std::env::var_os("DAMAGE_RUNS").is_some();
    let (mut ran, mut failures) = (0, Vec::new());
    for seed in seeds() {
        let mut damage = Damage::new(seed);
        let mut files = originals[damage.below(originals.len())].clone();
        damage.to(&mut files);
        let format = FORMATS[damage.below(FORMATS.len())];
        let report = ["report", "DIR", "--by", BREAKDOWNS[damage.below(BREAKDOWNS.len())]];
        let folder = Folder::new();
        files.iter().for_each(|(name, bytes)| folder.write(name, bytes));
        for analysis in ANALYSES.into_iter().chain([&report[..]]) {
            // The ordinary run tries only some analyses on each.
            if !all && damage.below(3) > 0 {
                continue;
            }
            failures.extend(run(seed, analysis, format, &folder));
            ran += 1;
        }
    }
    assert!(ran > 0);
    assert!(failures.is_empty(), "{} of {ran} failed:\n{}", failures.len(), failures.join("\n"));
}

/// Runs an analysis. Returns its fault, if any.
fn run(seed: u64, analysis: &[&str], format: &str, folder: &Folder) -> Option<String> {
    let dir = folder.0.to_str().unwrap();
    let exported = folder.0.join("exported");
    let words = ["overhear"].into_iter().chain(analysis.iter().map(|word| if *word == "DIR" { dir } else { word }));
    let printed: &[&str] = match analysis {
        // A page has one format, and its file is named already.
        [.., "--html", _] => &[],
        // An export has no text format, and writes a folder.
        ["export", ..] => &[exported.to_str().unwrap(), "--to", if format == "text" { "csv" } else { format }],
        _ => &["--format", format, "--output", "/dev/null"],
    };
    let cli = Cli::try_parse_from(words.chain(["--no-cache"]).chain(printed.iter().copied())).unwrap();
    let called = format!("seed {seed}: {} --format {format}", analysis.join(" "));
    limits::begin(&called);
    let ended = catch_unwind(AssertUnwindSafe(|| commands::run(cli)));
    limits::end();
    let documented: &[u8] = match analysis {
        ["check", ..] => &[0, 1, 3, 4],
        [.., "rank=1"] | [.., "--region", _] => &[0, 2, 3, 4],
        _ => &[0, 3, 4],
    };
    match ended {
        Ok(status) if documented.contains(&status) => None,
        Ok(status) => Some(format!("{called}: status {status}")),
        Err(_) => Some(format!("{called}: a panic")),
    }
}
