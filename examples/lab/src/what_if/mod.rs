//! Compares what `overhear whatif` predicts with what happens when the program is really changed.
//!
//! In: programs that run as they are and changed. Out: for each the predicted and the measured wall time, and whether they agree.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use examples::build;
use examples::machine::{target, workspace};
use examples::mpi::{self, Mpi};
use examples::run::{Case, finish};

/// A change to a program, and how `whatif` is asked for it.
struct Change {
    name: &'static str,
    ranks: u32,
    /// `{MARK}` stands for the line with that comment.
    asked: &'static [&'static str],
    /// Largest error of the prediction, percent.
    most: f64,
}

const fn change(name: &'static str, ranks: u32, asked: &'static [&'static str], most: f64) -> Change {
    Change { name, ranks, asked, most }
}

const CHANGES: [Change; 11] = [
    change("slow_rank", 2, &["--rank", "1=1.5"], 5.0),
    change("fast_root", 2, &["--rank", "0=0.5"], 5.0),
    change("pipeline", 2, &["--rank", "1=0.5"], 5.0),
    change("balanced", 2, &["--balance"], 5.0),
    change("barrier", 2, &["--without", "MPI_Barrier@{barrier}"], 5.0),
    change("before_sum", 2, &["--before", "MPI_Allreduce@{sum}=0.5"], 5.0),
    change("latency_ring", 2, &["--latency", "+2ms"], 2.0),
    change("latency_hidden", 2, &["--latency", "+5ms"], 2.0),
    change("late_receiver", 2, &["--eager", "1M"], 5.0),
    change("batched", 2, &["--without", "MPI_Send@{part sent}", "--without", "MPI_Recv@{part got}"], 5.0),
    // Who gets which task is part of the recording.
    change("fetched", 3, &["--rank", "1=0.5"], 5.0),
];

/// The changes to try.
#[derive(clap::Args)]
pub struct WhatIfArgs {
    /// Only under these MPIs, such as ompi4,mpich5
    #[arg(long, default_value = "ompi4")]
    mpi: String,
    /// How often each program runs as it is, and changed
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Only programs whose names contain this
    name: Option<String>,
}

/// Median times of a program, in seconds.
struct Tried {
    before: f64,
    predicted: f64,
    error: f64,
    measured: f64,
}

impl Tried {
    /// Error of the prediction, percent.
    fn off(&self) -> f64 {
        100.0 * (self.predicted / self.measured - 1.0)
    }

    fn is_right(&self, most: f64) -> bool {
        self.off().abs() <= most || (self.predicted - self.measured).abs() <= self.error
    }
}

/// Tries all changes. Fails if fewer than nine of ten predictions are right.
pub fn run(arguments: &WhatIfArgs) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    println!("| changed | asked | before | predicted | measured | off | |\n|---|---|---|---|---|---|---|");
    let (mut tried, mut right) = (0, 0);
    for mpi in Mpi::all_of(Some(&arguments.mpi)) {
        let program = compiled(&mpi)?;
        let is_asked = |change: &&Change| arguments.name.as_ref().is_none_or(|name| change.name.contains(name));
        for change in CHANGES.iter().filter(is_asked) {
            let asked = asked(change)?;
            let one = try_out(&mpi, &program, change, &asked, arguments.runs)?;
            let is_right = one.is_right(change.most);
            (tried, right) = (tried + 1, right + usize::from(is_right));
            let ms = |seconds: f64| format!("{:.1} ms", 1e3 * seconds);
            println!(
                "| {}, {} | `{}` | {} | {} ± {} | {} | {:+.1} % | {} |",
                change.name,
                mpi.name,
                asked.join(" "),
                ms(one.before),
                ms(one.predicted),
                ms(one.error),
                ms(one.measured),
                one.off(),
                if is_right { "right" } else { "WRONG" }
            );
        }
    }
    println!("\n{right} of {tried} predictions are within 5 % (of added latency, 2 %) or their own error.");
    match tried {
        0 => Err("no program ran".into()),
        _ if 10 * right < 9 * tried => Err("fewer than nine of ten predictions are right".into()),
        _ => Ok(()),
    }
}

fn source() -> PathBuf {
    workspace().join("examples/lab/src/what_if/changed.c")
}

fn compiled(mpi: &Mpi) -> Result<PathBuf, String> {
    let folder = target().join("programs").join(mpi.built_as);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let program = folder.join("what_if_changed");
    let mut compile = Command::new(&mpi.compiler);
    mpi.set_environment(&mut compile);
    let output = finish(compile.args(["-g", "-O2", "-o"]).arg(&program).arg(source()));
    if output.status == 0 { Ok(program) } else { Err(output.stderr) }
}

/// The flags, with lines in place of marks.
fn asked(change: &Change) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(source()).map_err(|error| error.to_string())?;
    let with_line = |word: &&str| {
        let Some((before, rest)) = word.split_once('{') else { return Ok(word.to_string()) };
        let (mark, after) = rest.split_once('}').ok_or(format!("{word}: no end of the mark"))?;
        let is_marked = |line: &str| line.ends_with(&format!("// {mark}"));
        let at = text.lines().position(is_marked).ok_or(format!("no line is marked {mark}"))?;
        Ok(format!("{before}changed.c:{}{after}", at + 1))
    };
    change.asked.iter().map(with_line).collect()
}

fn try_out(
    mpi: &Mpi,
    program: &std::path::Path,
    change: &Change,
    asked: &[String],
    runs: usize,
) -> Result<Tried, String> {
    let case = |which: &str| Case {
        mpi,
        path: program.into(),
        arguments: vec![change.name.into(), which.into()],
        ranks: change.ranks,
        variables: Vec::new(),
    };
    let words: Vec<&str> = asked.iter().map(String::as_str).collect();
    let [mut before, mut predicted, mut errors, mut measured]: [Vec<f64>; 4] = Default::default();
    // Both kinds alternate, so that what else happens on the machine meets both.
    for _ in 0..runs.max(1) {
        let (output, run) = case("before").recorded("what-if-before");
        if output.status != 0 {
            return Err(format!("{} ended with status {}: {}", change.name, output.status, output.stderr));
        }
        let answer = run.ask("whatif", &words);
        before.push(answer.fact("replayed_s"));
        predicted.push(answer.fact("predicted_s"));
        errors.push(answer.fact("predicted_error_s"));
        let (_, run) = case("after").recorded("what-if-after");
        measured.push(run.ask("whatif", &["--rank", "0=1"]).fact("replayed_s"));
    }
    let [before, predicted, error, measured] = [before, predicted, errors, measured].map(median);
    Ok(Tried { before, predicted, error, measured })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
