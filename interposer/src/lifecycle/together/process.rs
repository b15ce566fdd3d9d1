//! Tells whether a process of this host still lives.
//!
//! Process ids are reused, and mean something else in another container. So a process is identified by its id, its
//! start time and its pid namespace.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

use super::wait::Liveness;

/// A process, in two words of shared memory.
#[derive(Clone, Copy)]
pub struct ProcessId {
    /// The process id.
    pub number: u32,
    /// Start time and namespace; see [`ProcessId::stamp`].
    pub stamp: u64,
}

/// Bits of a stamp that hold the pid namespace.
const NAMESPACE: u32 = 24;

impl ProcessId {
    pub fn own() -> ProcessId {
        let number = std::process::id();
        ProcessId { number, stamp: ProcessId::stamp(number) }
    }

    /// The start time of a process, and its pid namespace in the low bits; 0 if unknown.
    fn stamp(number: u32) -> u64 {
        stat(number).map_or(0, |stat| stat.began << NAMESPACE | namespace())
    }

    pub fn fate(self) -> Liveness {
        if self.stamp == 0 || self.stamp & ((1 << NAMESPACE) - 1) != namespace() {
            return Liveness::Unknown;
        }
        match stat(self.number) {
            Some(stat) if stat.began == self.stamp >> NAMESPACE && !stat.is_over => Liveness::Lives,
            _ => Liveness::Gone,
        }
    }
}

/// The low bits of this process's pid namespace; 0 if unknown.
fn namespace() -> u64 {
    static NUMBER: OnceLock<u64> = OnceLock::new();
    let number = NUMBER.get_or_init(|| fs::metadata("/proc/self/ns/pid").map_or(0, |data| data.ino()));
    number & ((1 << NAMESPACE) - 1)
}

struct Stat {
    began: u64,
    /// True if it is a zombie.
    is_over: bool,
}

fn stat(number: u32) -> Option<Stat> {
    // One read: `fs::read_to_string` asks for the file's length first, which a filter of system calls may not know.
    let mut bytes = [0; 1024];
    let length = File::open(format!("/proc/{number}/stat")).ok()?.read(&mut bytes).ok()?;
    let line = String::from_utf8_lossy(bytes.get(..length)?);
    // The program's name, in parentheses, may have spaces.
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    let [state, threads, began] = [0, 17, 19].map(|at| fields.get(at).copied());
    // A process whose main thread has ended is in state Z, too, while its other threads run.
    let is_over = matches!(state?, "Z" | "X") && threads?.parse().is_ok_and(|threads: u32| threads <= 1);
    Some(Stat { began: began?.parse().ok()?, is_over })
}

/// A process's start time, in clock ticks since boot.
pub fn began(number: i32) -> Option<u64> {
    stat(u32::try_from(number).ok()?).map(|stat| stat.began)
}
