//! Programs with a planted cause, and their twins without: how often `overhear diagnose` puts the cause first.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use examples::answer::Answer;
use examples::build;
use examples::machine::workspace;
use examples::mpi::{self, Mpi};
use examples::program::{Program, StatedFinding};
use examples::run::{Case, Run};
use serde_json::Value;

/// A library of each family.
const LIBRARIES: &str = "ompi4,mpich4";
/// Findings about the machine come before the program's own where ranks outnumber cores.
const OF_THE_MACHINE: [&str; 3] = ["oversubscribed", "shared_core", "busy_host"];

/// What to run.
#[derive(clap::Args)]
pub struct DiagnosisArgs {
    /// Only under these MPIs, such as ompi4,mpich5 [default: ompi4,mpich4]
    #[arg(long)]
    mpi: Option<String>,
    /// How often each program runs in each setting
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Write the table to docs/diagnosis.md
    #[arg(long)]
    write: bool,
    /// Only programs whose names contain this
    name: Option<String>,
}

/// How a program runs.
struct Setting {
    title: &'static str,
    ranks: u32,
    sleeps: bool,
}

/// Ranks that sleep leave the cores to the others; eight that compute share the two of this machine.
const SETTINGS: [Setting; 4] = [
    Setting { title: "2 ranks that compute", ranks: 2, sleeps: false },
    Setting { title: "2 ranks that sleep", ranks: 2, sleeps: true },
    Setting { title: "8 ranks that sleep", ranks: 8, sleeps: true },
    Setting { title: "8 ranks that compute", ranks: 8, sleeps: false },
];

/// Runs, and those of them that were judged right.
#[derive(Clone, Copy, Default)]
struct Tally {
    runs: u64,
    right: u64,
}

impl Tally {
    fn add(&mut self, is_right: bool) {
        self.runs += 1;
        self.right += u64::from(is_right);
    }

    fn merge(&mut self, other: Tally) {
        self.runs += other.runs;
        self.right += other.right;
    }
}

/// Tallies of the programs and of their twins.
#[derive(Clone, Copy, Default)]
struct Pair {
    planted: Tally,
    twin: Tally,
}

/// Runs all, and fails where fewer than 95 of 100 are judged right.
pub fn run(arguments: &DiagnosisArgs) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    let mpis = Mpi::all_of(Some(arguments.mpi.as_deref().unwrap_or(LIBRARIES)));
    let programs = programs(arguments.name.as_deref());
    let mut tallies: BTreeMap<(String, usize), Pair> = BTreeMap::new();
    for (program, mpi) in programs.iter().flat_map(|program| mpis.iter().map(move |mpi| (program, mpi))) {
        for (number, setting) in SETTINGS.iter().enumerate() {
            for _ in 0..arguments.runs {
                let pair = tallies.entry((program.name.clone(), number)).or_default();
                pair.planted.add(is_right(program, mpi, setting, false));
                pair.twin.add(is_right(program, mpi, setting, true));
            }
        }
    }
    let text = table(&tallies);
    println!("{text}");
    if arguments.write {
        let head = "# How often the first screen is right\n\nMade by `cargo lab diagnosis --write`: ";
        let page = format!("{head}{}\n\n{text}", explained(&mpis));
        let path = workspace().join("docs/diagnosis.md");
        fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let all = sum(tallies.values());
    match (all.planted, all.twin) {
        (Tally { runs: 0, .. }, _) => Err("no program ran".into()),
        (planted, twin) if 100 * (planted.right + twin.right) < 95 * (planted.runs + twin.runs) => {
            Err("fewer than 95 of 100 runs were judged right".into())
        }
        _ => Ok(()),
    }
}

fn programs(name: Option<&str>) -> Vec<Program> {
    let folder = workspace().join("examples/programs/diagnosis");
    let files = fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.path());
    let is_program = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c");
    let stem = |path: PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut names: Vec<String> = files.filter(is_program).map(stem).collect();
    names.retain(|one| name.is_none_or(|name| one.contains(name)));
    names.sort();
    names.iter().map(|name| Program::read_in(&folder, name)).collect()
}

