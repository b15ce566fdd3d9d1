//! What a process on this host does at the moment, as the system sees it.

use std::fs;

use serde::{Deserialize, Serialize};

/// See the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Process {
    /// What it does.
    pub state: ProcessState,
    /// Processor time that its threads have used, in the system's clock ticks.
    pub used: u64,
    /// The core that its first thread last ran on.
    pub core: u32,
}

/// What a process does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ProcessState {
    /// It runs, or could.
    Running,
    /// It sleeps.
    Asleep,
    /// A signal or a debugger stopped it.
    Stopped,
    /// It has ended.
    Gone,
}

impl Process {
    /// That of a process number. `None` if the system does not say.
    pub fn of(pid: u32) -> Option<Process> {
        match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(text) => parse(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Some(Process { state: ProcessState::Gone, used: 0, core: 0 })
            }
            Err(_) => None,
        }
    }
}

/// A line of `/proc/PID/stat`, by proc_pid_stat(5).
fn parse(line: &str) -> Option<Process> {
    // The program's name stands in parentheses and may hold any character.
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let state = match *fields.first()? {
        "T" | "t" => ProcessState::Stopped,
        "Z" | "X" => ProcessState::Gone,
        "S" | "I" | "D" => ProcessState::Asleep,
        _ => ProcessState::Running,
    };
    Some(Process { state, used: number(14)? + number(15)?, core: number(39).unwrap_or(0) as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_system_is_read_whatever_the_program_is_called() {
        let numbers = (4..=52).map(|field| field.to_string()).collect::<Vec<_>>().join(" ");
        let process = |state: &str| parse(&format!("17 (a) R (b) {state} {numbers}"));
        assert_eq!(process("T"), Some(Process { state: ProcessState::Stopped, used: 29, core: 39 }));
        assert_eq!(process("Z").map(|process| process.state), Some(ProcessState::Gone));
        assert_eq!(parse("17 (a"), None);
    }

    #[test]
    fn this_process_is_there_and_a_number_beyond_all_is_not() {
        let here = Process::of(std::process::id()).unwrap();
        assert!(matches!(here.state, ProcessState::Running | ProcessState::Asleep), "{here:?}");
        assert_eq!(Process::of(u32::MAX).map(|process| process.state), Some(ProcessState::Gone));
    }
}
