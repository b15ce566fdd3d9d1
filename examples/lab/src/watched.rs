//! Measures the cost of `overhear top` to the program it watches, by pairs of runs with and without it.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use examples::build;
use examples::mpi::{self, Mpi};
use examples::run::{finish, fresh_folder, overhear};

/// One rank for each core of a small machine.
const RANKS: u32 = 2;
/// An integer sort of at least a second: `top` looks once a second.
const ARGUMENTS: [&str; 4] = ["--keys", "20", "--iterations", "60"];

/// Runs `pairs` pairs under each of these libraries, separated by commas, or under all, and prints how much longer the
/// watched runs took.
pub fn run(pairs: usize, libraries: Option<&str>) -> Result<(), String> {
    if pairs < 2 {
        return Err("an error takes two pairs or more".into());
    }
    mpi::install_all()?;
    build::released()?;
    println!("library  pairs  without s  longer with top %");
    for mpi in Mpi::all_of(libraries) {
        let program = build::benchmarks(&mpi)?.join("integer_sort");
        let mut seconds = Vec::new();
        for pair in 0..pairs {
            // Pairs alternate their order: the first run of a pair has the machine to itself for longer.
            let mut both =
                [pair % 2 == 0, pair % 2 != 0].map(|is_watched| (is_watched, sort(&mpi, &program, is_watched)));
            both.sort_by_key(|(is_watched, _)| *is_watched);
            let [(_, without), (_, with)] = both;
            seconds.push((without?, with?));
        }
        let longer: Vec<f64> = seconds.iter().map(|(without, with)| 100.0 * (with / without - 1.0)).collect();
        let (mean, error) = mean_and_error(&longer);
        let without = seconds.iter().map(|(without, _)| without).sum::<f64>() / pairs as f64;
        println!("{:7}  {pairs:5}  {without:9.3}  {mean:9.2} ± {error:.2}", mpi.name);
    }
    Ok(())
}

/// Seconds that a recorded sort reports.
fn sort(mpi: &Mpi, program: &Path, is_watched: bool) -> Result<f64, String> {
    let folder = fresh_folder(&format!("watched-{}", mpi.name));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let top = is_watched.then(|| top(&folder.display().to_string())).transpose()?;
    let mut record = Command::new(overhear());
    record.args(["record", "--dir"]).arg(&folder).args(mpi.launch(RANKS)).arg(program).args(ARGUMENTS);
    mpi.set_environment(&mut record);
    let output = finish(&mut record);
    if let Some(mut top) = top {
        // `top` must have watched to the end.
        if let Ok(Some(status)) = top.try_wait() {
            return Err(format!("overhear top ended, {status}"));
        }
        let ended = top.kill().and_then(|()| top.wait());
        ended.map_err(|error| format!("overhear top: {error}"))?;
    }
    let said = output.stderr.lines().find_map(|line| line.split_once(" iterations in ")?.1.strip_suffix(" s"));
    said.and_then(|seconds| seconds.parse().ok())
        .ok_or_else(|| format!("{}: status {}: {}", mpi.name, output.status, output.stderr))
}

/// Starts `overhear top` in a terminal made by script(1), which ends with it.
fn top(folder: &str) -> Result<Child, String> {
    let command = format!("exec {} top --no-cache {folder}", overhear().display());
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]).env("TERM", "xterm");
    let started = script.stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    started.map_err(|error| format!("script, of the package bsdutils: {error}"))
}

/// The mean, and twice its standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, 2.0 * (variance / count).sqrt())
}
