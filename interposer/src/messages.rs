//! The only writer to stderr. It writes whole lines, each in one system call and beginning with `overhear:`.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering::*};

use crate::descriptor::{self, FileIdentity};
use crate::uncancellable;

/// The file that stderr was when the process began.
static STDERR: OnceLock<Option<FileIdentity>> = OnceLock::new();

/// Remembers which file stderr is.
pub fn begin() {
    STDERR.get_or_init(|| FileIdentity::of(libc::STDERR_FILENO));
}

/// A duplicate of stderr, -1 for none.
static COPY: AtomicI32 = AtomicI32::new(-1);

/// Duplicates stderr, since many programs have closed it by the time the process ends, when there may be a message.
pub fn keep_stderr() {
    if let Some(copy) = descriptor::copy(libc::STDERR_FILENO) {
        COPY.store(copy, Relaxed);
        // A child that outlives the process must not keep a reader of the pipe waiting for its end.
        // SAFETY: the handler only closes a descriptor.
        unsafe { libc::pthread_atfork(None, None, Some(let_stderr_go)) };
    }
}

/// Closes the duplicate.
pub extern "C" fn let_stderr_go() {
    let copy = COPY.swap(-1, Relaxed);
    if is_stderr(copy) {
        descriptor::close(copy);
    }
}

/// Writes one line to stderr, or to the duplicate. If the program has closed both it writes nothing, since the number
/// may now belong to a file of the program.
pub fn say(text: &str) {
    let Some(number) = [libc::STDERR_FILENO, COPY.load(Relaxed)].into_iter().find(|number| is_stderr(*number)) else {
        return;
    };
    let line = format!("overhear: {text}\n");
    let held = FailureSignals::hold();
    // A failing stderr is ignored.
    if uncancellable::write(number, line.as_bytes()) < 0 {
        held.take();
    }
}

/// Keeps the signals of a failed write from the program until it is dropped: SIGPIPE if nobody reads the pipe, SIGXFSZ
/// if the file has reached the limit for its size. Either would end the program.
struct FailureSignals {
    before: libc::sigset_t,
}

const OF_FAILURES: [c_int; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

impl FailureSignals {
    fn hold() -> FailureSignals {
        // SAFETY: an all-zero set is valid, and the call changes this thread's mask.
        unsafe {
            let mut before = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_BLOCK, &set_of(&OF_FAILURES), &mut before);
            FailureSignals { before }
        }
    }

    /// Takes the signal of a write that has failed, if it raised one.
    fn take(&self) {
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: takes a blocked signal of this thread, if it is pending.
        unsafe { libc::sigtimedwait(&set_of(&OF_FAILURES), std::ptr::null_mut(), &now) };
    }
}

impl Drop for FailureSignals {
    fn drop(&mut self) {
        // SAFETY: the mask is the thread's own.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

fn set_of(signals: &[c_int]) -> libc::sigset_t {
    // SAFETY: an all-zero set is valid, and is changed by calls that only write there.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in signals {
            libc::sigaddset(&mut set, *signal);
        }
        set
    }
}

/// True if a descriptor is the file that stderr was when the process began.
fn is_stderr(number: c_int) -> bool {
    let identity = FileIdentity::of(number);
    identity.is_some() && STDERR.get().is_none_or(|begun| *begun == identity)
}
