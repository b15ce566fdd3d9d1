//! What recording a call costs: plain, under a hand-written floor, and under overhear with call sites, in one run.
//!
//! `cargo bench -p overhear-examples --bench wrapper`, with any MPI of `cargo xtask test` at hand; `TEST_MPI=mpich4`
//! chooses. The variants take turns, so that a change of the machine's speed hits all; medians are printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::mpi::Mpi;
use examples::program::compile;
use examples::run::{finish, fresh_folder, library};
use examples::{target, workspace};

const ROUNDS: usize = 7;
const VARIANTS: [&str; 5] = ["plain", "floor", "null", "profile", "trace"];

fn main() {
    for mpi in Mpi::all().iter().filter(|mpi| mpi.built_as == mpi.name) {
        print(mpi, &measure(mpi));
    }
}

/// Nanoseconds a call, by function and variant, one for each round.
fn measure(mpi: &Mpi) -> BTreeMap<(String, &'static str), Vec<f64>> {
    let build = |source: &str, to: &str, flags: &[&str]| -> PathBuf {
        let to = target().join("programs").join(mpi.built_as).join(to);
        std::fs::create_dir_all(to.parent().expect("it has one")).expect("the target folder can be written");
        let flags: Vec<String> = ["-O2"].iter().chain(flags).map(|flag| flag.to_string()).collect();
        compile(mpi, &workspace().join("examples/benches/wrapper").join(source), &to, &flags);
        to
    };
    let calls = build("calls.c", "calls-bench", &[]);
    let floor = build("floor.c", "floor.so", &["-shared", "-fPIC"]);
    let mut figures: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for variant in VARIANTS {
            for line in run(mpi, &calls, variant, &floor).lines() {
                let Some((function, figure)) = line.rsplit_once(' ') else { continue };
                let Ok(figure) = figure.parse() else { continue };
                figures.entry((function.to_string(), variant)).or_default().push(figure);
            }
        }
    }
    figures
}

fn run(mpi: &Mpi, program: &Path, variant: &str, floor: &Path) -> String {
    let preload = match variant {
        "plain" => PathBuf::new(),
        "floor" => floor.into(),
        _ => library(),
    };
    let mode = if ["null", "profile"].contains(&variant) { variant } else { "trace" };
    // One rank needs no launcher.
    let mut command = Command::new(program);
    mpi.set_environment(&mut command);
    command.env("LD_PRELOAD", preload).env("OVERHEAR_DIR", fresh_folder("bench"));
    finish(command.env("OVERHEAR_MODE", mode).env("OVERHEAR_FILTER", "all")).stdout
}

fn print(mpi: &Mpi, figures: &BTreeMap<(String, &'static str), Vec<f64>>) {
    let median = |function: &str, variant: &'static str| {
        let mut rounds = figures.get(&(function.to_string(), variant)).cloned().unwrap_or_default();
        rounds.sort_by(f64::total_cmp);
        rounds.get(rounds.len() / 2).copied().unwrap_or(f64::NAN)
    };
    println!("{}: nanoseconds a call, plain and added to that; median of {ROUNDS} rounds", mpi.name);
    println!("{:22}{:>8}{:>8}{:>8}{:>9}{:>8}{:>14}", "", "plain", "floor", "null", "profile", "trace", "trace/floor");
    let functions: std::collections::BTreeSet<_> = figures.keys().map(|(function, _)| function).collect();
    for function in functions {
        let plain = median(function, "plain");
        let [floor, null, profile, trace] =
            ["floor", "null", "profile", "trace"].map(|variant| median(function, variant) - plain);
        let ratio = trace / floor;
        println!("{function:22}{plain:8.1}{floor:+8.1}{null:+8.1}{profile:+9.1}{trace:+8.1}{ratio:14.2}");
    }
}
