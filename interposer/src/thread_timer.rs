//! A timer of a thread's processor time, which sends that thread a signal.
//!
//! It makes system calls: the C library's functions would allocate, and start a thread.

use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering::*};

use crate::system_calls;

/// The system's number of the timer plus one; 0 for none.
pub struct ThreadTimer(AtomicI32);

/// The signals of these timers carry the address of this byte, to tell them from others.
pub static MARK: u8 = 0;

fn mark() -> usize {
    &raw const MARK as usize
}

/// The code of a timer's signal, and the offsets in `siginfo_t` of the code, the timer, its overruns, and its value.
pub const SI_TIMER: i32 = -2;
pub const CODE: usize = 8;
const TIMER: usize = 16;
const OVERRUNS: usize = 20;
pub const VALUE: usize = 24;

/// The periods that ended between the timer's signal and its handler.
///
/// # Safety
/// The information must be that of a signal of a timer.
pub unsafe fn overruns(information: *const libc::siginfo_t) -> u64 {
    // SAFETY: by the contract.
    unsafe { information.byte_add(OVERRUNS).cast::<i32>().read() }.max(0) as u64
}

/// Adds periods that ended before the signal's handler is entered.
pub fn add_overruns(information: &mut libc::siginfo_t, periods: u64) {
    let at = (&raw mut *information).wrapping_byte_add(OVERRUNS).cast::<i32>();
    // SAFETY: the field is in any information.
    unsafe { at.write(at.read().saturating_add(periods.min(i32::MAX as u64) as i32)) };
}

/// The system's number of the timer that has sent a signal; `None` if none has.
pub fn timer(information: &libc::siginfo_t) -> Option<i32> {
    let at = &raw const *information;
    // SAFETY: these fields are in any information, whatever they mean there.
    unsafe { (at.byte_add(CODE).cast::<i32>().read() == SI_TIMER).then(|| at.byte_add(TIMER).cast::<i32>().read()) }
}

fn is_of_ours(information: &libc::siginfo_t) -> bool {
    // SAFETY: as above.
    timer(information).is_some()
        && unsafe { (&raw const *information).byte_add(VALUE).cast::<usize>().read() } == mark()
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

    /// Deletes the timer of the calling thread, if there is one, and takes back its signal if that is blocked and waits.
    pub fn stop_own(&self, signal: i32) {
        self.stop();
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let mut information = MaybeUninit::<libc::siginfo_t>::uninit();
        // SAFETY: fills a set, and takes a pending signal of this thread; one that is not ours goes back.
        unsafe {
            let mut set = MaybeUninit::uninit();
            libc::sigemptyset(set.as_mut_ptr());
            libc::sigaddset(set.as_mut_ptr(), signal);
            if libc::sigtimedwait(set.as_ptr(), information.as_mut_ptr(), &now) == signal
                && !is_of_ours(information.assume_init_ref())
            {
                let thread = libc::syscall(libc::SYS_gettid);
                libc::syscall(libc::SYS_rt_tgsigqueueinfo, libc::getpid(), thread, signal, information.as_ptr());
            }
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
