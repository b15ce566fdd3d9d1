//! Puts signals off while the thread is at work that no handler of the program may interrupt: one that calls MPI would wait for a lock
//! that the thread itself holds, and one that leaves by longjmp would never release it.
//!
//! A signal that comes then is remembered with its information, and sent to the same thread again where the work ends: one of a kind, as
//! the kernel would keep it, or each of a real-time signal. Once there is no more room, signals are blocked and wait in the kernel.

use std::arch::asm;
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::atomic::{Ordering::*, compiler_fence};

use super::words::{self, SignalWords};
use super::{SYNCHRONOUS, bit, handlers, kernel_set};
use crate::thread_timer;

/// The first real-time signal, as the kernel counts them.
const REAL_TIME: c_int = 32;

/// Of [`SignalWords::in_sampler`]: the handler of samples sends no signals again any more.
const ENDING: usize = 1;

/// The thread's mask before its signals were put off, if some of them had to be blocked.
pub struct MaskBefore(Option<libc::sigset_t>);

/// Begins work during which signals are put off. It may be part of such work.
#[inline(always)]
pub fn begin() -> MaskBefore {
    let words = words::own();
    if must_wait(words, stack_pointer()) {
        words.depth.store(words.depth.load(Relaxed) + 1, Relaxed);
    } else {
        begin_outermost(words, stack_pointer());
    }
    compiler_fence(SeqCst);
    let unseen = handlers::unseen();
    MaskBefore((unseen != 0).then(|| block(unseen)))
}

#[inline(always)]
fn begin_outermost(words: &SignalWords, frame: usize) {
    // A handler that comes between the two stores does work of its own, below its own frame.
    while words.depth.load(Relaxed) == 0 || words.frame.load(Relaxed) != frame {
        words.frame.store(frame, Relaxed);
        compiler_fence(SeqCst);
        words.depth.store(1, Relaxed);
        compiler_fence(SeqCst);
    }
}

/// Ends it. Signals that were put off wait until [`send_waiting`].
pub fn end(MaskBefore(before): MaskBefore) {
    let words = words::own();
    compiler_fence(SeqCst);
    words.depth.store(words.depth.load(Relaxed).saturating_sub(1), Relaxed);
    compiler_fence(SeqCst);
    if let Some(before) = before {
        set_mask(&before);
    }
}

/// Sends the signals again that were put off, unless this thread's work goes on.
#[inline(always)]
pub fn send_waiting() {
    let words = words::own();
    if words.depth.load(Relaxed) == 0 && is_any_waiting(words) {
        let blocked = words.blocked.swap(0, Relaxed);
        send_again(words, blocked);
    }
}

/// True while the calling thread puts signals off.
pub fn is_undisturbed() -> bool {
    words::own().depth.load(Relaxed) > 0
}

/// Ends work that this thread has left by longjmp, but not that which it is doing.
pub fn abandon() {
    if !must_wait(words::own(), stack_pointer()) {
        send_waiting();
    }
}

fn is_any_waiting(words: &SignalWords) -> bool {
    words.put_off.load(Relaxed) | words.blocked.load(Relaxed) != 0
}

/// True if the thread, whose stack pointer this is, puts signals off.
pub fn must_wait(words: &SignalWords, stack_pointer: usize) -> bool {
    if words.depth.load(Relaxed) == 0 {
        return false;
    }
    // Work runs below the frame that began it: above, the thread has left it by longjmp. The handler of samples has a stack of its own.
    if stack_pointer > words.frame.load(Relaxed) && words.in_sampler.load(Relaxed) == 0 {
        words.depth.store(0, Relaxed);
        return false;
    }
    true
}

/// Puts off a signal that has just come.
///
/// # Safety
/// The arguments must be those of a signal handler.
#[cold]
pub unsafe fn put_off(
    words: &SignalWords,
    signal: c_int,
    information: *const libc::siginfo_t,
    context: *mut libc::ucontext_t,
) {
    let information = for_its_handler(signal, information);
    // SAFETY: by the contract.
    unsafe {
        if !remember(words, signal, information) {
            words.blocked.fetch_or(bit(signal), Relaxed);
            queue(signal, information, context);
        }
    }
}

/// Puts off a signal that has just come, after those that wait, and sends all of them. `false` if there is no room for it.
///
/// # Safety
/// As of [`put_off`].
#[cold]
pub unsafe fn come_after_others(words: &SignalWords, signal: c_int, information: *const libc::siginfo_t) -> bool {
    // SAFETY: by the contract.
    let is_kept = unsafe { remember(words, signal, for_its_handler(signal, information)) };
    send_again(words, 0);
    is_kept
}

/// Blocks a signal that has just come until its handler returns, and sends it again, so that it comes then.
///
/// # Safety
/// As of [`put_off`]; the information may be null.
pub unsafe fn queue(signal: c_int, information: *const libc::siginfo_t, context: *mut libc::ucontext_t) {
    // SAFETY: the kernel takes the mask from there as the handler returns.
    unsafe { *kernel_set(&raw mut (*context).uc_sigmask) |= bit(signal) };
    // With SA_NODEFER it would come here again at once.
    block(bit(signal));
    send(signal, information);
}

/// Puts off a signal that has interrupted the handler of samples, so that its own handler sees the program's code as interrupted, as
/// profilers want it.
///
/// # Safety
/// As of [`put_off`].
#[cold]
pub unsafe fn put_off_in_sampler(
    words: &SignalWords,
    signal: c_int,
    information: *const libc::siginfo_t,
    context: *mut libc::ucontext_t,
) {
    let information = for_its_handler(signal, information);
    let is_ending = words.in_sampler.load(Relaxed) <= ENDING;
    // SAFETY: by the contract.
    unsafe {
        if is_ending || !remember(words, signal, information) {
            queue(signal, information, context);
        }
    }
}

