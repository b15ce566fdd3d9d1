//! Tests overhear's own estimate of its cost on pairs of plain and recorded runs of eight loops in six modes.
//!
//! In: the time that rank 0 measures between MPI_Init and MPI_Finalize, and the recorded run's report. Out: for each
//! loop and mode the median difference with its 95 % interval, the median estimate, and whether it lies in the
//! interval.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::build;
use examples::machine::{target, workspace};
use examples::mpi::{self, Mpi};
use examples::run::{Case, Output};

const RANKS: u32 = 2;
const LOOPS: [&str; 8] = ["messages", "late", "allreduce", "rare", "polling", "nonblocking", "one_sided", "large"];
/// Recording modes, and the variable that selects each.
const MODES: [(&str, Option<(&str, &str)>); 6] = [
    ("trace", None),
    ("--mode profile", Some(("OVERHEAR_MODE", "profile"))),
    ("--progress off", Some(("OVERHEAR_PROGRESS", "off"))),
    ("--progress count", Some(("OVERHEAR_PROGRESS", "count"))),
    ("--overlap ask", Some(("OVERHEAR_OVERLAP", "ask"))),
    ("--checksum crc32", Some(("OVERHEAR_CHECKSUM", "crc32"))),
];
/// Page with the table.
const PAGE: &str = "docs/cost.md";

/// Which pairs to run.
#[derive(clap::Args)]
pub struct OverheadArgs {
    /// Pairs of runs of each loop in each mode
    #[arg(default_value_t = 15)]
    pairs: usize,
    /// Only under this MPI
    #[arg(long, default_value = "ompi4")]
    mpi: String,
    /// Only loops whose names contain one of these, such as late,rare
    #[arg(long, default_value = "")]
    only: String,
    /// Only modes whose names contain this
    #[arg(long, default_value = "")]
    mode: String,
    /// Write the rows to docs/cost.md, which keeps those of other loops and modes
    #[arg(long)]
    write: bool,
}

/// A loop in a mode. Times in milliseconds.
struct Comparison {
    plain: f64,
    /// Median difference, and its interval.
    longer: f64,
    interval: (f64, f64),
    claimed: f64,
    waiting: f64,
}

pub fn run(arguments: &OverheadArgs) -> Result<(), String> {
    if arguments.pairs < 6 {
        return Err("an interval of 95 % takes six pairs or more".into());
    }
    mpi::install_all()?;
    build::overhear()?;
    let mut rows = Vec::new();
    let mut held = 0;
    for mpi in Mpi::all_of(Some(&arguments.mpi)) {
        let program = compiled(&mpi)?;
        for name in LOOPS.iter().filter(|name| arguments.only.split(',').any(|only| name.contains(only))) {
            for (mode, setting) in MODES.iter().filter(|(mode, _)| mode.contains(&arguments.mode)) {
                let compared = compare(&mpi, &program, name, *setting, arguments.pairs)?;
                held += usize::from(compared.holds());
                let row = compared.row(name, mode);
                println!("{row}");
                rows.push(row);
            }
        }
    }
    if rows.is_empty() {
        return Err("no loop ran: no such loop or library is here".into());
    }
    let said = format!("{held} of {} claims lie within the interval.", rows.len());
    println!("{said}");
    if arguments.write {
        write(rows, arguments)?;
    }
    Ok(())
}

fn compiled(mpi: &Mpi) -> Result<PathBuf, String> {
    let folder = target().join("programs").join(mpi.built_as);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let program = folder.join("overhead_loops");
    let source = workspace().join("examples/lab/src/overhead/loops.c");
    let mut compile = Command::new(&mpi.compiler);
    mpi.set_environment(&mut compile);
    let output = examples::run::finish(compile.arg("-O2").arg("-o").arg(&program).arg(source));
    if output.status == 0 { Ok(program) } else { Err(output.stderr) }
}

