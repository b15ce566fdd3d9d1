//! Runs the tests with one error after another.
//!
//! Each test runs in its own process. All run once without an error, and report the places they reach. Then each error
//! is tried with the tests that reach it until one fails: those that have caught the most go first, the shortest of
//! these before others.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use examples::{rota, target};

use super::copied_workspace::{Built, REACHED, TestBinary, WANTED};
use super::places::Planted;

const AT_A_TIME: usize = 2;
/// A test hangs if it takes this many times as long as without an error, and `PATIENCE` more.
const FAR_LONGER: u32 = 10;
const PATIENCE: Duration = Duration::from_secs(20);
/// Without an error at most one in this many tests may fail, for example because a tool is missing.
const MAY_FAIL: usize = 20;

/// Result of the tests for one error.
pub struct Trial {
    pub number: usize,
    /// First test that failed, and how; `None` if all passed.
    noticed: Option<(String, TestEnd)>,
}

impl Trial {
    pub fn fate(&self) -> &'static str {
        match self.noticed {
            None => "missed",
            Some((_, TestEnd::Hung)) => "hung",
            Some(_) => "caught",
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum TestEnd {
    Passed,
    Failed,
    Hung,
}

/// A test, as it runs without an error.
struct OneTest<'b> {
    binary: &'b TestBinary,
    name: String,
    took: Duration,
    reaches: BTreeSet<usize>,
    caught: AtomicUsize,
}

/// Tries each error in the build.
pub fn run(built: &Built, chosen: &[Planted]) -> Result<Vec<Trial>, String> {
    let began = Instant::now();
    let tests = without_errors(built)?;
    let reached: BTreeSet<usize> = tests.iter().flat_map(|test| &test.reaches).copied().collect();
    println!("{} tests in {:.0} s come to {} of the errors", tests.len(), began.elapsed().as_secs_f64(), reached.len());
    let numbers: Vec<usize> = (0..chosen.len()).filter(|number| !built.left_out.contains(number)).collect();
    let trials = in_parallel(&numbers, |number| {
        let trial = tried(*number, &tests);
        let by = trial.noticed.as_ref().map_or("", |(test, _)| test);
        println!("{:7.0} s  {:6}  {}  {by}", began.elapsed().as_secs_f64(), trial.fate(), chosen[*number].in_words());
        trial
    });
    Ok(trials)
}

fn tried(number: usize, tests: &[OneTest<'_>]) -> Trial {
    let mut order: Vec<&OneTest<'_>> = tests.iter().filter(|test| test.reaches.contains(&number)).collect();
    order.sort_by_key(|test| (Reverse(test.caught.load(Relaxed)), test.took));
    for test in order {
        let end = test.run(&[(WANTED, number.to_string())]);
        if end != TestEnd::Passed {
            test.caught.fetch_add(1, Relaxed);
            return Trial { number, noticed: Some((test.name.clone(), end)) };
        }
    }
    Trial { number, noticed: None }
}

/// Runs every test once, and leaves out those that fail without an error.
fn without_errors(built: &Built) -> Result<Vec<OneTest<'_>>, String> {
    let folder = target().join("mutants/reached");
    let names: Vec<(&TestBinary, String)> =
        built.binaries.iter().flat_map(|binary| listed(binary).into_iter().map(move |name| (binary, name))).collect();
    let ran = in_parallel(&names, |(binary, name)| {
        let own = folder.join(name.replace(|letter: char| !letter.is_alphanumeric(), "-"));
        let _ = fs::remove_dir_all(&own);
        let _ = fs::create_dir_all(&own);
        let (reaches, caught) = (BTreeSet::new(), AtomicUsize::new(0));
        let mut test = OneTest { binary, name: name.clone(), took: Duration::from_secs(300), reaches, caught };
        let began = Instant::now();
        let end = test.run(&[(REACHED, own.display().to_string())]);
        test.took = began.elapsed();
        let files = fs::read_dir(&own).into_iter().flatten().flatten();
        test.reaches = files.filter_map(|file| file.file_name().to_str()?.parse().ok()).collect();
        if end != TestEnd::Passed {
            println!("fails without an error: {name}");
        }
        (end == TestEnd::Passed).then_some(test)
    });
    let all = ran.len();
    let passed: Vec<OneTest<'_>> = ran.into_iter().flatten().collect();
    if passed.is_empty() || (all - passed.len()) * MAY_FAIL > all {
        return Err(format!("without an error {} of {all} tests fail", all - passed.len()));
    }
    Ok(passed)
}

fn listed(binary: &TestBinary) -> Vec<String> {
    let output = binary.command().args(["--list", "--format", "terse"]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().filter_map(|line| Some(line.trim().strip_suffix(": test")?.to_string())).collect()
}

impl TestBinary {
    fn command(&self) -> Command {
        let mut command = Command::new("nice");
        command.args(["-n", "19"]).arg(&self.path).current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        // So that each error meets all tests that could notice it.
        command.env(rota::ALL, "1");
        command
    }
}

impl OneTest<'_> {
    fn run(&self, variables: &[(&str, String)]) -> TestEnd {
        let mut command = self.binary.command();
        command.arg("--exact").arg(&self.name).envs(variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let Ok(mut child) = command.spawn() else { return TestEnd::Failed };
        let end = end_of(&mut child, Instant::now() + FAR_LONGER * self.took + PATIENCE);
        // A test that hangs or panics leaves the commands that it started.
        // SAFETY: passes two integers.
        unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
        let _ = child.wait();
        end
    }
}

fn end_of(child: &mut Child, until: Instant) -> TestEnd {
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return TestEnd::Passed,
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
            Ok(None) => return TestEnd::Hung,
            _ => return TestEnd::Failed,
        }
    }
}

/// Maps items in parallel, a few at a time; results are in the items' order.
fn in_parallel<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some((at, item)) = Some(next.fetch_add(1, Relaxed)).and_then(|at| Some((at, items.get(at)?)))
                {
                    let result = make(item);
                    made.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((at, result));
                }
            });
        }
    });
    let mut made = made.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, result)| result).collect()
}
