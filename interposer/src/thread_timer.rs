//! A timer of a thread's processor time, which sends that thread a signal.
//!
//! It makes system calls: the C library's functions would allocate, and start a thread.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering::*};

use crate::system_calls;

/// The system's number of the timer plus one; 0 for none.
pub struct ThreadTimer(AtomicI32);

/// The signals of these timers carry the address of this byte, to tell them from others.
static MARK: u8 = 0;

/// The value that a timer's signal carries.
pub fn mark() -> usize {
    &raw const MARK as usize
}

/// The processor time of the calling thread, in nanoseconds.
pub fn processor_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes `time`.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl ThreadTimer {
    pub const fn none() -> ThreadTimer {
        ThreadTimer(AtomicI32::new(0))
    }

    /// Starts to send the calling thread a signal each time it has used `period` nanoseconds. `false` if the system
    /// gives no timer.
    pub fn start(&self, signal: i32, period: u64) -> bool {
        // SAFETY: zeros are a valid event.
        let mut event: libc::sigevent = unsafe { std::mem::zeroed() };
        event.sigev_value = libc::sigval { sival_ptr: mark() as *mut libc::c_void };
        event.sigev_signo = signal;
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        let mut number = 0i32;
        let time = libc::timespec { tv_sec: (period / 1_000_000_000) as i64, tv_nsec: (period % 1_000_000_000) as i64 };
        let times = libc::itimerspec { it_interval: time, it_value: time };
        // SAFETY: the calls read what is passed, and write a number.
        unsafe {
            event.sigev_notify_thread_id = libc::syscall(libc::SYS_gettid) as i32;
            let clock = libc::CLOCK_THREAD_CPUTIME_ID;
            if libc::syscall(libc::SYS_timer_create, clock, &raw mut event, &raw mut number) != 0 {
                return false;
            }
            self.0.store(number + 1, Release);
            libc::syscall(libc::SYS_timer_settime, number, 0, &raw const times, null_mut::<libc::itimerspec>()) == 0
        }
    }

    /// Deletes the timer, if there is one. Any thread may call this. Where a filter may forbid it, the handler goes on
    /// ignoring the signals.
    pub fn stop(&self) {
        let number = self.0.swap(0, AcqRel);
        if number != 0 && !system_calls::are_filtered() {
            // SAFETY: our timer, which no other code deletes.
            unsafe { libc::syscall(libc::SYS_timer_delete, number - 1) };
        }
    }
}