fn compare(
    mpi: &Mpi,
    program: &Path,
    name: &str,
    setting: Option<(&str, &str)>,
    pairs: usize,
) -> Result<Comparison, String> {
    let variables = setting.into_iter().map(|(variable, value)| (variable.to_string(), value.to_string())).collect();
    let case = Case { mpi, path: program.into(), arguments: vec![name.into()], ranks: RANKS, variables };
    let (mut plain, mut longer, mut claimed, mut waiting) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for pair in 0..pairs {
        // Pairs alternate their order, so neither kind is always first.
        let before = if pair % 2 == 0 { Some(took(&case.plain())?) } else { None };
        let (output, run) = case.recorded("overhead");
        let recorded = took(&output)?;
        let without = before.map_or_else(|| took(&case.plain()), Ok)?;
        let report = run.report("function");
        let said = |key: &str| report.json["run"][key].as_f64().ok_or(format!("the report has no {key}"));
        plain.push(without);
        longer.push(recorded - without);
        claimed.push(said("overhear_delay_s")? * 1e3);
        waiting.push(said("overhear_while_waiting_s")? * 1e3);
    }
    longer.sort_by(f64::total_cmp);
    let least = rank_of_bound(pairs);
    Ok(Comparison {
        plain: median(plain),
        interval: (longer[least], longer[pairs - 1 - least]),
        longer: median(longer),
        claimed: median(claimed),
        waiting: median(waiting),
    })
}

/// Milliseconds between MPI_Init and MPI_Finalize, as the loop prints them.
fn took(output: &Output) -> Result<f64, String> {
    let said = output.stdout.lines().find_map(|line| line.strip_prefix("took ")?.parse::<f64>().ok());
    said.map(|nanoseconds| nanoseconds / 1e6).ok_or(format!("status {}: {}", output.status, output.stderr))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) { (values[middle - 1] + values[middle]) / 2.0 } else { values[middle] }
}

/// Index of the sorted value that bounds the median of `count` values at 95 %, by the sign test.
fn rank_of_bound(count: usize) -> usize {
    let (mut chance, mut below) = (0.5f64.powi(count as i32), 0.0);
    for place in 0..count {
        below += chance;
        if below > 0.025 {
            return place.saturating_sub(1);
        }
        chance *= (count - place) as f64 / (place + 1) as f64;
    }
    0
}

impl Comparison {
    fn holds(&self) -> bool {
        (self.interval.0..=self.interval.1).contains(&self.claimed)
    }

    fn row(&self, name: &str, mode: &str) -> String {
        let Comparison { plain, longer, interval: (from, to), claimed, waiting } = self;
        let holds = if self.holds() { "yes" } else { "no" };
        format!(
            "| {name} | {mode} | {plain:.1} | {longer:.1} | {from:.1} to {to:.1} | {claimed:.1} | {waiting:.1} | {holds} |"
        )
    }
}

/// Writes the page: these rows, and the page's rows of loops and modes that did not run now.
fn write(rows: Vec<String>, arguments: &OverheadArgs) -> Result<(), String> {
    let path = workspace().join(PAGE);
    let before = fs::read_to_string(&path).unwrap_or_default();
    let mut table = Vec::new();
    for name in LOOPS {
        for (mode, _) in MODES {
            let head = format!("| {name} | {mode} |");
            let is_meant = |row: &&str| row.starts_with(&head);
            let row = rows.iter().map(String::as_str).find(is_meant).or(before.lines().find(is_meant));
            table.extend(row);
        }
    }
    let within = table.iter().filter(|row| row.ends_with("| yes |")).count();
    let text = format!(
        "# The claimed cost of recording against the measured one\n\n\
         `cargo lab overhead {pairs} --mpi {mpi} --write` wrote this page: {pairs} pairs of plain and recorded runs of each loop of\n\
         `examples/lab/src/overhead/loops.c`, on 2 ranks and 2 cores. Milliseconds: *longer* is the median of the differences between\n\
         MPI_Init and MPI_Finalize, with its interval of 95 % by the sign test; *claimed* is `overhear_delay_s`, *while waiting*\n\
         `overhear_while_waiting_s`, which claims no delay. {within} of {all} claims lie within the interval.\n\n\
         | loop | mode | plain | longer | interval | claimed | while waiting | within |\n|---|---|---|---|---|---|---|---|\n{rows}\n",
        pairs = arguments.pairs,
        mpi = arguments.mpi,
        all = table.len(),
        rows = table.join("\n"),
    );
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}
