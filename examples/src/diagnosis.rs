//! Programs with a planted cause, and twins without it, to test that `overhear diagnose` puts the cause first.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::machine::workspace;
use crate::mpi::Mpi;
use crate::program::{FORTRAN, Program, StatedFinding};
use crate::run::{Case, Run};

/// Findings about the machine come before the program's own if ranks outnumber cores, or others keep them busy.
const OF_THE_MACHINE: [&str; 3] = ["oversubscribed", "busy_host", "not_running"];

/// Ranks, and their way to spend time.
pub struct Setting {
    pub title: &'static str,
    pub ranks: u32,
    /// Ranks sleep instead of computing.
    pub sleeps: bool,
}

/// Ranks that sleep leave the cores to others; eight that compute share this machine's two.
pub const SETTINGS: [Setting; 4] = [
    Setting { title: "2 ranks that compute", ranks: 2, sleeps: false },
    Setting { title: "2 ranks that sleep", ranks: 2, sleeps: true },
    Setting { title: "8 ranks that sleep", ranks: 8, sleeps: true },
    Setting { title: "8 ranks that compute", ranks: 8, sleeps: false },
];

impl Setting {
    /// True if more ranks compute than there are cores.
    fn is_crowded(&self) -> bool {
        self.ranks > 2 && !self.sleeps
    }
}

pub struct Diagnosed {
    /// The first finding about the program is the planted one; a twin has none, nor need ranks that share cores.
    pub is_right: bool,
    /// Nothing about the program was found, and other processes kept its ranks from their cores.
    pub is_hidden: bool,
    /// The first finding about the program is the planted one.
    pub is_named: bool,
    /// Headline of the first finding.
    pub first: String,
    pub status: i32,
    pub run: Run,
    /// The program's standard error.
    pub stderr: String,
}

/// Programs whose names contain `name`, if one is given.
pub fn programs(name: Option<&str>) -> Vec<Program> {
    let folder = workspace().join("examples/programs/diagnosis");
    let files = fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.path());
    let is_program = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c" || ending == FORTRAN);
    let stem = |path: PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut names: Vec<String> = files.filter(is_program).map(stem).collect();
    names.retain(|one| name.is_none_or(|name| one.contains(name)));
    names.sort();
    names.iter().map(|name| Program::read_in(&folder, name)).collect()
}

/// Records the program or its twin, and judges the first finding.
pub fn diagnose(program: &Program, mpi: &Mpi, setting: &Setting, twin: bool) -> Diagnosed {
    let stated = program.finding.as_ref().unwrap_or_else(|| panic!("{} states no finding", program.name));
    let mut case = Case::of(program, mpi);
    case.ranks = setting.ranks;
    case.arguments.extend(setting.sleeps.then(|| "sleep".to_string()));
    case.arguments.extend(twin.then(|| "twin".to_string()));
    let (way, kind) = (if setting.sleeps { "sleep" } else { "compute" }, if twin { "twin" } else { "planted" });
    let name = format!("diagnosis-{}-{}-{way}-{kind}", program.name, setting.ranks);
    let (output, run) = case.recorded(&name);
    let all = findings(&run);
    let found: Vec<&Value> = all.iter().filter(|finding| !is_of_machine(finding)).collect();
    // If the scheduler explains all lateness, no rank is to be named.
    let is_of_others = |first: &Value| is_of_machine(first) && first["kind"] != "oversubscribed";
    let is_scheduled = setting.is_crowded() && all.first().is_some_and(is_of_machine);
    let is_hidden = found.is_empty() && all.first().is_some_and(is_of_others);
    let is_named = found.first().is_some_and(|first| fits(first, stated, program, setting.ranks));
    let is_right = if found.is_empty() { twin || is_scheduled } else { is_named && !twin };
    let first = found.first().map_or("nothing", |first| first["headline"].as_str().unwrap_or_default()).to_string();
    Diagnosed { is_right, is_hidden, is_named, first, status: output.status, run, stderr: output.stderr }
}

/// True if the planted finding comes first, apart from those about the machine. `findings`: all of a run of `ranks` ranks.
pub fn is_found_first(program: &Program, ranks: u32, findings: &[Value]) -> bool {
    let first = findings.iter().find(|finding| !is_of_machine(finding));
    let stated = program.finding.as_ref();
    first.zip(stated).is_some_and(|(first, stated)| fits(first, stated, program, ranks))
}

/// All findings, the first one first.
fn findings(run: &Run) -> Vec<Value> {
    run.ask("diagnose", &["--no-cache"]).rows("findings").to_vec()
}

/// True if the finding is about the machine, not about the program.
fn is_of_machine(finding: &Value) -> bool {
    OF_THE_MACHINE.contains(&finding["kind"].as_str().unwrap_or_default())
}

/// Compares kind, ranks and line with the stated finding.
fn fits(finding: &Value, stated: &StatedFinding, program: &Program, ranks: u32) -> bool {
    let text = |key: &str| finding[key].as_str().unwrap_or_default();
    let is_kind = stated.kind.split('|').any(|kind| kind == text("kind"));
    let named: Vec<u32> = text("ranks").split_whitespace().filter_map(|rank| rank.parse().ok()).collect();
    let has_ranks = stated.ranks_of(ranks).is_none_or(|stated| stated == named);
    let source = program.source.file_name().unwrap_or_default().to_string_lossy();
    let has_line = stated.place.as_ref().is_none_or(|(function, mark)| {
        let place = format!("{source}:{}", program.line_marked(mark, function));
        text("sites").split_whitespace().any(|site| site.ends_with(&place))
    });
    is_kind && has_ranks && has_line
}
