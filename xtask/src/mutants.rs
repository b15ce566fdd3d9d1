//! Plants errors into the analyses, one at a time, and runs the tests that need no MPI: an error that no test notices is in a line that
//! no test is about.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::build::cargo;
use examples::wheel::run as done;
use examples::{target, workspace};

/// What makes the changes, and its version: another one's seed means other changes.
const TOOL: &str = "cargo-mutants";
const VERSION: &str = "27.1.0";
/// Where changes are made.
const PLACES: [&str; 2] = ["analyzer/model/src/**/*.rs", "analyzer/metrics/src/**/*.rs"];

/// A test that takes longer than all others together, and asks only whether an analysis ends.
const SLOW: &str = "every_analysis_copes_with_any_damage";

/// Tries about so many changes, evenly spread over the files, and prints those that were missed. Fails where more than a fifth were.
pub fn run(count: usize, seed: usize) -> Result<(), String> {
    let tool = install()?;
    let all = list(&tool)?;
    let each = (all / count.max(1)).max(1);
    println!("every {each}th of {all} changes, seed {seed}");
    let folder = target().join("mutants");
    let mut command = mutants(&tool);
    command.args(["--sharding", "round-robin", "--shard", &format!("{}/{each}", seed % each)]);
    command.args(["--colors", "never", "--test-package", "overhear", "--output"]).arg(&folder);
    command.args(["--", "--tests", "--", "--skip", SLOW]);
    // It fails where any change was missed, and this where many were.
    let _ = command.status().map_err(|error| format!("{TOOL}: {error}"))?;
    verdict(&folder.join("mutants.out"))
}

/// The tool, of a version of its own and beside what it is for.
fn install() -> Result<PathBuf, String> {
    let root = target().join(TOOL);
    let tool = root.join("bin").join(TOOL);
    let is_here = Command::new(&tool).args(["mutants", "--version"]).output();
    if !is_here.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(VERSION)) {
        done(cargo().args(["install", "--locked", "--force", TOOL, "--version", VERSION, "--root"]).arg(&root))?;
    }
    Ok(tool)
}

fn mutants(tool: &Path) -> Command {
    // Whoever works on this machine goes first.
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(tool).arg("mutants").current_dir(workspace());
    // Most of the time goes into linking the tests, most of that into what debuggers read.
    command.env("CARGO_PROFILE_DEV_DEBUG", "none").env("CARGO_PROFILE_TEST_DEBUG", "none");
    command.args(PLACES.iter().flat_map(|place| ["--file", place]));
    command
}

/// How many changes can be made.
fn list(tool: &Path) -> Result<usize, String> {
    let output = mutants(tool).arg("--list").output().map_err(|error| format!("{TOOL}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().count())
}

fn verdict(folder: &Path) -> Result<(), String> {
    let of = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let [caught, missed, hung, unbuilt] = ["caught.txt", "missed.txt", "timeout.txt", "unviable.txt"].map(of);
    let [caught, lost, hung, unbuilt] = [&caught, &missed, &hung, &unbuilt].map(|text| text.lines().count());
    println!("{caught} caught, {hung} hung, {lost} missed, {unbuilt} did not build\n{missed}");
    match caught + hung {
        0 => Err("no change was tried".into()),
        seen if 4 * lost > seen => Err("more than a fifth was missed".into()),
        _ => Ok(()),
    }
}
