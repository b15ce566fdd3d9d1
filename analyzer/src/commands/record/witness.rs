//! A process beside the launcher that distinguishes signals to the group from those to this process alone, and ends the
//! launcher if this process is killed.
//!
//! A signal does not tell its destination. The witness is in the same group, blocks the same signals, and is asked if
//! it got the signal, too. The system signals a group's newest process first, so the witness already has it.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use libc::{c_int, pid_t};

use super::recipients::Recipients;

/// Message that ends the witness; no signal has this number.
const DISMISSED: u8 = 0;

pub struct Witness {
    process: pid_t,
    line: UnixStream,
}

impl Witness {
    /// Forks the witness. Signals must be blocked, and there must be only one thread.
    pub fn begin(recipients: Recipients) -> io::Result<Witness> {
        let (ours, its) = UnixStream::pair()?;
        // SAFETY: there is one thread.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(ours);
                stand(its, recipients);
                // SAFETY: ends the child without what its parent has set up for the end.
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
fn stand(mut line: UnixStream, recipients: Recipients) {
    let mut asked = [0];
    while line.read_exact(&mut asked).is_ok() {
        if asked[0] == DISMISSED {
            return;
        }
        let _ = line.write_all(&[take(asked[0].into()).into()]);
    }
    recipients.tell(libc::SIGTERM);
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
