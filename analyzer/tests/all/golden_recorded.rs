//! Golden output on recorded programs: for features that the samples lack, for warnings, and for what is found of planted causes.

use std::path::Path;
use std::process::Command;

use examples::fixture;

use crate::common::golden::{GoldenFiles, kept};

/// Programs, and the questions about each.
const ASKED: [(&str, &[&str]); 31] = [
    ("by_name", &["report", "waits --region x"]),
    ("callbacks", &["report", "progress"]),
    ("cancelled", &["report --by size", "check"]),
    (
        "collectives",
        &["imbalance --top 4", "path --top 5", "report --by peer --top 5", "report --by collective --top 8"],
    ),
    ("collective_times", &["report --by collective"]),
    ("comm_churn", &["report --by comm --top 5", "imbalance --by site", "matrix --top 3"]),
    ("controlled", &["report", "pop", "imbalance", "path"]),
    ("errors", &["report --by rank", "report --by rank=1", "report --by collective", "check"]),
    ("exchanged", &["network", "progress --by function"]),
    ("false_overlap", &["overlap", "overlap --rank 0 --sort overhead", "progress"]),
    ("fan_shapes", &["fanout"]),
    ("fortran_f08", &["report --by site", "report --rank 0"]),
    ("jumps", &["report", "check", "report --by collective", "imbalance --by site"]),
    ("killed_between", &["report", "timeline", "waits", "check", "path", "progress --by rank"]),
    ("late_cancelled", &["progress", "progress --by component", "check"]),
    ("neighborhood", &["matrix", "matrix --rank 0-1", "report --by comm --sort calls"]),
    ("nonblocking_collectives", &["overlap --top 5", "report --by collective --top 5"]),
    ("one_sided", &["report", "report --by comm", "waits"]),
    ("one_tag", &["report --by thread", "waits", "pop"]),
    ("pcontrol", &["pop"]),
    ("overlapped", &["overlap"]),
    (
        "persistent_halo",
        &["pop", "path --top 5", "waits --rank 1", "waits --from 0.2 --to 0.6", "imbalance --rank 0,2"],
    ),
    (
        "regions",
        &[
            "report --by region",
            "timeline --rank 1",
            "report --region halo",
            "pop --region step",
            "progress --region sum",
        ],
    ),
    ("rma_lock", &["report --by peer", "report --by size", "waits --top 2"]),
    ("sessions_at_once", &["report", "check"]),
    ("spawns", &["report --by rank", "matrix", "imbalance", "waits"]),
    ("starved_progress", &["progress", "progress --by site", "progress --by function"]),
    ("threads", &["report --by thread", "pop", "imbalance", "report --rank 1 --by size"]),
    ("truncated", &["check", "report --from 1ms --to 1s"]),
    ("uneven_parts", &["matrix"]),
    ("turned", &["progress", "progress --by rank", "progress --by component"]),
];

/// Output, stderr after stdout, and the exit status if it is not 0.
fn said(words: &str, folder: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    command.args(words.split(' ')).arg("run").current_dir(folder).env_remove("COLUMNS");
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    format!("$ overhear {words}\nstatus {:?}\n{text}\n", output.status.code())
}

#[test]
fn commands_say_of_recorded_programs_what_they_said() {
    let names = fixture::names();
    let mut comparison = GoldenFiles::default();
    for (program, asked) in ASKED {
        let of = |name: &&String| name.rsplit_once('-').is_some_and(|(of, _)| of == program);
        let name = names.iter().find(of).unwrap_or_else(|| panic!("no fixture of {program}"));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-said"));
        fixture::unpack(name, &folder);
        let text: String = asked.iter().map(|words| said(words, &folder)).collect();
        comparison.text(&kept(&format!("recorded/{program}")), &text);
    }
    comparison.finish();
}

#[test]
fn the_first_screen_says_of_planted_causes_what_it_said() {
    let mut comparison = GoldenFiles::default();
    for name in fixture::diagnosis_names() {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-first-screen", name.replace('/', "-")));
        fixture::unpack(&name, &folder);
        let program = name.rsplit_once('-').map_or(name.as_str(), |(program, _)| program);
        comparison.text(&kept(&format!("recorded/{program}")), &said("diagnose --no-cache", &folder));
    }
    comparison.finish();
}
