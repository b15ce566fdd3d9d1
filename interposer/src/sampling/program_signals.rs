//! The program's calls about signals, which leave the timers' signal alone.
//!
//! A program that blocks all signals, waits for any, or handles each does not mean ours: our signal is left out of the
//! program's sets, and our handler stays. If the program means this very signal, its handler gets the signals that
//! others send; before the program blocks the signal or waits for it alone, sampling ends.

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering::*};

use libc::{sigset_t, timespec};

use crate::function::Function;
use crate::loaded;
use crate::recorder::file::shared::WarningOnce;
use crate::recorder::guard;
use crate::recorder::process::sampling;
use crate::recorder::thread::slots;

static GIVEN_WAY: WarningOnce =
    WarningOnce::new("sampling ended early: the program uses the signal that it was done by");

/// The program's action for the signal.
static HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static FLAGS: AtomicI32 = AtomicI32::new(0);

type Replacement = (&'static CStr, *const ());

const REPLACEMENTS: [Replacement; 8] = [
    (c"sigaction", sigaction as *const ()),
    (c"signal", signal as *const ()),
    (c"sigprocmask", sigprocmask as *const ()),
    (c"pthread_sigmask", pthread_sigmask as *const ()),
    (c"sigwait", sigwait as *const ()),
    (c"sigwaitinfo", sigwaitinfo as *const ()),
    (c"sigtimedwait", sigtimedwait as *const ()),
    (c"signalfd", signalfd as *const ()),
];

/// Patches the objects that are loaded by now.
pub fn patch() {
    guard::run(|| {
        let names = REPLACEMENTS.map(|(name, _)| name.to_bytes());
        let ours = |name: &CStr| {
            let replacement = REPLACEMENTS.iter().find(|(replaced, _)| *replaced == name);
            replacement.map(|(_, function)| *function as usize)
        };
        static LAST: AtomicU64 = AtomicU64::new(0);
        loaded::patch_new(&LAST, |object| {
            // SAFETY: the object is relocated, and the loader is held.
            unsafe { object.patch(&names, &mut |name| ours(name)) };
        });
    });
}

/// Finds the C library's functions that programs call in signal handlers, where nothing may be looked up.
pub fn prepare() {
    // SAFETY: changes nothing and asks for nothing.
    unsafe {
        sigaction(libc::SIGUSR1, std::ptr::null(), null_mut());
        sigprocmask(libc::SIG_BLOCK, std::ptr::null(), null_mut());
        pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), null_mut());
    }
}

/// Carries out the program's action for the signal, which no timer has sent.
///
/// # Safety
/// The arguments must be those of a signal handler.
pub unsafe fn foreign(signal: c_int, information: *mut libc::siginfo_t, context: *mut c_void) {
    type Plain = unsafe extern "C" fn(c_int);
    type Informed = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
    // SAFETY: the program has passed the handler for this purpose.
    unsafe {
        match HANDLER.load(Acquire) {
            libc::SIG_IGN => {}
            libc::SIG_DFL => {
                // Once this returns, the signal is unblocked and ends the process, as its sender expects.
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &action, null_mut());
                libc::raise(signal);
            }
            handler if FLAGS.load(Relaxed) & libc::SA_SIGINFO != 0 => {
                std::mem::transmute::<usize, Informed>(handler)(signal, information, context);
            }
            handler => std::mem::transmute::<usize, Plain>(handler)(signal),
        }
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
        guard::run(slots::end_samples);
        GIVEN_WAY.say();
    }
}

unsafe extern "C" fn sigaction(number: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    type Real = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
    // SAFETY: its type, by POSIX.
    static REAL: Function<Real> = unsafe { Function::first("sigaction") };
    if number != sampling::signal() {
        // SAFETY: passes on the program's arguments.
        return unsafe { REAL.get()(number, new, old) };
    }
    // SAFETY: the program passes actions, or null.
    unsafe {
        let before = (HANDLER.load(Acquire), FLAGS.load(Relaxed));
        if let Some(new) = new.as_ref() {
            FLAGS.store(new.sa_flags, Relaxed);
            HANDLER.store(new.sa_sigaction, Release);
        }
        if let Some(old) = old.as_mut() {
            *old = std::mem::zeroed();
            (old.sa_sigaction, old.sa_flags) = before;
        }
    }
    0
}

unsafe extern "C" fn signal(number: c_int, handler: usize) -> usize {
    type Real = unsafe extern "C" fn(c_int, usize) -> usize;
    // SAFETY: its type, by POSIX.
    static REAL: Function<Real> = unsafe { Function::first("signal") };
    if number != sampling::signal() {
        // SAFETY: passes on the program's arguments.
        return unsafe { REAL.get()(number, handler) };
    }
    FLAGS.store(0, Relaxed);
    HANDLER.swap(handler, AcqRel)
}

macro_rules! masks {
    ($($name:ident)*) => {$(
        unsafe extern "C" fn $name(how: c_int, set: *const sigset_t, old: *mut sigset_t) -> c_int {
            type Real = unsafe extern "C" fn(c_int, *const sigset_t, *mut sigset_t) -> c_int;
            // SAFETY: its type, by POSIX.
            static REAL: Function<Real> = unsafe { Function::first(stringify!($name)) };
            // SAFETY: the program passes sets, or null.
            unsafe {
                if how != libc::SIG_UNBLOCK {
                    give_way(set);
                }
                let without = WithoutOurs::of(set);
                REAL.get()(how, without.in_place_of(set), old)
            }
        }
    )*};
}

masks! { sigprocmask pthread_sigmask }

macro_rules! waits {
    ($($name:ident($($before:ident: $of:ty,)* [set] $(, $after:ident: $type:ty)*);)*) => {$(
        unsafe extern "C" fn $name($($before: $of,)* set: *const sigset_t $(, $after: $type)*) -> c_int {
            type Real = unsafe extern "C" fn($($of,)* *const sigset_t $(, $type)*) -> c_int;
            // SAFETY: its type, by POSIX and signalfd(2).
            static REAL: Function<Real> = unsafe { Function::first(stringify!($name)) };
            // SAFETY: the program passes a set.
            unsafe {
                give_way(set);
                let without = WithoutOurs::of(set);
                REAL.get()($($before,)* without.in_place_of(set) $(, $after)*)
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
