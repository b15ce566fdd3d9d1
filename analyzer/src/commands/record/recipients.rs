//! Recipients of a signal: the launcher and, if it is a script like Intel MPI's mpirun, the launcher that the script
//! runs.

use std::fs;

use libc::{c_int, pid_t};

#[derive(Clone, Copy)]
pub struct Recipients {
    /// The child process.
    pub launcher: pid_t,
    /// Shells do not pass signals on to their children.
    pub is_script: bool,
}

impl Recipients {
    pub fn tell(&self, signal: c_int) {
        // Children first: they can no longer be found once a script has ended.
        let children = if self.is_script { children_in_group(self.launcher) } else { Vec::new() };
        for process in children.into_iter().chain([self.launcher]) {
            // SAFETY: signals a process.
            unsafe { libc::kill(process, signal) };
        }
    }
}

/// Children of a process, in this one's process group.
fn children_in_group(parent: pid_t) -> Vec<pid_t> {
    // SAFETY: asks the system.
    let own = unsafe { libc::getpgrp() };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<pid_t>().ok());
    processes.filter(|process| parent_and_group(*process) == Some((parent, own))).collect()
}

fn parent_and_group(process: pid_t) -> Option<(pid_t, pid_t)> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may contain spaces and brackets. After it come state, parent and group.
    let mut behind = line.rsplit_once(')')?.1.split_whitespace().skip(1).map(str::parse);
    Some((behind.next()?.ok()?, behind.next()?.ok()?))
}
