//! Programs with a planted cause, and their twins without it: whether `overhear diagnose` puts the cause first.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::machine::workspace;
use crate::mpi::Mpi;
use crate::program::{Program, StatedFinding};
use crate::run::{Case, Run};

/// Findings about the machine come before the program's own where ranks outnumber cores.
const OF_THE_MACHINE: [&str; 3] = ["oversubscribed", "shared_core", "busy_host"];

/// How a program runs.
pub struct Setting {
    pub title: &'static str,
    pub ranks: u32,
    /// Whether ranks sleep where they would compute.
    pub sleeps: bool,
}

/// Ranks that sleep leave the cores to the others; eight that compute share the two of this machine.
pub const SETTINGS: [Setting; 4] = [
    Setting { title: "2 ranks that compute", ranks: 2, sleeps: false },
    Setting { title: "2 ranks that sleep", ranks: 2, sleeps: true },
    Setting { title: "8 ranks that sleep", ranks: 8, sleeps: true },
    Setting { title: "8 ranks that compute", ranks: 8, sleeps: false },
];

/// A judged run.
pub struct Diagnosed {
    /// The first finding about the program is the planted one, or of a twin there is none.
    pub is_right: bool,
    /// Its headline.
    pub first: String,
    /// The launcher's exit status.
    pub status: i32,
}

/// Those whose names contain `name`, if one is given.
pub fn programs(name: Option<&str>) -> Vec<Program> {
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
pub fn diagnose(program: &Program, mpi: &Mpi, setting: &Setting, twin: bool) -> Diagnosed {
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
    let first = found.first().map_or("nothing", |first| first["headline"].as_str().unwrap_or_default()).to_string();
    Diagnosed { is_right, first, status: output.status }
}

/// The program's own findings, the first one first.
fn findings(run: &Run) -> Vec<Value> {
    let answer = run.ask("diagnose", &["--no-cache"]);
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
        let line = program.line_marked(mark, function);
        text("sites").split_whitespace().any(|site| site.ends_with(&format!(".c:{line}")))
    });
    is_kind && has_ranks && has_line
}