/// Sends the signals again that were put off in the handler of samples, which is about to return: they come once it has.
pub fn sampler_ends() {
    let words = words::own();
    words.in_sampler.store(ENDING, Relaxed);
    compiler_fence(SeqCst);
    if words.depth.load(Relaxed) == 0 && words.put_off.load(Relaxed) != 0 {
        block(words.put_off.load(Relaxed));
        send_all(words);
    }
}

/// Has a signal come again, with the information that its handler gets; null if it gets none.
fn for_its_handler(signal: c_int, information: *const libc::siginfo_t) -> *const libc::siginfo_t {
    if handlers::comes_again(signal) { information } else { null() }
}

/// Remembers a signal. `false` if there is no room.
///
/// # Safety
/// As of [`keep`].
unsafe fn remember(words: &SignalWords, signal: c_int, information: *const libc::siginfo_t) -> bool {
    // SAFETY: by the contract.
    let is_kept = unsafe { keep(words, signal, information) };
    if is_kept {
        words.put_off.fetch_or(bit(signal), Relaxed);
    }
    is_kept
}

/// Remembers the information of a signal, which may be null. `false` if there is no room.
///
/// # Safety
/// The information must be one, or null.
unsafe fn keep(words: &SignalWords, signal: c_int, information: *const libc::siginfo_t) -> bool {
    let is_of_a_kind = signal < REAL_TIME;
    if is_of_a_kind && (information.is_null() || words.put_off.load(Relaxed) & bit(signal) != 0) {
        return true;
    }
    // SAFETY: by the contract.
    if unsafe { join_overruns(words, signal, information) } {
        return true;
    }
    for kept in &words.kept {
        if kept.number.compare_exchange(0, -1, Relaxed, Relaxed).is_ok() {
            // SAFETY: the place is taken, and only this thread uses it.
            unsafe { *kept.information.get() = information.as_ref().copied() };
            compiler_fence(SeqCst);
            kept.number.store(signal, Relaxed);
            return true;
        }
    }
    false
}

/// Counts a timer's signal as an overrun of one that waits, as the kernel does with a timer whose signal is pending. `false` if none waits.
///
/// # Safety
/// As of [`keep`].
unsafe fn join_overruns(words: &SignalWords, signal: c_int, information: *const libc::siginfo_t) -> bool {
    // SAFETY: by the contract; a place with a number is filled.
    unsafe {
        let Some(timer) = information.as_ref().and_then(thread_timer::timer) else { return false };
        for kept in words.kept.iter().filter(|kept| kept.number.load(Relaxed) == signal) {
            if let Some(waiting) = &mut *kept.information.get()
                && thread_timer::timer(waiting) == Some(timer)
            {
                thread_timer::add_overruns(waiting, 1 + thread_timer::overruns(information));
                return true;
            }
        }
    }
    false
}

/// Sends all signals again that were put off, and unblocks these. A handler may leave from here by longjmp.
#[cold]
#[inline(never)]
fn send_again(words: &SignalWords, blocked: u64) {
    // SAFETY: the address of this thread's errno.
    let errno = unsafe { *libc::__errno_location() };
    // All come together, since a handler may leave, and none comes in between.
    let mut before = block(!0);
    send_all(words);
    // SAFETY: a set of this function.
    unsafe { *kernel_set(&raw mut before) &= !blocked };
    set_mask(&before);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

fn send_all(words: &SignalWords) {
    loop {
        let waiting = words.put_off.load(Relaxed);
        if waiting == 0 {
            break;
        }
        let signal = waiting.trailing_zeros() as c_int + 1;
        words.put_off.fetch_and(!bit(signal), Relaxed);
        send_each(words, signal);
    }
}

/// Sends all that are remembered of a signal, the first first: no place becomes free before.
fn send_each(words: &SignalWords, signal: c_int) {
    let mut sent = 0;
    while let Some(information) = take(words, signal) {
        send(signal, information.as_ref().map_or(null(), |information| &raw const *information));
        sent += 1;
    }
    if sent == 0 {
        send(signal, null());
    }
}

/// Takes the first that is remembered of a signal.
fn take(words: &SignalWords, signal: c_int) -> Option<Option<libc::siginfo_t>> {
    let kept = words.kept.iter().find(|kept| kept.number.load(Relaxed) == signal)?;
    // SAFETY: the place was filled before it got the number.
    let information = unsafe { *kept.information.get() };
    compiler_fence(SeqCst);
    kept.number.store(0, Relaxed);
    Some(information)
}

/// Sends the calling thread a signal, with this information unless it is null.
fn send(signal: c_int, information: *const libc::siginfo_t) {
    // SAFETY: the calls take numbers, and read the information. A thread may send itself any.
    unsafe {
        let (process, thread) = (libc::getpid(), libc::syscall(libc::SYS_gettid));
        let is_sent = !information.is_null()
            && libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, signal, information) == 0;
        if !is_sent {
            libc::syscall(libc::SYS_tgkill, process, thread, signal);
        }
    }
}

/// Blocks these signals, except those that cannot wait. Returns the mask before.
fn block(signals: u64) -> libc::sigset_t {
    let (mut before, mut set) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: fills a set, removes some signals, and changes this thread's mask by it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        *kernel_set(set.as_mut_ptr()) = signals;
        for signal in SYNCHRONOUS {
            libc::sigdelset(set.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    }
}

fn set_mask(mask: &libc::sigset_t) {
    // SAFETY: changes this thread's mask.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, null_mut()) };
}

/// The calling function's stack pointer.
#[inline(always)]
fn stack_pointer() -> usize {
    let pointer;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a register.
    unsafe {
        asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    pointer
}
