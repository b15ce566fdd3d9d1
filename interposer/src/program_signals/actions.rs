//! The program's calls that set handlers of signals, and the stack that they run on.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::null;

use crate::recorder::process::sampling;
use crate::recorder::thread::abandoned::frame;
use crate::recorder::thread::current;
use crate::signals::handlers::of_sampling_signal::{self, ProgramAction};
use crate::signals::{alternate_stack, handlers, kernel_set};

mod real {
    use std::ffi::c_int;

    // The C library's, or a tool's that comes before it: our own slots are not patched.
    unsafe extern "C" {
        pub fn signal(number: c_int, handler: usize) -> usize;
        pub fn bsd_signal(number: c_int, handler: usize) -> usize;
        pub fn ssignal(number: c_int, handler: usize) -> usize;
        #[link_name = "__sysv_signal"]
        pub fn sysv_signal(number: c_int, handler: usize) -> usize;
        pub fn sigset(number: c_int, handler: usize) -> usize;
    }
}

pub unsafe extern "C" fn sigaction(number: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    if sampling::is_signal(number) && handlers::is_own_process() {
        // SAFETY: the program passes actions, or null.
        return unsafe { action_of_sampling_signal(new.as_ref(), old.as_mut()) };
    }
    // SAFETY: the program passes actions, or null.
    unsafe {
        let mut passed = new.as_ref().copied();
        let before = passed.as_mut().and_then(|action| handlers::enter(number, &mut action.sa_sigaction));
        let result = libc::sigaction(number, passed.as_ref().map_or(null(), |action| &raw const *action), old);
        if result != 0 {
            handlers::undo(number, before);
        } else if let Some(old) = old.as_mut() {
            old.sa_sigaction = handlers::before(number, before, old.sa_sigaction);
        }
        result
    }
}

macro_rules! simple {
    ($($name:ident: $flags:expr;)*) => {$(
        pub unsafe extern "C" fn $name(number: c_int, handler: usize) -> usize {
            if sampling::is_signal(number) && handlers::is_own_process() {
                return simple_of_sampling_signal(number, handler, $flags);
            }
            // SAFETY: passes on the program's arguments, or the trampoline in the handler's place.
            unsafe { entered(number, handler, real::$name) }
        }
    )*};
}

simple! {
    signal: libc::SA_RESTART;
    bsd_signal: libc::SA_RESTART;
    ssignal: libc::SA_RESTART;
    sysv_signal: libc::SA_RESETHAND | libc::SA_NODEFER;
    sigset: 0;
}

/// Sets a handler by a function that takes nothing else.
unsafe fn entered(number: c_int, mut handler: usize, set: unsafe extern "C" fn(c_int, usize) -> usize) -> usize {
    let before = handlers::enter(number, &mut handler);
    // SAFETY: by the caller's promise.
    let old = unsafe { set(number, handler) };
    if old == libc::SIG_ERR {
        handlers::undo(number, before);
        return old;
    }
    handlers::before(number, before, old)
}

fn simple_of_sampling_signal(number: c_int, handler: usize, flags: c_int) -> usize {
    let before = of_sampling_signal::get().handler;
    of_sampling_signal::set(&ProgramAction { handler, flags, mask: 1 << (number - 1) });
    before
}

/// Answers sigaction for the signal of samples, whose action in the kernel stays ours.
unsafe fn action_of_sampling_signal(new: Option<&libc::sigaction>, old: Option<&mut libc::sigaction>) -> c_int {
    let before = of_sampling_signal::get();
    // SAFETY: zeros are an action and a set.
    unsafe {
        if let Some(new) = new {
            let mut mask = new.sa_mask;
            let mask = *kernel_set(&mut mask);
            of_sampling_signal::set(&ProgramAction { handler: new.sa_sigaction, flags: new.sa_flags, mask });
        }
        if let Some(old) = old {
            *old = MaybeUninit::zeroed().assume_init();
            (old.sa_sigaction, old.sa_flags) = (before.handler, before.flags);
            *kernel_set(&mut old.sa_mask) = before.mask;
        }
    }
    0
}

pub unsafe extern "C" fn sigaltstack(new: *const libc::stack_t, old: *mut libc::stack_t) -> c_int {
    // SAFETY: the program passes stacks, or null.
    unsafe {
        if new.as_ref().is_some_and(alternate_stack::is_put_away)
            && let Some(thread) = current::thread()
        {
            thread.samples_give_way();
        }
        alternate_stack::answer(new, old, frame())
    }
}
