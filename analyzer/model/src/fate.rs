//! Finds out whether the process that wrote a file is still alive.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use traces::definitions::Process;

/// State of a process, as far as this machine can tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProcessFate {
    /// The process exists.
    Runs,
    /// The process was on this host and does not exist.
    Ended,
    /// The process was on another host, or its number belongs to another program.
    Unknown,
}

impl ProcessFate {
    /// Asks the system, if the process was on this host.
    pub fn of(process: &Process, pid: u32) -> ProcessFate {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_string();
        if process.host != read("/proc/sys/kernel/hostname") {
            return ProcessFate::Unknown;
        }
        if process.boot != read("/proc/sys/kernel/random/boot_id") {
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
    fn a_process_runs_has_ended_or_is_not_known_of() {
        let read = |path| fs::read_to_string(path).unwrap().trim().to_string();
        let here = || Process {
            host: read("/proc/sys/kernel/hostname"),
            boot: read("/proc/sys/kernel/random/boot_id"),
            program: std::env::current_exe().unwrap().to_string_lossy().into_owned(),
            ..Process::default()
        };
        let pid = std::process::id();
        // The kernel's process numbers are lower.
        let nobody = u32::MAX;
        assert_eq!(ProcessFate::of(&here(), pid), ProcessFate::Runs);
        assert_eq!(ProcessFate::of(&here(), nobody), ProcessFate::Ended);
        assert_eq!(ProcessFate::of(&Process { boot: "before".into(), ..here() }, pid), ProcessFate::Ended);
        assert_eq!(ProcessFate::of(&Process { host: "elsewhere".into(), ..here() }, pid), ProcessFate::Unknown);
        assert_eq!(ProcessFate::of(&Process { program: "/bin/another".into(), ..here() }, pid), ProcessFate::Unknown);
    }
}
