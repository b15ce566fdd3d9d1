//! Reads the state of a process on this host and of its threads.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use traces::definitions;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Process {
    pub state: ProcessState,
    /// Processor time of all its threads, in the system's clock ticks.
    pub used: u64,
    /// Core that its first thread last ran on.
    pub core: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ProcessState {
    /// It runs or is ready to run.
    Running,
    Asleep,
    /// A signal or a debugger stopped it.
    Stopped,
    /// It has ended.
    Gone,
}

/// A thread of a process at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// The system's thread id.
    pub tid: u32,
    pub state: ProcessState,
    /// Processor time, nanoseconds; in steps of a clock tick if the system has no finer account.
    pub used: u64,
    /// Start, in nanoseconds since the system's boot, in steps of a clock tick.
    pub started: u64,
}

/// Unit of processor times and starts: USER_HZ, which is 100 on every architecture that we run on. Nanoseconds.
pub const TICK: u64 = 10_000_000;

/// One line of `/proc/PID/stat` or `/proc/PID/task/TID/stat`, by proc_pid_stat(5).
struct Stat {
    state: ProcessState,
    /// Clock ticks.
    used: u64,
    started: u64,
    core: u32,
}

impl Process {
    /// The state of a process; `None` if the system does not report it.
    pub fn of(pid: u32) -> Option<Process> {
        match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(text) => {
                let Stat { state, used, core, .. } = Stat::parse(&text)?;
                Some(Process { state, used, core })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Some(Process { state: ProcessState::Gone, used: 0, core: 0 })
            }
            Err(_) => None,
        }
    }
}

impl Task {
    /// All threads of a process; empty if it is gone or the system does not report them.
    pub fn all_of(pid: u32) -> Vec<Task> {
        let folders = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        folders.filter_map(|folder| Task::of(pid, folder.file_name().to_str()?.parse().ok()?)).collect()
    }

    fn of(pid: u32, tid: u32) -> Option<Task> {
        let read = |file: &str| fs::read_to_string(format!("/proc/{pid}/task/{tid}/{file}"));
        let stat = Stat::parse(&read("stat").ok()?)?;
        let exactly = read("schedstat").ok().and_then(|text| text.split(' ').next()?.parse().ok());
        let used = exactly.unwrap_or(stat.used.saturating_mul(TICK));
        Some(Task { tid, state: stat.state, used, started: stat.started.saturating_mul(TICK) })
    }
}

impl Stat {
    fn parse(line: &str) -> Option<Stat> {
        // The program's name stands in parentheses and may hold any character.
        let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        let state = match *fields.first()? {
            "T" | "t" => ProcessState::Stopped,
            "Z" | "X" => ProcessState::Gone,
            "S" | "I" | "D" => ProcessState::Asleep,
            _ => ProcessState::Running,
        };
        let used = number(14)?.saturating_add(number(15)?);
        Some(Stat { state, used, started: number(22)?, core: number(39).unwrap_or(0) as u32 })
    }
}

/// This host since its boot, read once: a run may have 100,000 ranks.
pub struct ThisHost {
    pub name: String,
    pub boot: String,
}

pub static THIS_HOST: LazyLock<ThisHost> = LazyLock::new(|| {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_string();
    ThisHost { name: read("/proc/sys/kernel/hostname"), boot: read("/proc/sys/kernel/random/boot_id") }
});

/// State of a process, as far as this machine can tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProcessFate {
    Runs,
    /// The process was on this host and does not exist.
    Ended,
    /// The process was on another host, or its number belongs to another program.
    Unknown,
}

impl ProcessFate {
    /// Asks the system, if the process was on this host.
    pub fn of(process: &definitions::Process, pid: u32) -> ProcessFate {
        if process.host != THIS_HOST.name {
            return ProcessFate::Unknown;
        }
        if process.boot != THIS_HOST.boot {
            return ProcessFate::Ended;
        }
        match fs::read_link(format!("/proc/{pid}/exe")) {
            Ok(program) if program == Path::new(&process.program) => ProcessFate::Runs,
            Err(error) if error.kind() == ErrorKind::NotFound => ProcessFate::Ended,
            // The process number may have been reused.
            _ => ProcessFate::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_system_is_read_whatever_the_program_is_called() {
        let numbers = (4..=52).map(|field| field.to_string()).collect::<Vec<_>>().join(" ");
        let stat = |state: &str| Stat::parse(&format!("17 (a) R (b) {state} {numbers}"));
        let read = stat("T").unwrap();
        assert_eq!((read.state, read.used, read.started, read.core), (ProcessState::Stopped, 29, 22, 39));
        assert_eq!(stat("Z").map(|stat| stat.state), Some(ProcessState::Gone));
        assert!(Stat::parse("17 (a").is_none());
    }

    #[test]
    fn this_process_is_there_and_a_number_beyond_all_is_not() {
        let here = Process::of(std::process::id()).unwrap();
        assert!(matches!(here.state, ProcessState::Running | ProcessState::Asleep), "{here:?}");
        assert_eq!(Process::of(u32::MAX).map(|process| process.state), Some(ProcessState::Gone));
        assert!(Task::all_of(u32::MAX).is_empty());
    }

    #[test]
    fn the_thread_that_asks_is_among_those_of_its_process_and_has_used_processor_time() {
        let own = fs::read_link("/proc/thread-self").unwrap();
        let tid: u32 = own.file_name().unwrap().to_str().unwrap().parse().unwrap();
        let own = || Task::all_of(std::process::id()).into_iter().find(|task| task.tid == tid).unwrap();
        let before = own();
        let mut after = before;
        for _ in 0..1_000_000 {
            after = own();
            if after.used > before.used {
                break;
            }
        }
        assert!(after.used > before.used, "{before:?} {after:?}");
        assert_eq!(before.started, after.started);
    }

    #[test]
    fn a_process_runs_has_ended_or_is_not_known_of() {
        let read = |path| fs::read_to_string(path).unwrap().trim().to_string();
        let here = || definitions::Process {
            host: read("/proc/sys/kernel/hostname"),
            boot: read("/proc/sys/kernel/random/boot_id"),
            program: std::env::current_exe().unwrap().to_string_lossy().into_owned(),
            ..definitions::Process::default()
        };
        let pid = std::process::id();
        // The kernel's process numbers are lower.
        let nobody = u32::MAX;
        assert_eq!(ProcessFate::of(&here(), pid), ProcessFate::Runs);
        assert_eq!(ProcessFate::of(&here(), nobody), ProcessFate::Ended);
        assert_eq!(ProcessFate::of(&definitions::Process { boot: "before".into(), ..here() }, pid), ProcessFate::Ended);
        assert_eq!(
            ProcessFate::of(&definitions::Process { host: "elsewhere".into(), ..here() }, pid),
            ProcessFate::Unknown
        );
        assert_eq!(
            ProcessFate::of(&definitions::Process { program: "/bin/another".into(), ..here() }, pid),
            ProcessFate::Unknown
        );
    }
}
