//! A machine goes down, and its file system leaves zeros in a run's files, 4 KiB at a time: each piece that held anything is
//! missed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{libraries, quick, under_each};
use examples::command::finish;
use examples::mpi::Mpi;
use examples::run::{Case, overhear};
use serde_json::Value;

const PIECE: usize = 4096;
/// Pieces of a file to try at most: that of a recorder which keeps the newest records has a thousand.
const MOST: usize = 40;

/// Programs and settings that fill pages of every kind.
fn recorded_in_all_ways(mpi: &Mpi) -> Vec<(&'static str, Case<'_>)> {
    vec![
        ("zeroed-trace", quick(mpi, &["calls", "2000"])),
        ("zeroed-profile", quick(mpi, &["sizes", "100"]).with("OVERHEAR_MODE", "profile")),
        ("zeroed-keep", quick(mpi, &["calls", "1000000"]).with("OVERHEAR_KEEP", "last:4M")),
        ("zeroed-crash", quick(mpi, &["crash"])),
        ("zeroed-node", quick(mpi, &["calls", "500"]).with("OVERHEAR_FILES", "node")),
    ]
}

/// The exit status of a report of a run, and its warnings, or the errors of a run that cannot be read.
fn warnings(run: &Path) -> (i32, BTreeSet<String>) {
    let output = finish(Command::new(overhear()).arg("report").arg(run).args(["--no-cache", "--format", "json"]));
    let json: Option<Value> = serde_json::from_str(&output.stdout).ok();
    let lines = match &json {
        Some(json) => json["warnings"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().into()).collect(),
        None => output.stderr.lines().map(String::from).collect(),
    };
    (output.status, lines)
}

#[test]
fn each_piece_of_zeros_that_held_anything_is_said() {
    under_each(&libraries(), |mpi| {
        for (name, case) in recorded_in_all_ways(mpi) {
            let (_, run) = case.recorded(name);
            let (_, before) = warnings(&run.folder);
            let mut pieces = 0;
            let names: Vec<_> = fs::read_dir(&run.folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            let mut files: Vec<_> =
                names.into_iter().filter(|path| path.extension().is_some_and(|e| e == "ovh")).collect();
            // The crash is rank 1's, and all ranks of a node are in one file.
            files.sort();
            let path = files.pop().unwrap();
            let whole = fs::read(&path).unwrap();
            let held = |at: &usize| whole[*at..(at + PIECE).min(whole.len())].iter().any(|byte| *byte != 0);
            let places: Vec<usize> = (0..whole.len()).step_by(PIECE).filter(held).collect();
            for at in places.iter().copied().step_by(places.len().div_ceil(MOST)) {
                let mut bytes = whole.clone();
                bytes[at..(at + PIECE).min(whole.len())].fill(0);
                fs::write(&path, bytes).unwrap();
                let (status, after) = warnings(&run.folder);
                let said: Vec<_> = after.difference(&before).collect();
                let place = format!("{} under {}: byte {at}", path.display(), mpi.name);
                assert!(matches!(status, 3 | 4) && !said.is_empty(), "{place}: status {status}, nothing said");
                pieces += 1;
            }
            fs::write(&path, &whole).unwrap();
            assert!(pieces >= 4, "{name} under {}: {pieces} pieces", mpi.name);
        }
    });
}
