//! Waits for a command, and reports its use of the machine.

use std::io::{self, ErrorKind};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// The end of a command and its use of the machine, with that of the children that it waited for.
pub struct Used {
    pub status: ExitStatus,
    /// Time of all processors.
    pub processor: Duration,
    /// The most KiB in memory, mapped files included.
    pub memory: u64,
}

/// Waits until a child ends. Calls `look` again and again until then, which may sleep.
pub fn wait_while(child: Child, mut look: impl FnMut()) -> Used {
    loop {
        if let Some(used) = wait_for(&child, libc::WNOHANG) {
            return used;
        }
        look();
    }
}

/// Waits until a child ends.
pub fn wait(child: Child) -> Used {
    loop {
        if let Some(used) = wait_for(&child, 0) {
            return used;
        }
    }
}

/// `None` if it has not ended.
fn wait_for(child: &Child, options: i32) -> Option<Used> {
    // SAFETY: all bytes zero is one of its values.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    let mut status = 0;
    // SAFETY: it is this process's child, which is waited for only here, and both are out parameters.
    let ended = unsafe { libc::wait4(child.id() as i32, &mut status, options, &mut used) };
    let why = io::Error::last_os_error();
    assert!(ended >= 0 || why.kind() == ErrorKind::Interrupted, "process {}: {why}", child.id());
    let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    (ended > 0).then(|| Used {
        status: ExitStatus::from_raw(status),
        processor: time(used.ru_utime) + time(used.ru_stime),
        memory: used.ru_maxrss as u64,
    })
}
