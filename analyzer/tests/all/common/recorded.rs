//! Recorded runs, and their programs' own measurements.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use examples::answer::Answer;
use examples::fixture::{self, Fixture};

/// Unpacks all fixtures of a program, each into its own folder.
pub fn recorded(program: &str) -> Vec<Fixture> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let is_of = |name: &String| name.rsplit_once('-').is_some_and(|(of, _)| of == program);
    let unpacked = |name: String| {
        let number = NEXT.fetch_add(1, Relaxed);
        let folder = format!("{program}-{}-{number}", std::process::id());
        fixture::unpack(&name, &Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder))
    };
    let fixtures: Vec<Fixture> = fixture::names().into_iter().filter(is_of).map(unpacked).collect();
    assert!(!fixtures.is_empty(), "no fixture of {program}");
    fixtures
}

/// Runs an analysis.
pub fn ask(run: &Path, analysis: &str, arguments: &[&str]) -> Answer {
    Answer::of(Command::new(env!("CARGO_BIN_EXE_overhear")).arg(analysis).arg(run).args(arguments))
}

/// Figures that the program measured, by name.
pub fn all_measured(fixture: &Fixture) -> Vec<(&str, f64)> {
    let lines = fixture.stderr.lines().filter_map(|line| line.strip_prefix("truth: "));
    lines.filter_map(|line| line.split_once(" = ")).map(|(name, value)| (name, value.trim().parse().unwrap())).collect()
}

/// A figure that the program measured.
pub fn measured(fixture: &Fixture, name: &str) -> f64 {
    let of_name = all_measured(fixture).into_iter().find(|(other, _)| *other == name);
    of_name.unwrap_or_else(|| panic!("{name}: {}", fixture.stderr)).1
}
