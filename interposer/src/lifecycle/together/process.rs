//! Whether a process of this host that has shown itself still lives.
//!
//! Numbers of processes come again, and mean nothing in another container: so a process is known by its number, by when it began,
//! and by whose number that is.

use std::fs;
use std::os::unix::fs::MetadataExt;

use super::wait::Liveness;

/// A process, in two words of shared memory.
#[derive(Clone, Copy)]
pub struct ProcessId {
    /// Its number.
    pub number: u32,
    /// See [`ProcessId::stamp`].
    pub stamp: u64,
}

/// Bits that say whose number it is.
const NAMESPACE: u32 = 24;

impl ProcessId {
    /// The calling one.
    pub fn own() -> ProcessId {
        let number = std::process::id();
        ProcessId { number, stamp: ProcessId::stamp(number) }
    }

    /// When the process of a number began, and in which namespace; 0 where that cannot be known.
    fn stamp(number: u32) -> u64 {
        stat(number).map_or(0, |stat| stat.began << NAMESPACE | namespace())
    }

    /// What is known of it.
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

/// Which processes have numbers as this one sees them; 0 where that is unknown.
fn namespace() -> u64 {
    let number = fs::metadata("/proc/self/ns/pid").map_or(0, |data| data.ino());
    number & ((1 << NAMESPACE) - 1)
}

struct Stat {
    began: u64,
    /// It has ended, and its parent has not asked how.
    is_over: bool,
}

fn stat(number: u32) -> Option<Stat> {
    let line = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The program's name, in parentheses, may have spaces.
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    let [state, threads, began] = [0, 17, 19].map(|at| fields.get(at).copied());
    // A process whose first thread has ended looks like one that has.
    let is_over = matches!(state?, "Z" | "X") && threads?.parse().is_ok_and(|threads: u32| threads <= 1);
    Some(Stat { began: began?.parse().ok()?, is_over })
}

/// When a process began, by the system's count.
pub fn began(number: i32) -> Option<u64> {
    stat(u32::try_from(number).ok()?).map(|stat| stat.began)
}
