//! What became of the process that a file is of, as far as that can be told from here.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use traces::definitions::Process;

/// See the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is there.
    Runs,
    /// It is not, on the host where it was.
    Ended,
    /// It was elsewhere, or is somebody else's.
    Unknown,
}

impl Fate {
    /// Asks the system, where that is the one that the process was under.
    pub fn of(process: &Process, pid: u32) -> Fate {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_string();
        if process.host != read("/proc/sys/kernel/hostname") {
            return Fate::Unknown;
        }
        if process.boot != read("/proc/sys/kernel/random/boot_id") {
            return Fate::Ended;
        }
        match fs::read_link(format!("/proc/{pid}/exe")) {
            Ok(program) if program == Path::new(&process.program) => Fate::Runs,
            Err(error) if error.kind() == ErrorKind::NotFound => Fate::Ended,
            // The number may have come again.
            _ => Fate::Unknown,
        }
    }
}
