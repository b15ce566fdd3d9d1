//! Measures the cost of recording a call: plain, under a hand-written floor, and under overhear with call sites, in one run.
//!
//! `cargo bench -p overhear-examples --bench wrapper`, with any MPI of `cargo xtask test` at hand; `TEST_MPI=mpich4`
//! chooses. The variants take turns, so that a change of the machine's speed hits all; medians are printed. Debian's EZTrace stands beside
//! them under Debian's MPICH, if it is installed, and another build of the library that `BEFORE=liboverhear.so` names.
//! Words behind `--` choose among the tables: `calls`, `requests`, `signatures`, `contents`, `entries`, `partners`,
//! `paths`, `teams`, `files`, `sleeps`, `longest`.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::mpi::Mpi;
use examples::program::compile;
use examples::run::{finish, fresh_folder, library};
use examples::{target, workspace};

const ROUNDS: usize = 7;
const VARIANTS: [&str; 7] = ["plain", "floor", "null", "left out", "profile", "trace", "default"];
/// The variants for one rank of two, which listens to its progress engine.
const BESIDE_A_PARTNER: [&str; 4] = ["plain", "floor", "off", "events"];
/// The MPI that Debian's EZTrace records a program without a launcher under; under Open MPI its preload ends the launcher's own helper.
const EZTRACE_MPI: &str = "mpich4";
/// The variable that names another build of the library.
const BEFORE: &str = "BEFORE";
/// Depths to which the progress engine is recorded.
const DEPTHS: [&str; 5] = ["plain", "off", "count", "time", "events"];

fn main() {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_wanted = |table: &str| words.is_empty() || words.iter().any(|word| word == table);
    for mpi in Mpi::all().iter().filter(|mpi| mpi.built_as == mpi.name) {
        let added = |of, source, variants: &[&'static str]| {
            if is_wanted(source) {
                print_added(mpi, of, source, variants);
            }
        };
        if is_wanted("calls") {
            print(mpi, &measure(mpi));
        }
        if env::var_os(BEFORE).is_some() {
            added(
                "a call under another build of the library, and under this one",
                "calls",
                &["plain", "before profile", "profile", "before trace", "trace", "before default", "default"],
            );
        }
        added("a pair of MPI_Isend or MPI_Irecv and its MPI_Wait", "requests", &["plain", "null", "trace", "ask"]);
        added("a call whose arguments differ from call to call", "signatures", &["plain", "null", "trace"]);
        added("a call below so many functions", "paths", &["plain", "no paths", "trace"]);
        added("a parallel region of OpenMP", "teams", &["plain", "null", "trace"]);
        added("an access to a file", "files", &["plain", "null", "trace"]);
        added("a call that may sleep", "sleeps", &["plain", "null", "trace"]);
        added("an MPI_Sendrecv of so many bytes", "contents", &["plain", "trace", "crc32"]);
        if mpi.name == EZTRACE_MPI && Command::new("eztrace_avail").output().is_ok() {
            added("a call under two recorders", "calls", &["plain", "trace", "eztrace"]);
        }
        if is_wanted("longest") {
            print_longest(mpi);
        }
        if is_wanted("partners") {
            print_partners(mpi);
        }
        if mpi.is_openmpi() && is_wanted("entries") {
            print_entries(mpi, &measure_entries(mpi));
        }
    }
}

