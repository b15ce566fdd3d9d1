//! A program under the recorder, inspected while it runs.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use traces::file::INITIALIZED;
use traces::read::RankFile;

use crate::answer::Answer;
use crate::command::spawn;
use crate::launch_turns::{self, Share};
use crate::run::{Case, Run, fresh_folder, overhear};

/// A live run; dropping it kills its processes.
pub struct Running {
    pub run: Run,
    /// The launcher, in a process group of its own.
    pub launcher: Child,
    _share: Share,
}

impl Running {
    /// Starts the program, recorded into a new folder.
    pub fn begin(name: &str, case: &Case<'_>) -> Running {
        let folder = fresh_folder(&format!("{}-{name}", case.mpi.name));
        let mut command = Command::new(overhear());
        command.arg("record").arg("--dir").arg(&folder).args(case.words());
        case.prepare(&mut command);
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let share = launch_turns::share();
        Running { launcher: spawn(quiet), run: Run { folder }, _share: share }
    }

    /// Runs `overhear hang` on the live run.
    pub fn hang(&self) -> Answer {
        self.run.ask("hang", &["--no-cache"])
    }

    /// Runs `overhear hang` once some rank has begun its file.
    pub fn look(&self) -> Option<Answer> {
        let can_be_read = self.run.files().iter().any(|path| RankFile::open(path).is_ok());
        can_be_read.then(|| self.hang())
    }

    /// True if all ranks have initialized MPI.
    pub fn has_begun(&self, ranks: u32) -> bool {
        let traces: Vec<PathBuf> = self.run.files();
        let has_begun = |path: &PathBuf| {
            let trace = RankFile::open(path).ok();
            trace.is_some_and(|trace| trace.header().state & INITIALIZED != 0)
        };
        traces.len() >= ranks as usize && traces.iter().all(has_begun)
    }

    pub fn is_over(&mut self) -> bool {
        self.launcher.try_wait().expect("the launcher is a child").is_some()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_over() {
            return;
        }
        let pids = self.run.files().into_iter().filter_map(|path| Some(RankFile::open(&path).ok()?.header().pid));
        for pid in pids.collect::<Vec<_>>() {
            // SAFETY: ends a rank of this run, which is not over.
            unsafe { libc::kill(pid as i32, libc::SIGKILL) };
        }
        // SAFETY: ends the group that was made for its launcher.
        unsafe { libc::kill(-(self.launcher.id() as i32), libc::SIGKILL) };
        let _ = self.launcher.wait();
    }
}

pub fn says_it_hangs(answer: &Answer) -> bool {
    matches!(verdict(answer), "certain" | "likely")
}

/// Verdict of `overhear hang`.
pub fn verdict(answer: &Answer) -> &str {
    answer.json["run"]["hangs"].as_str().unwrap_or_default()
}
