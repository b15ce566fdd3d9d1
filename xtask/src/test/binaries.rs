//! Compiled tests: their build, runs and times.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use examples::build::{DEVELOPED, cargo};
use examples::{rota, used, workspace};
use serde_json::Value;

/// Launching tests that run at a time: they wait for launchers and sleeping programs half of their time. Those that
/// compare times run alone: see examples/src/launch_turns.rs.
const LAUNCHES_AT_A_TIME: usize = 3;
/// Other tests that run at a time.
const OTHERS_AT_A_TIME: usize = 2;

/// Package whose tests launch programs.
const LAUNCHING: &str = "examples";

/// Files that take longest, which begin first.
const LONGEST: [&str; 5] = [
    // Waits for the registry most of its time.
    "xtask/tests/published",
    "analyzer/tests/browser",
    "analyzer/tests/all",
    "analyzer/tests/memory",
    "agree/tests/trials",
];

/// Test files that find their tests at run time.
const OTHER_HARNESSES: [&str; 2] = ["programs", "recorded"];

pub struct Binary {
    /// Package folder and file name.
    pub title: String,
    path: PathBuf,
    folder: PathBuf,
    /// The tests launch programs under MPIs.
    pub launches: bool,
    /// The harness is rustc's.
    is_of_libtest: bool,
}

/// One of several parts of the launching tests.
#[derive(Clone, Copy)]
pub struct Shard {
    at: u64,
    of: u64,
}

impl Shard {
    pub fn read(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(at, of)| Some((at.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((at, of)) if (1..=of).contains(&at) => Ok(Shard { at, of }),
            _ => Err(format!("--shard {text}: a part is named as 2/3, the second of three")),
        }
    }

    fn has(self, test: &str) -> bool {
        rota::spread(test) % self.of == self.at - 1
    }
}

/// Chooses tests to run.
#[derive(Clone)]
pub struct Selection {
    /// Parts of test names; none means all.
    pub names: Vec<String>,
    /// Parts of the names of tests to skip.
    pub skipped: Vec<String>,
    /// Part of the launching tests.
    pub shard: Option<Shard>,
    /// The one test to run, whatever else is chosen.
    pub exact: Option<String>,
}

impl Selection {
    /// The test of this name alone.
    fn exactly(test: &str) -> Selection {
        Selection { names: Vec::new(), skipped: Vec::new(), shard: None, exact: Some(test.into()) }
    }

    /// Of these tests, those whose names contain one of these parts.
    pub fn only(&self, names: &[&str]) -> Selection {
        Selection { names: names.iter().map(|name| name.to_string()).collect(), ..self.clone() }
    }

    /// These tests without those whose names contain one of these parts.
    pub fn without(&self, names: &[&str]) -> Selection {
        let mut rest = self.clone();
        rest.skipped.extend(names.iter().map(|name| name.to_string()));
        rest
    }

    fn has(&self, test: &str, launches: bool) -> bool {
        if let Some(exact) = &self.exact {
            return test == exact;
        }
        let is_named = |names: &[String]| names.iter().any(|name| test.contains(name));
        let is_of_shard = match self.shard {
            None => true,
            Some(shard) if launches => shard.has(test),
            Some(shard) => shard.at == 1,
        };
        (self.names.is_empty() || is_named(&self.names)) && !is_named(&self.skipped) && is_of_shard
    }
}

/// Test files that launch programs.
const LAUNCHING_FILES: [&str; 3] = ["launched", "meeting", "programs"];

/// Compiles the command, and the tests that launch programs.
pub fn build_launching(is_all: bool) -> Result<Vec<Binary>, String> {
    let mut compile = cargo();
    compile.arg("build").args(DEVELOPED).args(["--bin", "overhear"]);
    for file in LAUNCHING_FILES {
        compile.args(["--test", file]);
    }
    compiled(compile, is_all)
}

/// Compiles all tests.
pub fn build_all(is_all: bool) -> Result<Vec<Binary>, String> {
    let mut compile = cargo();
    compile.args(["test", "--no-run"]).args(DEVELOPED);
    compiled(compile, is_all)
}

/// Compiles all other tests, at low priority: programs run meanwhile.
pub fn build_others(is_all: bool) -> Result<Vec<Binary>, String> {
    let mut compile = Command::new("chrt");
    compile.args(["--idle", "0"]).arg(cargo().get_program()).args(["test", "--no-run"]);
    compile.args(DEVELOPED).current_dir(workspace());
    let (launching, others): (Vec<Binary>, _) = compiled(compile, is_all)?.into_iter().partition(|all| all.launches);
    match launching.len() {
        known if known == LAUNCHING_FILES.len() => Ok(others),
        _ => Err("xtask/src/test/binaries.rs does not name all test files that launch programs".into()),
    }
}

fn compiled(mut compile: Command, is_all: bool) -> Result<Vec<Binary>, String> {
    compile.args(["--quiet", "--message-format", "json-render-diagnostics"]);
    if is_all {
        compile.args(["--features", "overhear/polars"]);
    }
    let output = compile.stderr(Stdio::inherit()).output().map_err(|error| format!("{compile:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{compile:?}: {}", output.status));
    }
    let messages = output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    Ok(messages.filter_map(|message: Value| binary(&message)).collect())
}

