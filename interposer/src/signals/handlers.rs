//! The program's handlers of signals, which the kernel enters through the trampoline.
//!
//! The kernel keeps all of a program's action but the handler's address: so flags, mask and `old` are the program's own.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering::*};

use super::{SYNCHRONOUS, bit};
use crate::recorder::process::sampling;
use crate::system_calls;

/// One more than the highest signal.
const COUNT: usize = 65;

/// The program's handlers by the signals' numbers; 0 for a signal that never had one.
pub static HANDLERS: [AtomicUsize; COUNT] = [const { AtomicUsize::new(0) }; COUNT];

/// Signals whose handlers may not be entered through the trampoline: all, until [`begin`].
static UNSEEN: AtomicU64 = AtomicU64::new(!0);

/// The process whose handlers these are; 0 before [`begin`].
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// True if the handlers of synchronous signals are entered through the trampoline, too: they have to change stacks.
static ARE_ALL: AtomicBool = AtomicBool::new(false);

/// Signals whose handlers may not be entered through the trampoline. Where the program may have forbidden the system calls that it
/// takes to put them off: all.
#[inline(always)]
pub fn unseen() -> u64 {
    if system_calls::are_filtered() { !0 } else { UNSEEN.load(Relaxed) }
}

/// The trampoline's address.
static TRAMPOLINE: AtomicUsize = AtomicUsize::new(0);

fn trampoline() -> usize {
    TRAMPOLINE.load(Relaxed)
}

/// From here on handlers are entered through this trampoline; those of synchronous signals only if threads are sampled.
pub fn begin(trampoline: usize, are_sampled: bool) {
    TRAMPOLINE.store(trampoline, Relaxed);
    ARE_ALL.store(are_sampled, Relaxed);
    process_is_own();
}

pub fn is_begun() -> bool {
    PROCESS.load(Relaxed) != 0
}

/// False in a child that shares this memory but not the handlers.
pub fn is_own_process() -> bool {
    // SAFETY: returns a number.
    system_calls::are_filtered() || unsafe { libc::getpid() } == PROCESS.load(Relaxed)
}

/// Notes that the handlers are the calling process's.
pub fn process_is_own() {
    // SAFETY: returns a number.
    PROCESS.store(unsafe { libc::getpid() }, Relaxed);
}

/// Puts the trampoline in the place of a handler that the program is about to set. Returns the handler before.
pub fn enter(signal: c_int, handler: &mut usize) -> Option<usize> {
    let known = of(signal).filter(|_| is_handler(*handler))?;
    let before = known.swap(*handler, AcqRel);
    *handler = trampoline();
    Some(before)
}

/// Takes back what [`enter`] noted, since the system has refused the handler.
pub fn undo(signal: c_int, before: Option<usize>) {
    if let (Some(known), Some(before)) = (of(signal), before) {
        known.store(before, Release);
    }
}

/// The program's handler, where the kernel told this one, before [`enter`] noted another.
pub fn before(signal: c_int, noted: Option<usize>, told: usize) -> usize {
    if told != trampoline() {
        return told;
    }
    noted.or_else(|| Some(HANDLERS.get(signal as usize)?.load(Acquire))).unwrap_or(told)
}

/// The place of the handler of a signal that comes through the trampoline. `None` in a child that shares this memory but not the handlers.
fn of(signal: c_int) -> Option<&'static AtomicUsize> {
    HANDLERS.get(signal as usize).filter(|_| is_of_program(signal) && is_own_process())
}

fn is_of_program(signal: c_int) -> bool {
    let is_other = [libc::SIGKILL, libc::SIGSTOP].contains(&signal) || sampling::is_signal(signal);
    let is_left = !ARE_ALL.load(Relaxed) && SYNCHRONOUS.contains(&signal);
    (1..COUNT as c_int).contains(&signal) && !is_other && !is_left
}

/// SIG_HOLD of sigset: blocks the signal.
const SIG_HOLD: usize = 2;

fn is_handler(handler: usize) -> bool {
    ![libc::SIG_DFL, libc::SIG_IGN, SIG_HOLD, libc::SIG_ERR, trampoline()].contains(&handler)
}

/// Has the handlers of all signals entered through the trampoline that were set before the program's calls were seen. A second time for
/// one signal it would not: a handler that calls the one before it, which is the trampoline, would call itself.
pub fn take_over() {
    let mut unseen = 0;
    for signal in 1..COUNT as c_int {
        let Some(mut action) = action(signal).filter(|action| is_handler(action.sa_sigaction)) else { continue };
        if sampling::is_signal(signal) || SYNCHRONOUS.contains(&signal) && !ARE_ALL.load(Relaxed) {
            continue;
        }
        let is_first =
            of(signal).is_some_and(|handler| handler.compare_exchange(0, action.sa_sigaction, AcqRel, Relaxed).is_ok());
        action.sa_sigaction = trampoline();
        // SAFETY: the action of before, with a handler of the same type.
        if !is_first || unsafe { libc::sigaction(signal, &action, null_mut()) } != 0 {
            unseen |= bit(signal);
        }
    }
    UNSEEN.store(unseen, Relaxed);
}

/// Makes sure that a signal that has come through the trampoline does so again. Returns true if its handler gets information about it.
pub fn comes_again(signal: c_int) -> bool {
    let Some(mut action) = action(signal) else { return false };
    // SA_RESETHAND: the kernel has taken the handler away before the program has seen the signal.
    if action.sa_sigaction == libc::SIG_DFL && action.sa_flags & libc::SA_RESETHAND != 0 {
        action.sa_sigaction = trampoline();
        // SAFETY: the action of before the signal came.
        unsafe { libc::sigaction(signal, &action, null_mut()) };
    }
    action.sa_flags & libc::SA_SIGINFO != 0
}

/// Ends the process by a signal, or whatever else it does where it has no handler, once the trampoline has returned.
pub fn act_by_default(signal: c_int) {
    // SAFETY: zeros are an action without a handler.
    unsafe {
        let action = MaybeUninit::<libc::sigaction>::zeroed();
        libc::sigaction(signal, action.as_ptr(), null_mut());
        libc::raise(signal);
    }
}

fn action(signal: c_int) -> Option<libc::sigaction> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: reads the action into zeros.
    unsafe { (libc::sigaction(signal, null(), action.as_mut_ptr()) == 0).then(|| action.assume_init()) }
}

/// The program's action for the signal that threads are sampled by. The kernel has ours.
pub mod of_sampling_signal {
    use super::*;

    static HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
    static FLAGS: AtomicI32 = AtomicI32::new(0);
    static MASK: AtomicU64 = AtomicU64::new(0);

    pub struct ProgramAction {
        pub handler: usize,
        pub flags: c_int,
        pub mask: u64,
    }

    pub fn get() -> ProgramAction {
        ProgramAction { handler: HANDLER.load(Acquire), flags: FLAGS.load(Relaxed), mask: MASK.load(Relaxed) }
    }

    pub fn set(action: &ProgramAction) {
        MASK.store(action.mask, Relaxed);
        FLAGS.store(action.flags, Relaxed);
        HANDLER.store(action.handler, Release);
    }

    /// Takes the handler away, as SA_RESETHAND asks for.
    pub fn reset() {
        HANDLER.store(libc::SIG_DFL, Release);
    }
}
