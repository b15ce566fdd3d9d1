//! The launcher while it runs: it gets each signal to this process once, and stops and ends together with it.
//!
//! Signals are blocked before the launcher starts and taken one at a time, so none is lost and none ends this process
//! alone. The launcher itself gets those to the process group, such as a terminal's: see [`witness`](super::witness).
//! The log says which came, and how the launcher ended.

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};

use libc::{c_int, pid_t};

use model::launch_log::LaunchLog;

use super::witness::{Recipients, Witness};

/// Runs the launcher to its end.
pub fn run(mut command: Command, is_script: bool, log: &mut LaunchLog) -> io::Result<ExitStatus> {
    // If SIGCHLD is ignored, the launcher leaves no status.
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
    let mut witness = Witness::begin(recipients, log);
    loop {
        let received = next_signal();
        let signal = received.si_signo;
        if signal == libc::SIGCHLD {
            if let Some(status) = look(launcher)? {
                log.end(status);
                return Ok(status);
            }
            continue;
        }
        let to_group = witness.as_mut().is_ok_and(|witness| witness.has_seen(signal));
        if !to_group {
            recipients.tell(signal);
        }
        if ends_by_default(signal) {
            log.signal(signal, received.si_code, sender(&received), to_group);
        }
    }
}

/// True if a process that does nothing about the signal ends by it.
fn ends_by_default(signal: c_int) -> bool {
    !matches!(signal, libc::SIGCONT | libc::SIGTSTP | libc::SIGURG | libc::SIGWINCH)
}

/// The process that sent a signal, and its user; `None` if the system did, as for a key of the terminal.
fn sender(received: &libc::siginfo_t) -> Option<(u32, u32)> {
    let is_sent = matches!(received.si_code, libc::SI_USER | libc::SI_QUEUE | libc::SI_TKILL);
    // SAFETY: a signal with one of these codes has both.
    let (pid, user) = unsafe { (received.si_pid(), received.si_uid()) };
    // A process outside this one's PID namespace has the number 0.
    (is_sent && pid > 0).then_some((pid as u32, user))
}

/// The launcher's status, if it has ended. If the terminal has stopped it, this process stops, too.
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

/// Dies by the launcher's signal, so a waiting parent sees no difference.
pub fn die_of(signal: c_int) {
    // SAFETY: this process leaves no memory image for another's fault, and ends here.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
        libc::signal(signal, libc::SIG_DFL);
        let mut blocked = MaybeUninit::uninit();
        libc::sigemptyset(blocked.as_mut_ptr());
        libc::sigaddset(blocked.as_mut_ptr(), signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, blocked.as_ptr(), std::ptr::null_mut());
        libc::raise(signal);
    }
}

/// All signals except those about this process itself.
fn passed_on() -> libc::sigset_t {
    let own = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS, libc::SIGABRT];
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigfillset initializes the set that the other calls change.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        for signal in own.into_iter().chain([libc::SIGPIPE, libc::SIGTTIN, libc::SIGTTOU]) {
            libc::sigdelset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Waits for a blocked signal.
fn next_signal() -> libc::siginfo_t {
    let set = passed_on();
    loop {
        let mut received = MaybeUninit::zeroed();
        // SAFETY: takes a signal of the set and describes it, or fails where a debugger came and went.
        unsafe {
            if libc::sigwaitinfo(&set, received.as_mut_ptr()) != -1 {
                return received.assume_init();
            }
        }
    }
}

/// Blocks signals until it is dropped; then pending ones take effect.
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