/// Fails if no test has a name with one of these parts: a list of tests names one that is gone.
pub fn find<'b>(binaries: impl Iterator<Item = &'b Binary>, parts: &[&str]) -> Result<(), String> {
    let mut tests = Vec::new();
    for binary in binaries {
        tests.extend(binary.tests(&[])?);
    }
    match parts.iter().find(|part| !tests.iter().any(|test| test.contains(**part))) {
        Some(part) => Err(format!("no test is called {part}")),
        None => Ok(()),
    }
}

/// The test that a cargo message reports.
fn binary(message: &Value) -> Option<Binary> {
    let path = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_str()?;
    let name = message["target"]["name"].as_str()?;
    let is_of_tests = message["target"]["kind"][0] == "test";
    let title = if is_of_tests { format!("{package}/tests/{name}") } else { format!("{package}/src") };
    let launches = package == LAUNCHING && is_of_tests;
    let is_of_libtest = !OTHER_HARNESSES.contains(&name);
    Some(Binary { title, path: path.into(), folder: folder.into(), launches, is_of_libtest })
}

impl Binary {
    /// Its place among the files that launch nothing.
    pub fn turn(&self) -> usize {
        LONGEST.iter().position(|title| self.title == *title).unwrap_or(LONGEST.len())
    }

    /// Runs the selected tests, and prints the output of failing ones.
    pub fn run(&self, selection: &Selection, variables: &[(&str, String)]) -> Result<Ran, String> {
        let all = self.tests(variables)?;
        let names: Vec<&str> =
            all.iter().map(String::as_str).filter(|test| selection.has(test, self.launches)).collect();
        let began = Instant::now();
        let mut ran = Ran::default();
        if names.is_empty() {
            return Ok(ran);
        }
        let mut command = self.running(variables);
        let at_a_time = if self.launches { LAUNCHES_AT_A_TIME } else { OTHERS_AT_A_TIME };
        command.arg(format!("--test-threads={at_a_time}"));
        if names.len() < all.len() && self.is_of_libtest {
            command.arg("--exact").args(&names);
        } else if names.len() < all.len() {
            // libtest-mimic takes only one name.
            command.env(rota::TESTS, names.join(","));
        }
        let failed = |error: std::io::Error| format!("{}: {error}", self.path.display());
        let (output, writer) = std::io::pipe().map_err(failed)?;
        command.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
        let child = command.spawn().map_err(failed)?;
        // The command holds the pipe's write ends open.
        drop(command);
        let mut ended = Vec::new();
        let mut said = String::new();
        for line in BufReader::new(output).lines() {
            let line = line.map_err(failed)?;
            if let Some((test, result)) = line.strip_prefix("test ").and_then(|line| line.rsplit_once(" ... ")) {
                ended.push((test.trim().to_string(), began.elapsed(), result != "FAILED"));
            }
            said.push_str(&line);
            said.push('\n');
        }
        let used = used::wait(child);
        ran.passed = ended.iter().filter(|(_, _, is_well)| *is_well).count();
        ran.failed = ended.len() - ran.passed;
        let failing = ended.iter().filter(|(_, _, is_well)| !is_well);
        ran.failing = failing.map(|(test, _, _)| (self.title.clone(), test.clone())).collect();
        if !used.status.success() {
            println!("{said}{}: {}", self.title, used.status);
            ran.reasons = reasons(&said);
            // A harness killed by a signal has not printed the test that did it.
            ran.failed = ran.failed.max(1);
        }
        ran.tests = durations(&ended, at_a_time);
        let (wall, processor) = (began.elapsed().as_secs_f64(), used.processor.as_secs_f64());
        println!("{:36} {:4} tests {wall:6.1} s, {processor:6.1} s of processors", self.title, ended.len());
        Ok(ran)
    }

