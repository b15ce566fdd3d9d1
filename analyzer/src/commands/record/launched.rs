//! The launcher while it runs: it gets each signal to this process once, and stops and ends for both.
//!
//! Signals are blocked from before the launcher exists and taken one at a time, so that none is lost and none ends this process
//! alone. Of those to the process group, as from a terminal, the launcher has its own copy: see [`witness`](super::witness).

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};

use libc::{c_int, pid_t};

use super::recipients::Recipients;
use super::witness::Witness;

/// Runs the launcher to its end.
pub fn run(mut command: Command, is_script: bool) -> io::Result<ExitStatus> {
    // One that is ignored would leave no status.
    // SAFETY: sets a disposition.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    let blocked = Blocked::begin();
    let before = blocked.before;
    // SAFETY: only an async-signal-safe call between fork and exec.
    unsafe {
        command.pre_exec(move || {
            set_mask(&before);
            Ok(())
        })
    };
    let launcher = command.spawn()?.id() as pid_t;
    let recipients = Recipients { launcher, is_script };
    let mut witness = Witness::begin(recipients);
    loop {
        match next_signal() {
            libc::SIGCHLD => {
                if let Some(status) = look(launcher)? {
                    return Ok(status);
                }
            }
            signal if witness.as_mut().is_ok_and(|witness| witness.has_seen(signal)) => {}
            signal => recipients.tell(signal),
        }
    }
}

/// How the launcher ended, if it has. Where the terminal has stopped it, this process stops, too.
fn look(launcher: pid_t) -> io::Result<Option<ExitStatus>> {
    loop {
        let mut status = 0;
        // SAFETY: the launcher is a child that has not been waited for.
        match unsafe { libc::waitpid(launcher, &mut status, libc::WNOHANG | libc::WUNTRACED) } {
            0 => return Ok(None),
            -1 => return Err(io::Error::last_os_error()),
            _ => {}
        }
        let status = ExitStatus::from_raw(status);
        match status.stopped_signal() {
            None => return Ok(Some(status)),
            Some(libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU) => {
                // SAFETY: stops this process until it is continued, upon which the launcher is.
                unsafe { libc::raise(libc::SIGSTOP) };
            }
            Some(_) => {}
        }
    }
}

/// Dies as the launcher died, so that whoever waits for this process sees no difference.
pub fn die_of(signal: c_int) {
    // SAFETY: this process leaves no memory image for another's fault, and ends here unless the signal is blocked.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// All signals but those that are about this process itself.
fn passed_on() -> libc::sigset_t {
    let own = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS, libc::SIGABRT];
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigfillset initializes what the others change.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        for signal in own.into_iter().chain([libc::SIGPIPE, libc::SIGTTIN, libc::SIGTTOU]) {
            libc::sigdelset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Waits for a signal that is blocked.
fn next_signal() -> c_int {
    let set = passed_on();
    loop {
        // SAFETY: takes a signal of the set, or fails where a debugger came and went.
        match unsafe { libc::sigwaitinfo(&set, std::ptr::null_mut()) } {
            -1 => {}
            signal => return signal,
        }
    }
}

/// Signals are blocked until this is dropped; then those that came take effect.
struct Blocked {
    before: libc::sigset_t,
}

impl Blocked {
    fn begin() -> Blocked {
        let mut before = MaybeUninit::uninit();
        // SAFETY: writes the mask as it was.
        unsafe {
            libc::sigprocmask(libc::SIG_BLOCK, &passed_on(), before.as_mut_ptr());
            Blocked { before: before.assume_init() }
        }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        set_mask(&self.before);
    }
}

fn set_mask(mask: &libc::sigset_t) {
    // SAFETY: the mask is a whole one.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}
