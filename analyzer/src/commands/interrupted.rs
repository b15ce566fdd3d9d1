//! Signals that end a command: it first removes what it has half written.

use std::mem::MaybeUninit;
use std::thread;

use libc::{c_int, sigset_t};
use model::unfinished;

use crate::analysis_notice;

/// Signals by which users and systems end commands.
const ENDING: [c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// Has a thread wait for these signals in place of all others. Those that this process ignores, as after nohup, stay
/// ignored. There must be only one thread.
pub fn remove_half_made_outputs() {
    let signals: Vec<c_int> = ENDING.into_iter().filter(|signal| !is_ignored(*signal)).collect();
    let set = set_of(&signals);
    // SAFETY: the set is a whole one. Threads that are started from now on block the signals, too; children do not.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) };
    let waiting = thread::Builder::new().spawn(move || {
        let mut signal = 0;
        // SAFETY: waits for a blocked signal.
        if unsafe { libc::sigwait(&set, &mut signal) } == 0 {
            unfinished::remove_all();
            analysis_notice::end();
            // SAFETY: the default action of the signal ends the process.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
                libc::raise(signal);
            }
        }
    });
    if waiting.is_err() {
        // SAFETY: as above. Without the thread, the signals end the process as they would.
        unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut()) };
    }
}

fn is_ignored(signal: c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: writes the action, unless it fails.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

fn set_of(signals: &[c_int]) -> sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initializes the set that the other calls change.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), *signal);
        }
        set.assume_init()
    }
}