type Figures = BTreeMap<(String, &'static str), Vec<f64>>;

/// Nanoseconds a call, by function and variant, one for each round.
fn measure(mpi: &Mpi) -> Figures {
    let (calls, floor) = (build(mpi, "calls.c", "calls-bench", &[]), build_floor(mpi));
    rounds(&VARIANTS, |variant| run(mpi, &calls, variant, &floor))
}

/// Nanoseconds an entry into the progress engine, by how much is recorded of it.
fn measure_entries(mpi: &Mpi) -> Figures {
    let entries = build(mpi, "entries.c", "entries-bench", &[]);
    rounds(&DEPTHS, |depth| {
        let mut command = Command::new(&entries);
        mpi.set_environment(&mut command);
        if depth != "plain" {
            command.env("LD_PRELOAD", library()).env("OVERHEAR_PROGRESS", depth);
        }
        finish(command.env("OVERHEAR_DIR", fresh_folder("bench"))).stdout
    })
}

fn build(mpi: &Mpi, source: &str, to: &str, flags: &[&str]) -> PathBuf {
    let to = target().join("programs").join(mpi.built_as).join(to);
    std::fs::create_dir_all(to.parent().expect("it has one")).expect("the target folder can be written");
    let flags: Vec<String> = ["-O2"].iter().chain(flags).map(|flag| flag.to_string()).collect();
    compile(mpi, &workspace().join("examples/benches/wrapper").join(source), &to, &flags);
    to
}

fn build_floor(mpi: &Mpi) -> PathBuf {
    build(mpi, "floor.c", "floor.so", &["-shared", "-fPIC"])
}

fn rounds(variants: &[&'static str], run: impl Fn(&str) -> String) -> Figures {
    let mut figures = Figures::new();
    for _ in 0..ROUNDS {
        for variant in variants {
            for line in run(variant).lines() {
                let Some((function, figure)) = line.rsplit_once(' ') else { continue };
                let Ok(figure) = figure.parse() else { continue };
                figures.entry((function.to_string(), *variant)).or_default().push(figure);
            }
        }
    }
    figures
}

fn run(mpi: &Mpi, program: &Path, variant: &str, floor: &Path) -> String {
    if variant == "eztrace" {
        let mut command = Command::new("eztrace.preload");
        return finish(command.args(["-t", "mpich", "-o"]).arg(fresh_folder("bench")).arg(program)).stdout;
    }
    let (preload, variant) = preload(variant, floor);
    let mode = if ["null", "profile"].contains(&variant) { variant } else { "trace" };
    // One rank needs no launcher.
    let mut command = Command::new(program);
    mpi.set_environment(&mut command);
    command.env("LD_PRELOAD", preload).env("OVERHEAR_DIR", fresh_folder("bench"));
    // The floor does not listen to the engine; `default` does, and leaves out what the user leaves out.
    if variant != "default" {
        command.env("OVERHEAR_PROGRESS", "off");
        command.env("OVERHEAR_FILTER", if variant == "left out" { "-all" } else { "all" });
    }
    match variant {
        "crc32" => drop(command.env("OVERHEAR_CHECKSUM", "crc32")),
        "no paths" => drop(command.env("OVERHEAR_CALL_PATH", "off")),
        "ask" => drop(command.env("OVERHEAR_OVERLAP", "ask")),
        _ => {}
    }
    finish(command.env("OVERHEAR_MODE", mode)).stdout
}

/// The library that a variant runs with, and the rest of the variant's name.
fn preload<'a>(variant: &'a str, floor: &Path) -> (PathBuf, &'a str) {
    match (variant, variant.strip_prefix("before ")) {
        (_, Some(variant)) => (env::var_os(BEFORE).unwrap_or_default().into(), variant),
        ("plain", _) => (PathBuf::new(), variant),
        ("floor", _) => (floor.into(), variant),
        _ => (library(), variant),
    }
}

/// Two ranks, each on a processor of its own.
fn run_partners(mpi: &Mpi, program: &Path, variant: &str, floor: &Path) -> String {
    let (preload, depth) = preload(variant, floor);
    let words = mpi.launch(2);
    let mut command = Command::new(&words[0]);
    // The launcher itself is not to be recorded.
    command.args(&words[1..]).arg("env").arg(format!("LD_PRELOAD={}", preload.display())).arg(program);
    mpi.set_environment(&mut command);
    if DEPTHS.contains(&depth) && depth != "plain" {
        command.env("OVERHEAR_PROGRESS", depth);
    }
    finish(command.env("OVERHEAR_DIR", fresh_folder("bench"))).stdout
}

/// Prints the cost of calls that have a partner, with the default settings under "events".
fn print_partners(mpi: &Mpi) {
    let (program, floor) = (build(mpi, "partners.c", "partners-bench", &[]), build_floor(mpi));
    let before: &[&str] = if env::var_os(BEFORE).is_some() { &["before off", "before events"] } else { &[] };
    let variants = [&BESIDE_A_PARTNER[..], before].concat();
    let figures = rounds(&variants, |variant| run_partners(mpi, &program, variant, &floor));
    print_table(mpi, "a call that has a partner, of two ranks on a processor each", &variants, &figures);
}

/// Prints the longest calls. Other work of the machine hits other calls in each round, and the recorder's own stand at the same place in
/// all: so a row of calls counts with its third least round.
fn print_longest(mpi: &Mpi) {
    let program = build(mpi, "longest.c", "longest-bench", &[]);
    let before: &[&str] = if env::var_os(BEFORE).is_some() { &["before default"] } else { &[] };
    let variants = [&["plain", "default"], before].concat();
    let figures = rounds(&variants, |variant| run(mpi, &program, variant, Path::new("")));
    println!("{}: microseconds that the longest of a million calls takes", mpi.name);
    println!("{:17}{:>18}{:>18}", "", "of the first 20000", "of the others");
    for variant in &variants {
        let mut longest = [0.0f64; 2];
        for ((row, _), rounds) in figures.iter().filter(|((_, of), _)| of == variant) {
            let mut rounds = rounds.clone();
            rounds.sort_by(f64::total_cmp);
            let is_later = row.parse().is_ok_and(|row: u32| row >= 20_000);
            let most = &mut longest[is_later as usize];
            *most = most.max(rounds.get(2).copied().unwrap_or(f64::NAN));
        }
        println!("{variant:17}{:18.1}{:18.1}", longest[0], longest[1]);
    }
}

fn median(figures: &Figures, function: &str, variant: &'static str) -> f64 {
    let mut rounds = figures.get(&(function.to_string(), variant)).cloned().unwrap_or_default();
    rounds.sort_by(f64::total_cmp);
    rounds.get(rounds.len() / 2).copied().unwrap_or(f64::NAN)
}

fn print_entries(mpi: &Mpi, figures: &Figures) {
    println!("{}: nanoseconds an entry into its progress engine, plain and added to that", mpi.name);
    println!("{:22}{:>8}{:>8}{:>8}{:>9}{:>8}", "", "plain", "off", "count", "time", "events");
    let plain = median(figures, "opal_progress", "plain");
    let [off, count, time, events] =
        ["off", "count", "time", "events"].map(|depth| median(figures, "opal_progress", depth) - plain);
    println!("{:22}{plain:8.1}{off:+8.1}{count:+8.1}{time:+9.1}{events:+8.1}", "opal_progress");
}

/// Prints the times that a program measures of itself, and the time that each variant adds.
fn print_added(mpi: &Mpi, of: &str, source: &str, variants: &[&'static str]) {
    let flags: &[&str] = if source == "teams" { &["-fopenmp"] } else { &[] };
    let program = build(mpi, &format!("{source}.c"), &format!("{source}-bench"), flags);
    let figures = rounds(variants, |variant| run(mpi, &program, variant, Path::new("")));
    print_table(mpi, of, variants, &figures);
}

fn print_table(mpi: &Mpi, of: &str, variants: &[&'static str], figures: &Figures) {
    println!("{}: nanoseconds {of}, plain and added to that", mpi.name);
    let heads: String = variants.iter().map(|variant| format!("{variant:>17}")).collect();
    println!("{:27}{heads}", "");
    for name in figures.keys().filter(|(_, variant)| *variant == "plain").map(|(name, _)| name) {
        let plain = median(figures, name, "plain");
        let added = |variant: &&'static str| format!("{:+17.1}", median(figures, name, variant) - plain);
        let added: String = variants.iter().skip(1).map(added).collect();
        println!("{name:27}{plain:17.1}{added}");
    }
}

fn print(mpi: &Mpi, figures: &Figures) {
    let median = |function: &str, variant: &'static str| median(figures, function, variant);
    println!("{}: nanoseconds a call, plain and added to that; median of {ROUNDS} rounds", mpi.name);
    println!(
        "{:22}{:>8}{:>8}{:>8}{:>10}{:>9}{:>8}{:>9}{:>13}",
        "", "plain", "floor", "null", "left out", "profile", "trace", "default", "trace/floor"
    );
    let functions: std::collections::BTreeSet<_> = figures.keys().map(|(function, _)| function).collect();
    for function in functions {
        let plain = median(function, "plain");
        let [floor, null, left_out, profile, trace, default] =
            ["floor", "null", "left out", "profile", "trace", "default"]
                .map(|variant| median(function, variant) - plain);
        let ratio = trace / floor;
        println!(
            "{function:22}{plain:8.1}{floor:+8.1}{null:+8.1}{left_out:+10.1}{profile:+9.1}{trace:+8.1}{default:+9.1}{ratio:13.2}"
        );
    }
}
