//! Takes a cheap snapshot of a run's folder and of the processes of this host, to be compared with a later one.

use std::collections::HashMap;
use std::path::Path;

use rustix::time::ClockId;
use traces::read::{FileAccess, RankFile};

use super::pulse::{Pulse, Stir, ThreadStir};
use crate::clock::clocks;
use crate::error::Error;
use crate::parallel;
use crate::process::{Process, ProcessState, Task};
use crate::run::files;
use crate::{ProcessFate, Rank};

/// A snapshot of a run.
pub struct Look {
    /// By file name.
    seen: HashMap<String, Seen>,
    /// The system's clocks, nanoseconds.
    pub monotonic: i64,
    pub realtime: i64,
    /// Nanoseconds for which the system was suspended since boot: the difference between its boot-time and monotonic clocks.
    pub suspended: i64,
}

/// Snapshot of one rank.
struct Seen {
    trace: RankFile,
    pulse: Pulse,
    /// Process with the rank's process number, and its threads; on another host, the number may be another program's.
    process: Option<Process>,
    tasks: Vec<Task>,
}

/// A rank's activity between two looks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Activity of its threads in MPI.
    pub threads: Vec<ThreadStir>,
    /// Its process at the later look, if it is on this host.
    pub process: Option<Process>,
    /// The process was gone at the earlier look, so its file is final.
    pub was_gone: bool,
    /// Activity of the process's threads that exist at the later look, if it is on this host.
    pub tasks: Vec<ThreadChange>,
}

/// A thread's activity between two looks, as the system sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadChange {
    /// The thread at the later look.
    pub task: Task,
    /// Its state at the earlier look; `None` if it did not exist.
    pub was: Option<ProcessState>,
    /// Processor time used between the looks, nanoseconds.
    pub used: u64,
    /// Time between the looks, nanoseconds.
    pub apart: u64,
}

impl Look {
    /// Takes a snapshot now.
    pub fn of(folder: &Path) -> Result<Look, Error> {
        let files = files(folder)?;
        let access = FileAccess::of_run(files.len());
        let look = |at: usize| {
            let trace = RankFile::open_by(&files[at], access).ok()?;
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

    /// True if a rank's process has ended since.
    pub fn has_ended_since(&self, rank: &Rank) -> bool {
        let is_there = |process: Option<Process>| process.is_some_and(|process| process.state != ProcessState::Gone);
        let seen = self.seen.get(&rank.file).is_none_or(|seen| is_there(seen.process));
        rank.fate == ProcessFate::Ended && seen && !is_there(Process::of(rank.header.pid))
    }

    /// A rank's activity until a later look.
    pub fn until(&self, later: &Look, rank: &Rank) -> Change {
        let (before, after) = (self.seen.get(&rank.file), later.seen.get(&rank.file));
        let is_here = rank.fate != ProcessFate::Unknown;
        let process = |seen: Option<&Seen>| seen.filter(|_| is_here).and_then(|seen| seen.process);
        let is_gone = |process: Process| process.state == ProcessState::Gone;
        let apart = u64::try_from(later.monotonic - self.monotonic).unwrap_or(0);
        let threads = match (before, after) {
            (Some(before), Some(after)) => before.pulse.until(&after.pulse, &after.trace),
            // The file is new, or was renamed when MPI was initialized.
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
    /// Greatest activity of its threads in MPI.
    pub fn stir(&self) -> Stir {
        self.threads.iter().map(|thread| thread.stir).max().unwrap_or(Stir::None)
    }

    /// Activity of one thread in MPI.
    pub fn thread(&self, number: u32) -> Option<&ThreadStir> {
        self.threads.iter().find(|thread| thread.number == number)
    }

    /// One thread as the system sees it.
    pub fn task(&self, tid: u32) -> Option<&ThreadChange> {
        self.tasks.iter().find(|change| change.task.tid == tid)
    }
}

impl ThreadChange {
    /// True if the thread computes; waking up now and then for a check does not count.
    pub fn computed(&self) -> bool {
        self.was.is_none() || self.task.state == ProcessState::Running || self.used > self.apart / 100
    }

    /// True if the thread had time to go on: it ran, or has put itself to sleep.
    pub fn had_its_chance(&self) -> bool {
        const ENOUGH: u64 = 20_000_000;
        let slept = [self.was, Some(self.task.state)] == [Some(ProcessState::Asleep); 2];
        self.used >= ENOUGH || slept
    }
}

/// Seconds since a rank's recording began, by its host's monotonic clock if that is this host.
pub fn age(rank: &Rank, (monotonic, realtime): (i64, i64)) -> f64 {
    match rank.fate {
        ProcessFate::Runs => (monotonic - rank.header.begin.monotonic as i64) as f64 / 1e9,
        _ => (realtime - rank.header.begin.realtime as i64) as f64 / 1e9,
    }
}
