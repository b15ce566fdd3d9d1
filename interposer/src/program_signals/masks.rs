//! The program's calls that block signals, or wait for them, while threads are sampled: the signal of samples is left out.
//!
//! A thread that waits may be cancelled, which unwinds these functions: they have nothing to drop.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use libc::{sigset_t, timespec};

use crate::recorder::process::sampling;
use crate::recorder::thread::slots;

mod real {
    use libc::{c_int, siginfo_t, sigset_t, timespec};

    pub use libc::{pthread_sigmask, sigprocmask};

    // The C library's, or a tool's that comes before it: our own slots are not patched.
    unsafe extern "C-unwind" {
        pub fn sigwait(set: *const sigset_t, number: *mut c_int) -> c_int;
        pub fn sigwaitinfo(set: *const sigset_t, information: *mut siginfo_t) -> c_int;
        pub fn sigtimedwait(set: *const sigset_t, information: *mut siginfo_t, timeout: *const timespec) -> c_int;
        pub fn signalfd(descriptor: c_int, set: *const sigset_t, flags: c_int) -> c_int;
    }
}

/// The program's set without the timers' signal.
struct WithoutOurs(MaybeUninit<sigset_t>);

impl WithoutOurs {
    /// # Safety
    /// `set` must be null or a set.
    unsafe fn of(set: *const sigset_t) -> WithoutOurs {
        let mut copy = WithoutOurs(MaybeUninit::uninit());
        // SAFETY: by the contract.
        unsafe {
            if !set.is_null() {
                copy.0.write(*set);
                libc::sigdelset(copy.0.as_mut_ptr(), sampling::signal());
            }
        }
        copy
    }

    /// The set to pass on in place of this one.
    fn in_place_of(&self, set: *const sigset_t) -> *const sigset_t {
        if set.is_null() || !sampling::is_on() { set } else { self.0.as_ptr() }
    }
}

/// Ends sampling if the set means the timers' signal itself, rather than all signals.
///
/// # Safety
/// `set` must be null or a set.
unsafe fn give_way(set: *const sigset_t) {
    if set.is_null() || !sampling::is_on() {
        return;
    }
    // SAFETY: by the contract.
    let has = |signal: c_int| unsafe { libc::sigismember(set, signal) == 1 };
    let others = (libc::SIGRTMIN()..=libc::SIGRTMAX()).filter(|signal| !has(*signal)).count();
    if has(sampling::signal()) && others > 3 {
        slots::samples_give_way();
    }
}

macro_rules! masks {
    ($($name:ident)*) => {$(
        pub unsafe extern "C" fn $name(how: c_int, set: *const sigset_t, old: *mut sigset_t) -> c_int {
            // SAFETY: the program passes sets, or null.
            unsafe {
                if how != libc::SIG_UNBLOCK {
                    give_way(set);
                }
                let without = WithoutOurs::of(set);
                real::$name(how, without.in_place_of(set), old)
            }
        }
    )*};
}

masks! { sigprocmask pthread_sigmask }

macro_rules! waits {
    ($($name:ident($($before:ident: $of:ty,)* [set] $(, $after:ident: $type:ty)*);)*) => {$(
        pub unsafe extern "C-unwind" fn $name($($before: $of,)* set: *const sigset_t $(, $after: $type)*) -> c_int {
            // SAFETY: the program passes a set.
            unsafe {
                give_way(set);
                let without = WithoutOurs::of(set);
                real::$name($($before,)* without.in_place_of(set) $(, $after)*)
            }
        }
    )*};
}

waits! {
    sigwait([set], number: *mut c_int);
    sigwaitinfo([set], information: *mut libc::siginfo_t);
    sigtimedwait([set], information: *mut libc::siginfo_t, timeout: *const timespec);
    signalfd(descriptor: c_int, [set], flags: c_int);
}
