//! The C library's functions that sleep, and what ours do around each.
//!
//! A mutex that is free is taken as without us, by one call more.

use std::ffi::c_int;
use std::sync::atomic::AtomicUsize;

use traces::accesses::Operation::*;

use super::library_calls;
use super::library_functions::{LibraryFunction, functions, with_site};
use super::sleeps;
use crate::function::Function;

// SAFETY: its type, by POSIX.
static TRYLOCK: Function<unsafe extern "C-unwind" fn(usize) -> c_int> =
    unsafe { Function::first("pthread_mutex_trylock") };

/// Finds what ours call besides the functions that they stand for.
pub fn find() {
    TRYLOCK.exists();
}

/// Sleeps, whatever it returns.
macro_rules! sleeps {
    ($real:expr, $aside:expr, $site:ident, $operation:expr) => {{
        let Some(start) = library_calls::begins() else { return $aside };
        let result = $real;
        sleeps::ended($operation, start, $site);
        result
    }};
}

/// Sleeps if the mutex is taken.
macro_rules! locks {
    ($real:expr, $aside:expr, $site:ident, $operation:expr, $mutex:expr) => {{
        // SAFETY: passes on what was passed. Whatever lock answers of a mutex that nobody else holds, trylock does.
        let code = unsafe { TRYLOCK.get()($mutex) };
        if code != libc::EBUSY {
            return code;
        }
        sleeps!($real, $aside, $site, $operation)
    }};
}

functions! {
    nanosleep(time: usize, rest: usize) -> c_int = sleeps!(Nanosleep);
    clock_nanosleep(clock: c_int, flags: c_int, time: usize, rest: usize) -> c_int = sleeps!(ClockNanosleep);
    usleep(time: u32) -> c_int = sleeps!(Usleep);
    sleep(seconds: u32) -> u32 = sleeps!(Sleep);
    thrd_sleep(time: usize, rest: usize) -> c_int = sleeps!(ThrdSleep);

    poll(descriptors: usize, count: usize, timeout: c_int) -> c_int = sleeps!(Poll);
    __poll_chk(descriptors: usize, count: usize, timeout: c_int, room: usize) -> c_int = sleeps!(Poll);
    ppoll(descriptors: usize, count: usize, timeout: usize, mask: usize) -> c_int = sleeps!(Ppoll);
    __ppoll_chk(descriptors: usize, count: usize, timeout: usize, mask: usize, room: usize) -> c_int = sleeps!(Ppoll);
    select(count: c_int, receive: usize, send: usize, except: usize, timeout: usize) -> c_int = sleeps!(Select);
    epoll_wait(epoll: c_int, events: usize, room: c_int, timeout: c_int) -> c_int = sleeps!(EpollWait);
    epoll_pwait(epoll: c_int, events: usize, room: c_int, timeout: c_int, mask: usize) -> c_int = sleeps!(EpollWait);
    epoll_pwait2(epoll: c_int, events: usize, room: c_int, timeout: usize, mask: usize) -> c_int = sleeps!(EpollWait);

    sem_wait(semaphore: usize) -> c_int = sleeps!(SemWait);
    sem_timedwait(semaphore: usize, until: usize) -> c_int = sleeps!(SemTimedwait);
    sem_clockwait(semaphore: usize, clock: c_int, until: usize) -> c_int = sleeps!(SemTimedwait);
    pthread_cond_wait(condition: usize, mutex: usize) -> c_int = sleeps!(CondWait);
    pthread_cond_timedwait(condition: usize, mutex: usize, until: usize) -> c_int = sleeps!(CondTimedwait);
    pthread_cond_clockwait(condition: usize, mutex: usize, clock: c_int, until: usize) -> c_int = sleeps!(CondTimedwait);
    pthread_mutex_lock(mutex: usize) -> c_int = locks!(MutexLock, mutex);
    pthread_barrier_wait(barrier: usize) -> c_int = sleeps!(BarrierWait);
    pthread_join(thread: usize, result: usize) -> c_int = sleeps!(Join);

    wait(status: usize) -> c_int = sleeps!(Wait);
    waitpid(process: c_int, status: usize, options: c_int) -> c_int = sleeps!(Waitpid);
    wait3(status: usize, options: c_int, usage: usize) -> c_int = sleeps!(Wait4);
    wait4(process: c_int, status: usize, options: c_int, usage: usize) -> c_int = sleeps!(Wait4);
    waitid(kind: c_int, process: u32, information: usize, options: c_int) -> c_int = sleeps!(Waitid);
    system(command: usize) -> c_int = sleeps!(System);
}
