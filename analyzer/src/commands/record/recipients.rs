//! Who gets a signal: the launcher and, if that is a script like Intel MPI's mpirun, the launcher it runs.

use std::fs;

use libc::{c_int, pid_t};

/// See the module.
#[derive(Clone, Copy)]
pub struct Recipients {
    /// The child.
    pub launcher: pid_t,
    /// Whether its program is for an interpreter, which keeps signals to itself.
    pub is_script: bool,
}

impl Recipients {
    /// Sends it to all of them.
    pub fn tell(&self, signal: c_int) {
        // Children first: they are not found any more once a script has ended.
        let children = if self.is_script { children_in_group(self.launcher) } else { Vec::new() };
        for process in children.into_iter().chain([self.launcher]) {
            // SAFETY: signals a process.
            unsafe { libc::kill(process, signal) };
        }
    }
}

/// Children of a process that are in this one's group.
fn children_in_group(parent: pid_t) -> Vec<pid_t> {
    // SAFETY: asks the system.
    let own = unsafe { libc::getpgrp() };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<pid_t>().ok());
    processes.filter(|process| parent_and_group(*process) == Some((parent, own))).collect()
}

fn parent_and_group(process: pid_t) -> Option<(pid_t, pid_t)> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may have spaces and brackets in it. Behind it stand the state, the parent and the group.
    let mut behind = line.rsplit_once(')')?.1.split_whitespace().skip(1).map(str::parse);
    Some((behind.next()?.ok()?, behind.next()?.ok()?))
}
