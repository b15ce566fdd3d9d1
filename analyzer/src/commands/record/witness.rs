//! A process beside the launcher that distinguishes signals to the group from those to this process alone, and ends the
//! launcher if this process is killed.
//!
//! A signal does not show its destination. The witness is in the same group, blocks the same signals, and is asked if
//! it got the signal, too. The system signals a group's newest process first, so the witness already has it.
//!
//! Recipients of a signal: the launcher and, if it is a script like Intel MPI's mpirun, the launcher that the script
//! runs.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::{fs, io};

use libc::{c_int, pid_t};
use model::launch_log::LaunchLog;

/// Message that ends the witness; no signal has this number.
const DISMISSED: u8 = 0;

pub struct Witness {
    process: pid_t,
    line: UnixStream,
}

impl Witness {
    /// Forks the witness. Signals must be blocked, and there must be only one thread.
    pub fn begin(recipients: Recipients, log: &mut LaunchLog) -> io::Result<Witness> {
        let (ours, its) = UnixStream::pair()?;
        // SAFETY: there is one thread.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(ours);
                stand(its, recipients, log);
                // SAFETY: ends the child without its parent's exit handlers.
                unsafe { libc::_exit(0) }
            }
            process => Ok(Witness { process, line: ours }),
        }
    }

    /// True if the whole group got the signal, which is then consumed.
    pub fn has_seen(&mut self, signal: c_int) -> bool {
        let mut answer = [0];
        let asked = self.line.write_all(&[signal as u8]).and_then(|()| self.line.read_exact(&mut answer));
        asked.is_ok() && answer[0] != 0
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        let _ = self.line.write_all(&[DISMISSED]);
        // SAFETY: the witness is a child that has not been waited for.
        unsafe { libc::waitpid(self.process, std::ptr::null_mut(), 0) };
    }
}

/// Main loop of the witness. If the connection breaks, its parent was killed.
fn stand(mut line: UnixStream, recipients: Recipients, log: &mut LaunchLog) {
    let mut asked = [0];
    while line.read_exact(&mut asked).is_ok() {
        if asked[0] == DISMISSED {
            return;
        }
        let _ = line.write_all(&[take(asked[0].into()).into()]);
    }
    recipients.tell(libc::SIGTERM);
    log.front_killed();
}

/// Takes a blocked signal if it is pending.
fn take(signal: c_int) -> bool {
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: an all-zero set is as good as any to sigemptyset.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        libc::sigtimedwait(&set, std::ptr::null_mut(), &now) == signal
    }
}

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
