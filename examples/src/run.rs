//! Runs programs with and without the recorder.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{fs, thread};

use traces::read::{RankFile, rank_files};

use crate::answer::Answer;
pub use crate::command::{Output, finish, interrupt_when};
use crate::machine::target;
use crate::mpi::Mpi;
use crate::program::Program;

/// Analyses that exclude MPI_Init and MPI_Finalize unless `--whole` is given.
pub const TRIMMED: [&str; 12] = [
    "check",
    "fanout",
    "imbalance",
    "matrix",
    "network",
    "overlap",
    "path",
    "pop",
    "progress",
    "report",
    "waits",
    "why",
];

/// The tested `overhear` command.
pub fn overhear() -> PathBuf {
    built("overhear")
}

/// The preloaded library, one file for every MPI.
pub fn library() -> PathBuf {
    built("liboverhear.so")
}

/// The archive, for programs that link the recorder.
pub fn archive() -> PathBuf {
    built("liboverhear.a")
}

/// A tested file: the command in the test profile, the library in release.
pub fn built(name: &str) -> PathBuf {
    let path = tested().join(name);
    assert!(path.exists(), "{} is not built: cargo xtask build makes it", path.display());
    path
}

/// Variable that replaces the folder that `cargo xtask` fills.
pub const TESTED: &str = "TEST_TESTED";

/// Folder of all tested files: the command preloads the library that lies beside it.
pub fn tested() -> PathBuf {
    std::env::var_os(TESTED).map_or_else(|| target().join("tested"), PathBuf::from)
}

/// A program to run under a library.
pub struct Case<'a> {
    pub mpi: &'a Mpi,
    pub path: PathBuf,
    pub arguments: Vec<String>,
    /// Number of ranks; 0 for one process without a launcher.
    pub ranks: u32,
    pub variables: Vec<(String, String)>,
}

impl<'a> Case<'a> {
    /// A program of `programs/`, built.
    pub fn of(program: &Program, mpi: &'a Mpi) -> Case<'a> {
        let filter = program.filter.iter().map(|filter| ("OVERHEAR_FILTER".to_string(), filter.clone()));
        Case {
            mpi,
            path: program.build(mpi),
            arguments: program.arguments.clone(),
            ranks: program.ranks,
            variables: filter.chain(program.variables.iter().cloned()).collect(),
        }
    }

    pub fn with(mut self, name: &str, value: &str) -> Case<'a> {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub fn words(&self) -> Vec<String> {
        let mut words = self.mpi.launch(self.ranks);
        words.push(self.path.to_string_lossy().into_owned());
        words.extend(self.arguments.iter().cloned());
        words
    }

    /// Sets the environment that the case needs.
    pub fn prepare(&self, command: &mut Command) {
        self.mpi.set_environment(command);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Runs it without the recorder.
    pub fn plain(&self) -> Output {
        let words = self.words();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        self.prepare(&mut command);
        finish(&mut command)
    }

    /// Runs it under `overhear record`, in front of any launcher, into a new folder.
    pub fn recorded(&self, name: &str) -> (Output, Run) {
        let folder = fresh_folder(&format!("{}-{name}", self.mpi.name));
        let mut command = Command::new(overhear());
        command.arg("record").arg("--dir").arg(&folder).args(self.words());
        self.prepare(&mut command);
        let (output, run) = (finish(&mut command), Run { folder });
        run.wait_for_its_processes();
        (output, run)
    }
}

/// Path for a new run, below a folder of the calling test.
pub fn fresh_folder(name: &str) -> PathBuf {
    let runs = target().join("runs");
    let folder = of_test().map_or(runs.clone(), |test| runs.join(test)).join(name);
    let _ = fs::remove_dir_all(&folder);
    let _ = fs::remove_file(&folder);
    fs::create_dir_all(folder.parent().expect("it has one")).expect("the target folder can be written");
    folder
}

/// Short name of the test that runs in this thread: paths have a limit.
fn of_test() -> Option<String> {
    let thread = thread::current();
    let (file, test) = thread.name()?.rsplit_once("::")?;
    let mut hasher = DefaultHasher::new();
    test.hash(&mut hasher);
    Some(format!("{}-{:06x}", file.replace("::", "-"), hasher.finish() & 0xff_ffff))
}

#[derive(Debug)]
pub struct Run {
    pub folder: PathBuf,
}

/// Longest wait for processes whose launcher has ended.
const LEAVING: Duration = Duration::from_secs(4);

impl Run {
    /// Waits until its processes are gone: launchers do not wait for ranks they kill, and analyses say other things of
    /// a live run.
    pub fn wait_for_its_processes(&self) {
        let pids = self.files().into_iter().filter_map(|file| Some(RankFile::open(&file).ok()?.header().pid));
        let pids: Vec<u32> = pids.collect();
        let is_there = |pid: &u32| fs::read_link(format!("/proc/{pid}/exe")).is_ok();
        let began = Instant::now();
        while pids.iter().any(is_there) && began.elapsed() < LEAVING {
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Runs an analysis of the whole run, since programs state figures from MPI_Init to MPI_Finalize.
    pub fn ask(&self, analysis: &str, arguments: &[&str]) -> Answer {
        let whole = TRIMMED.contains(&analysis).then_some("--whole");
        Answer::of(Command::new(overhear()).arg(analysis).arg(&self.folder).args(arguments).args(whole))
    }

    /// Runs `overhear report` on it.
    pub fn report(&self, by: &str) -> Answer {
        self.ask("report", &["--by", by])
    }

    /// Trace files in its folder, and the members of its node files.
    pub fn files(&self) -> Vec<PathBuf> {
        rank_files(&self.folder).unwrap_or_default()
    }
}
