//! A short sleep, for those who wait for another thread. It is no cancellation point, leaves errno alone, and makes a system call that
//! docs/guide/limits.md lists (`futex`).

use std::ptr::null;
use std::sync::atomic::AtomicU32;

/// In nanoseconds. The kernel adds some 50 µs.
const LENGTH: i64 = 100_000;

pub fn pause() {
    // Nobody wakes this thread.
    static WORD: AtomicU32 = AtomicU32::new(0);
    let length = libc::timespec { tv_sec: 0, tv_nsec: LENGTH };
    // SAFETY: reads a word and a time; the address of this thread's errno.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let wait = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        libc::syscall(libc::SYS_futex, WORD.as_ptr(), wait, 0, &raw const length, null::<u32>(), 0);
        *errno = before;
    }
}
