//! The program's calls about signals.
//!
//! Its handlers are entered through our [`trampoline`], and its calls are answered as if they were not. Where threads are
//! sampled, the timers' signal is left alone: a program that blocks all signals, waits for any, or handles each does not mean ours, so our
//! signal is left out of the program's sets, and our handler stays. If the program means this very signal, its handler gets the signals
//! that others send; before the program blocks the signal or waits for it alone, sampling ends.

mod actions;
mod masks;

use std::ffi::CStr;
use std::sync::atomic::AtomicU64;

use crate::loaded;
use crate::recorder::guard;
use crate::recorder::process::sampling;
use crate::signals::{handlers, trampoline};

type Replacement = (&'static CStr, *const ());

const REPLACEMENTS: [Replacement; 8] = [
    (c"sigaction", actions::sigaction as *const ()),
    (c"__sigaction", actions::sigaction as *const ()),
    (c"signal", actions::signal as *const ()),
    (c"bsd_signal", actions::bsd_signal as *const ()),
    (c"ssignal", actions::ssignal as *const ()),
    (c"sysv_signal", actions::sysv_signal as *const ()),
    (c"__sysv_signal", actions::sysv_signal as *const ()),
    (c"sigset", actions::sigset as *const ()),
];

/// Replacements where threads are sampled.
const SAMPLED: [Replacement; 7] = [
    (c"sigaltstack", actions::sigaltstack as *const ()),
    (c"sigprocmask", masks::sigprocmask as *const ()),
    (c"pthread_sigmask", masks::pthread_sigmask as *const ()),
    (c"sigwait", masks::sigwait as *const ()),
    (c"sigwaitinfo", masks::sigwaitinfo as *const ()),
    (c"sigtimedwait", masks::sigtimedwait as *const ()),
    (c"signalfd", masks::signalfd as *const ()),
];

/// Begins to see the program's handlers. In the archive its calls cannot be told from ours, so signals are blocked instead.
pub fn begin(are_sampled: bool) {
    if cfg!(not(feature = "archive")) {
        handlers::begin(trampoline::address(), are_sampled);
    }
    ready_for(are_sampled);
}

/// Also sees those of objects that were loaded since.
pub fn ready() {
    ready_for(sampling::is_on());
}

fn ready_for(are_sampled: bool) {
    static LAST: AtomicU64 = AtomicU64::new(0);
    static LAST_SAMPLED: AtomicU64 = AtomicU64::new(0);
    guard::run(|| {
        patch(&REPLACEMENTS, &LAST);
        if are_sampled {
            patch(&SAMPLED, &LAST_SAMPLED);
        }
        if handlers::is_begun() {
            handlers::take_over();
        }
    });
}

/// Patches the objects after the last that was.
fn patch(replacements: &[Replacement], last: &AtomicU64) {
    let names: Vec<&[u8]> = replacements.iter().map(|(name, _)| name.to_bytes()).collect();
    let ours = |name: &CStr| {
        let replacement = replacements.iter().find(|(replaced, _)| *replaced == name);
        replacement.map(|(_, function)| *function as usize)
    };
    loaded::patch_new(last, |object| {
        // SAFETY: the object is relocated, and the loader is held.
        unsafe { object.patch(&names, &mut |name| ours(name)) };
    });
}
