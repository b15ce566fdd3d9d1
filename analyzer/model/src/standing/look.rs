//! One look at a run's folder and at the processes of this host: cheap, to be compared with a later one.

use std::collections::HashMap;
use std::path::Path;

use rustix::time::ClockId;
use traces::read::RankFile;

use super::pulse::{Pulse, Stir, ThreadStir};
use crate::clock::clocks;
use crate::error::Error;
use crate::parallel;
use crate::process::{Process, ProcessState, Task};
use crate::run::files;
use crate::{ProcessFate, Rank};

/// See the module.
pub struct Look {
    /// By the names of the files.
    seen: HashMap<String, Seen>,
    /// The system's clocks, nanoseconds.
    pub monotonic: i64,
    /// See above.
    pub realtime: i64,
    /// For how long the system was suspended since it started, which one of its clocks counts and another does not.
    pub suspended: i64,
}

/// What was seen of one rank.
struct Seen {
    trace: RankFile,
    pulse: Pulse,
    /// Its process and that one's threads, by the number of the process: it may be another one's on this host.
    process: Option<Process>,
    tasks: Vec<Task>,
}

/// What one rank did between two looks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What its threads did in MPI.
    pub threads: Vec<ThreadStir>,
    /// Its process at the later look, where it is on this host.
    pub process: Option<Process>,
    /// The process was gone at the earlier look: what its file says since then is final.
    pub was_gone: bool,
    /// What the threads of its process did that are there at the later look, where it is on this host.
    pub tasks: Vec<ThreadChange>,
}

/// What one thread of a process did between two looks, as the system sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadChange {
    /// At the later look.
    pub task: Task,
    /// What it did at the earlier look; nothing if it was not there.
    pub was: Option<ProcessState>,
    /// Processor time that it used between the two, nanoseconds.
    pub used: u64,
    /// How far apart the two are, nanoseconds.
    pub apart: u64,
}

impl Look {
    /// Looks now.
    pub fn of(folder: &Path) -> Result<Look, Error> {
        let files = files(folder)?;
        let look = |at: usize| {
            let trace = RankFile::open(&files[at]).ok()?;
            let name = files[at].file_name()?.to_str()?.to_string();
            let pid = trace.header().pid;
            let (process, tasks) = (Process::of(pid), Task::all_of(pid));
            Some((name, Seen { pulse: Pulse::of(&trace), trace, process, tasks }))
        };
        let seen = parallel::map(files.len(), look).into_iter().flatten().collect();
        let (monotonic, realtime) = clocks();
        let boottime = rustix::time::clock_gettime(ClockId::Boottime);
        let suspended = boottime.tv_sec * 1_000_000_000 + boottime.tv_nsec - monotonic;
        Ok(Look { seen, monotonic, realtime, suspended })
    }

    /// Whether a rank's process has ended since.
    pub fn has_ended_since(&self, rank: &Rank) -> bool {
        let is_there = |process: Option<Process>| process.is_some_and(|process| process.state != ProcessState::Gone);
        let seen = self.seen.get(&rank.file).is_none_or(|seen| is_there(seen.process));
        rank.fate == ProcessFate::Ended && seen && !is_there(Process::of(rank.header.pid))
    }

    /// What a rank did until a later look.
    pub fn until(&self, later: &Look, rank: &Rank) -> Change {
        let (before, after) = (self.seen.get(&rank.file), later.seen.get(&rank.file));
        let is_here = rank.fate != ProcessFate::Unknown;
        let process = |seen: Option<&Seen>| seen.filter(|_| is_here).and_then(|seen| seen.process);
        let is_gone = |process: Process| process.state == ProcessState::Gone;
        let apart = u64::try_from(later.monotonic - self.monotonic).unwrap_or(0);
        let threads = match (before, after) {
            (Some(before), Some(after)) => before.pulse.until(&after.pulse, &after.trace),
            // A file that is new, or moved to its place when MPI was initialized.
            _ => vec![ThreadStir { number: 0, stir: Stir::Calls, asked: 0, asking: 0 }],
        };
        let earlier = |tid: u32| before?.tasks.iter().find(|task| task.tid == tid);
        let change = |task: &Task| {
            let before = earlier(task.tid).filter(|before| before.started == task.started);
            let used = task.used.saturating_sub(before.map_or(0, |before| before.used));
            ThreadChange { task: *task, was: before.map(|before| before.state), used, apart }
        };
        Change {
            threads,
            process: process(after),
            was_gone: process(before).is_some_and(is_gone),
            tasks: after.filter(|_| is_here).into_iter().flat_map(|seen| &seen.tasks).map(change).collect(),
        }
    }
}

impl Change {
    /// The most that any of its threads did in MPI.
    pub fn stir(&self) -> Stir {
        self.threads.iter().map(|thread| thread.stir).max().unwrap_or(Stir::None)
    }

    /// What one of its threads did in MPI.
    pub fn thread(&self, number: u32) -> Option<&ThreadStir> {
        self.threads.iter().find(|thread| thread.number == number)
    }

    /// What the system says of one of its threads.
    pub fn task(&self, tid: u32) -> Option<&ThreadChange> {
        self.tasks.iter().find(|change| change.task.tid == tid)
    }
}

impl ThreadChange {
    /// Whether it computes: one that only wakes up now and then to look at something does not.
    pub fn computed(&self) -> bool {
        self.was.is_none() || self.task.state == ProcessState::Running || self.used > self.apart / 100
    }

    /// Whether it had the time to go on, if it could: it ran, or has put itself to sleep.
    pub fn had_its_chance(&self) -> bool {
        const ENOUGH: u64 = 20_000_000;
        let slept = [self.was, Some(self.task.state)] == [Some(ProcessState::Asleep); 2];
        self.used >= ENOUGH || slept
    }
}

/// Seconds since a rank's recording began, by the clock of its host if that is this one.
pub fn age(rank: &Rank, (monotonic, realtime): (i64, i64)) -> f64 {
    match rank.fate {
        ProcessFate::Runs => (monotonic - rank.header.begin.monotonic as i64) as f64 / 1e9,
        _ => (realtime - rank.header.begin.realtime as i64) as f64 / 1e9,
    }
}
