//! Compares what `overhear whatif` predicts with what happens when the program is really changed.
//!
//! In: programs that run as they are and changed. Out: for each the predicted and the measured wall time, by how much they differ, and
//! whether the measured one lies in the interval that was predicted.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use examples::build;
use examples::machine::{target, workspace};
use examples::mpi::{self, Mpi};
use examples::run::{Case, Run, finish};

/// A change to a program, and how `whatif` is asked for it.
struct Change {
    name: &'static str,
    ranks: u32,
    /// `{MARK}` stands for the line with that comment.
    asked: &'static [&'static str],
    /// Largest error of the prediction, percent.
    most: f64,
    /// Variables of the environment when it runs changed.
    variables: &'static [(&'static str, &'static str)],
}

const fn change(name: &'static str, ranks: u32, asked: &'static [&'static str], most: f64) -> Change {
    Change { name, ranks, asked, most, variables: &[] }
}

/// Open MPI stores messages of up to 32 KiB on their way between processes of a host, if it has room for a burst of them from the start.
const EAGER: &[(&str, &str)] = &[
    ("OMPI_MCA_btl_vader_eager_limit", "32768"),
    ("OMPI_MCA_btl_vader_free_list_num", "64"),
    ("OMPI_MCA_btl_sm_eager_limit", "32768"),
    ("OMPI_MCA_btl_sm_free_list_num", "64"),
];

const CHANGES: [Change; 11] = [
    change("slow_rank", 2, &["--rank", "1=1.5"], 5.0),
    change("fast_root", 2, &["--rank", "0=0.5"], 5.0),
    change("pipeline", 2, &["--rank", "1=0.5"], 5.0),
    change("balanced", 2, &["--balance"], 5.0),
    change("barrier", 2, &["--without", "MPI_Barrier@{barrier}"], 5.0),
    change("before_sum", 2, &["--before", "MPI_Allreduce@{sum}=0.5"], 5.0),
    change("latency_ring", 2, &["--latency", "+2ms"], 2.0),
    change("latency_hidden", 2, &["--latency", "+5ms"], 2.0),
    Change { variables: EAGER, ..change("late_receiver", 2, &["--eager", "32K"], 5.0) },
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
    /// Ask the runs that an earlier call left in this folder, such as target/runs, instead of new ones
    #[arg(long)]
    kept: Option<PathBuf>,
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

    fn is_close(&self, most: f64) -> bool {
        self.off().abs() <= most
    }

    fn is_inside(&self) -> bool {
        (self.predicted - self.measured).abs() <= self.error
    }
}

/// Numbers of predictions.
#[derive(Default)]
struct Counts {
    all: u32,
    close: u32,
    inside: u32,
    right: u32,
}

/// Tries all changes. Fails if fewer than nine of ten predictions are close, or inside their own interval.
pub fn run(arguments: &WhatIfArgs) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    println!("| changed | asked | before | predicted | measured | off | close | in its interval |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut counts = Counts::default();
    for mpi in Mpi::all_of(Some(&arguments.mpi)) {
        let program = compiled(&mpi)?;
        let is_asked = |change: &&Change| arguments.name.as_ref().is_none_or(|name| change.name.contains(name));
        for change in CHANGES.iter().filter(is_asked) {
            let asked = asked(change)?;
            let one = try_out(&mpi, &program, change, &asked, arguments)?;
            println!("| {}, {} | `{}` | {} |", change.name, mpi.name, asked.join(" "), one.cells(change.most));
            counts.add(&one, change.most);
        }
    }
    let Counts { all, close, inside, right } = counts;
    println!(
        "\nOf {all} predictions, {close} are within 5 % (of added latency, 2 %), {inside} within their own interval, and {right} within one of the two."
    );
    match all {
        0 => Err("no program ran".into()),
        _ if 10 * right < 9 * all => Err("fewer than nine of ten predictions are right".into()),
        _ => Ok(()),
    }
}

impl Tried {
    /// Cells of the table.
    fn cells(&self, most: f64) -> String {
        let ms = |seconds: f64| format!("{:.1} ms", 1e3 * seconds);
        let yes = |holds: bool| if holds { "yes" } else { "NO" };
        let predicted = format!("{} ± {}", ms(self.predicted), ms(self.error));
        let off = format!("{:+.1} %", self.off());
        [
            ms(self.before),
            predicted,
            ms(self.measured),
            off,
            yes(self.is_close(most)).into(),
            yes(self.is_inside()).into(),
        ]
        .join(" | ")
    }
}

impl Counts {
    fn add(&mut self, one: &Tried, most: f64) {
        let (close, inside) = (one.is_close(most), one.is_inside());
        self.all += 1;
        self.close += u32::from(close);
        self.inside += u32::from(inside);
        self.right += u32::from(close || inside);
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
    arguments: &WhatIfArgs,
) -> Result<Tried, String> {
    let run = |which: &str, number: usize| {
        let name = format!("what-if-{}-{which}-{number}", change.name);
        if let Some(kept) = &arguments.kept {
            return Ok(Run { folder: kept.join(format!("{}-{name}", mpi.name)) });
        }
        let variables = if which == "after" { change.variables } else { &[] };
        let case = Case {
            mpi,
            path: program.into(),
            arguments: vec![change.name.into(), which.into()],
            ranks: change.ranks,
            variables: variables.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        };
        let (output, run) = case.recorded(&name);
        match output.status {
            0 => Ok(run),
            status => Err(format!("{name} ended with status {status}: {}", output.stderr)),
        }
    };
    let words: Vec<&str> = asked.iter().map(String::as_str).collect();
    let [mut before, mut predicted, mut errors, mut measured]: [Vec<f64>; 4] = Default::default();
    // Both kinds alternate, so that what else happens on the machine meets both.
    for number in 0..arguments.runs.max(1) {
        let answer = run("before", number)?.ask("whatif", &words);
        before.push(answer.fact("replayed_s"));
        predicted.push(answer.fact("predicted_s"));
        errors.push(answer.fact("predicted_error_s"));
        measured.push(run("after", number)?.ask("whatif", &["--rank", "0=1"]).fact("replayed_s"));
    }
    let [before, predicted, error, measured] = [before, predicted, errors, measured].map(median);
    Ok(Tried { before, predicted, error, measured })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