/// Records the program, or its twin, and asks for the first finding.
fn is_right(program: &Program, mpi: &Mpi, setting: &Setting, twin: bool) -> bool {
    let stated = program.finding.as_ref().unwrap_or_else(|| panic!("{} states no finding", program.name));
    let mut case = Case::of(program, mpi);
    case.ranks = setting.ranks;
    case.arguments.extend(setting.sleeps.then(|| "sleep".to_string()));
    case.arguments.extend(twin.then(|| "twin".to_string()));
    let name = format!("diagnosis-{}", program.name);
    let (output, run) = case.recorded(&name);
    let found = findings(&run);
    let is_right = match (found.first(), twin) {
        (None, twin) => twin,
        (Some(_), true) => false,
        (Some(first), false) => fits(first, stated, program, setting.ranks),
    };
    let kind = if twin { "twin" } else { "planted" };
    let first = found.first().map_or("nothing", |first| first["headline"].as_str().unwrap_or("?"));
    let verdict = if is_right { "right" } else { "WRONG" };
    let status = output.status;
    eprintln!("{verdict} {} {kind}, {}, {} (status {status}): {first}", program.name, mpi.name, setting.title);
    is_right
}

/// The program's own findings, the first one first.
fn findings(run: &Run) -> Vec<Value> {
    let answer: Answer = run.ask("diagnose", &["--no-cache"]);
    let is_of_program = |row: &&Value| !OF_THE_MACHINE.contains(&row["kind"].as_str().unwrap_or_default());
    answer.rows("findings").iter().filter(is_of_program).cloned().collect()
}

/// Whether a finding is the one that the program states: its kind, its ranks, and its line.
fn fits(finding: &Value, stated: &StatedFinding, program: &Program, ranks: u32) -> bool {
    let text = |key: &str| finding[key].as_str().unwrap_or_default();
    let is_kind = stated.kind.split('|').any(|kind| kind == text("kind"));
    let named: Vec<u32> = text("ranks").split_whitespace().filter_map(|rank| rank.parse().ok()).collect();
    let has_ranks = stated.ranks_of(ranks).is_none_or(|stated| stated == named);
    let has_line = stated.place.as_ref().is_none_or(|(function, mark)| {
        let line = program.line_marked(&format!("// {mark}"), function);
        text("sites").split_whitespace().any(|site| site.ends_with(&format!(".c:{line}")))
    });
    is_kind && has_ranks && has_line
}

fn sum<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Pair {
    let mut sum = Pair::default();
    for pair in pairs {
        sum.planted.merge(pair.planted);
        sum.twin.merge(pair.twin);
    }
    sum
}

/// One row for each program, with the runs that were judged right in each setting.
fn table(tallies: &BTreeMap<(String, usize), Pair>) -> String {
    let mut text = String::from("| planted in |");
    for setting in &SETTINGS {
        let _ = write!(text, " {} | twin |", setting.title);
    }
    text += "\n|---|";
    text += &"---|".repeat(2 * SETTINGS.len());
    text += "\n";
    let names: Vec<&String> = tallies.keys().map(|(name, _)| name).collect();
    let row = |title: &str, of: &dyn Fn(usize) -> Pair| {
        let mut row = format!("| {title} |");
        for number in 0..SETTINGS.len() {
            let Pair { planted, twin } = of(number);
            let _ = write!(row, " {} of {} | {} of {} |", planted.right, planted.runs, twin.right, twin.runs);
        }
        row + "\n"
    };
    let mut last = None;
    for name in names {
        if last.replace(name) != Some(name) {
            text += &row(name, &|number| tallies.get(&(name.clone(), number)).copied().unwrap_or_default());
        }
    }
    text + &row("all", &|number| sum(tallies.iter().filter(|((_, one), _)| *one == number).map(|(_, pair)| pair)))
}

fn explained(mpis: &[Mpi]) -> String {
    let names = mpis.iter().map(|mpi| mpi.name).collect::<Vec<_>>().join(" and ");
    format!(
        "programs that each plant one cause (examples/programs/diagnosis), recorded under {names} on two cores.\n\
         A run counts as right if the first finding about the program has the planted kind, ranks and line; a twin, the same program\n\
         without the cause, if nothing about the program is found. Findings about the machine are left aside: eight ranks that compute\n\
         share two cores, and overhear says that first."
    )
}