    /// Names of the selected tests.
    pub fn selected(&self, selection: &Selection, variables: &[(&str, String)]) -> Result<Vec<String>, String> {
        let mut tests = self.tests(variables)?;
        tests.retain(|test| selection.has(test, self.launches));
        Ok(tests)
    }

    fn tests(&self, variables: &[(&str, String)]) -> Result<Vec<String>, String> {
        let mut list = self.command(&self.path, variables);
        let output =
            list.args(["--list", "--format", "terse"]).output().map_err(|error| format!("{list:?}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().filter_map(|line| Some(line.trim().strip_suffix(": test")?.to_string())).collect())
    }

    /// Tests without MPI run at low priority, on cores that launches leave idle.
    fn running(&self, variables: &[(&str, String)]) -> Command {
        if self.launches {
            return self.command(&self.path, variables);
        }
        let mut command = self.command(Path::new("chrt"), variables);
        command.args(["--idle", "0"]).arg(&self.path);
        command
    }

    fn command(&self, program: &Path, variables: &[(&str, String)]) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Time of each test. Tests begin in the order of their names, each when an earlier one ends.
fn durations(ended: &[(String, Duration, bool)], at_a_time: usize) -> Vec<(String, Duration)> {
    let mut names: Vec<&str> = ended.iter().map(|(name, _, _)| name.as_str()).collect();
    names.sort_unstable();
    let begin = |at: usize| at.checked_sub(at_a_time).map_or(Duration::ZERO, |before| ended[before].1);
    let begun: BTreeMap<&str, Duration> = names.iter().enumerate().map(|(at, name)| (*name, begin(at))).collect();
    ended.iter().map(|(name, end, _)| (name.clone(), end.saturating_sub(begun[name.as_str()]))).collect()
}

/// Lines that are kept of what a failing test printed.
const REASON_LINES: usize = 40;

/// The output of each failing test up to its stack, as its harness printed it.
fn reasons(said: &str) -> Vec<String> {
    let of_test = |output: &str| {
        let lines = output.lines().filter(|line| !line.is_empty());
        let lines =
            lines.take_while(|line| !line.starts_with("stack backtrace:") && !line.starts_with("note: run with"));
        lines.take(REASON_LINES).collect::<Vec<_>>().join("\n")
    };
    said.split("\n---- ").skip(1).map(of_test).collect()
}

/// Results of one test file.
#[derive(Default)]
pub struct Ran {
    passed: usize,
    failed: usize,
    /// Failing tests, each behind the title of its file.
    failing: Vec<(String, String)>,
    tests: Vec<(String, Duration)>,
    reasons: Vec<String>,
}

/// Results of all test files.
#[derive(Default)]
pub struct Outcome {
    passed: usize,
    failed: usize,
    failing: Vec<(String, String)>,
    /// Tests that failed, and passed when nothing ran beside them.
    passed_alone: Vec<String>,
    tests: Vec<(String, Duration)>,
    reasons: Vec<String>,
}

/// Most failing tests that run again. A launcher that hangs, or a core that is gone for a second, hits few; an error of the code hits more.
const AGAIN: usize = 3;

/// Number of slow tests to list.
const NAMED: usize = 10;

impl Outcome {
    pub fn add(&mut self, ran: Ran) {
        self.passed += ran.passed;
        self.failed += ran.failed;
        self.failing.extend(ran.failing);
        self.tests.extend(ran.tests);
        self.reasons.extend(ran.reasons);
    }

    /// Runs a few failing tests once more, alone on the machine, and says which passed then.
    pub fn try_again(&mut self, all: &[&Binary], variables: &[(&str, String)]) -> Result<(), String> {
        // A harness that a signal killed names no test.
        if self.failing.len() > AGAIN || self.failing.len() < self.failed {
            return Ok(());
        }
        for (title, test) in std::mem::take(&mut self.failing) {
            let Some(binary) = all.iter().find(|binary| binary.title == title) else { continue };
            let ran = binary.run(&Selection::exactly(&test), variables)?;
            if ran.failed == 0 && ran.passed == 1 {
                self.failed -= 1;
                self.passed += 1;
                self.passed_alone.push(test);
            } else {
                self.reasons.extend(ran.reasons);
            }
        }
        Ok(())
    }

    /// Prints the results, the slowest tests first. Fails if a test failed, or none ran.
    pub fn print(mut self) -> Result<(), String> {
        self.tests.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
        println!("\nthe slowest tests:");
        for (name, took) in self.tests.iter().take(NAMED) {
            println!("{:7.1} s  {name}", took.as_secs_f64());
        }
        // Again at the end, where a reader who cuts a long output still sees it.
        for reason in &self.reasons {
            println!("\nfailed: {reason}");
        }
        for test in &self.passed_alone {
            println!("\nfailed, and passed when it ran again alone: {test}");
        }
        println!("\n{} passed, {} failed", self.passed, self.failed);
        match (self.passed, self.failed) {
            (0, 0) => Err("no test has such a name".into()),
            (_, 0) => Ok(()),
            (_, failed) => Err(format!("{failed} tests failed")),
        }
    }
}

/// Finished stages, in seconds.
pub struct Stages {
    over: Vec<(&'static str, f64)>,
    began: Instant,
    last: Instant,
}

impl Stages {
    pub fn begin() -> Stages {
        let now = Instant::now();
        Stages { over: Vec::new(), began: now, last: now }
    }

    /// Ends a stage, and begins the next.
    pub fn end(&mut self, stage: &'static str) {
        self.over.push((stage, self.last.elapsed().as_secs_f64()));
        self.last = Instant::now();
    }

    /// Prints the stages and their total.
    pub fn print(&self) {
        let parts: Vec<String> = self.over.iter().map(|(stage, seconds)| format!("{stage} {seconds:.0} s")).collect();
        println!("\n{}: {:.0} s in all", parts.join(", "), self.began.elapsed().as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_begins_when_one_before_it_ends() {
        let second = Duration::from_secs;
        let ended = [("b", 1), ("a", 3), ("c", 4), ("d", 5)];
        let ended: Vec<_> = ended.map(|(name, end)| (name.to_string(), second(end), true)).into();
        let took: BTreeMap<_, _> = durations(&ended, 2).into_iter().collect();
        let expected = [("a", 3), ("b", 1), ("c", 3), ("d", 2)].map(|(name, took)| (name.to_string(), second(took)));
        assert_eq!(took, expected.into());
    }

    #[test]
    fn a_whole_name_selects_one_test() {
        let one = Selection::exactly("hangs::a");
        assert!(one.has("hangs::a", true) && !one.has("hangs::a_b", true) && !one.has("more::hangs::a", false));
    }

    #[test]
    fn a_failing_test_is_printed_up_to_its_stack() {
        let said = "\nfailures:\n\n---- a stdout ----\n\nthread 'a' panicked at b.rs:1:2:\n1 and not 2\nstack backtrace:\n   0: c\n\n\n---- d stdout ----\nError: e\n";
        assert_eq!(
            reasons(said),
            ["a stdout ----\nthread 'a' panicked at b.rs:1:2:\n1 and not 2", "d stdout ----\nError: e"]
        );
        assert!(reasons("test a ... ok\n").is_empty());
    }

    #[test]
    fn every_test_is_in_one_shard() {
        for test in ["hangs::a", "hangs::b", "words::c", "words::d"] {
            let shards = (1..=3).filter(|at| Shard { at: *at, of: 3 }.has(test));
            assert_eq!(shards.count(), 1, "{test}");
        }
        assert!(Shard::read("0/3").is_err() && Shard::read("4/3").is_err() && Shard::read("3").is_err());
    }
}
