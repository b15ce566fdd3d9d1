//! Whether a thread has ended whose recording another may go on with.
//!
//! A semaphore of the C library, which counts to one: what the ended thread wrote before it [opens](Vacancy::open) is there for the
//! thread that [takes](Vacancy::take). An atomic flag would do for the processor, but not for ThreadSanitizer, which knows
//! semaphores and not the instructions of a library that was not compiled for it: in a program built with it, what the two
//! threads write by `memset` and `memcpy` would be told as a race.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

/// See the module.
pub struct Vacancy(UnsafeCell<MaybeUninit<libc::sem_t>>);

// SAFETY: the functions for semaphores may be called by any thread at any time.
unsafe impl Sync for Vacancy {}

impl Vacancy {
    /// One that is not usable before it [begins](Vacancy::begin).
    pub const fn new() -> Vacancy {
        Vacancy(UnsafeCell::new(MaybeUninit::zeroed()))
    }

    /// The recording is a thread's. A semaphore stays where it began.
    ///
    /// # Safety
    /// No other thread knows it yet.
    pub unsafe fn begin(&self) {
        // SAFETY: memory for a semaphore, which the threads of this process share and which counts from 0.
        unsafe { libc::sem_init(self.semaphore(), 0, 0) };
    }

    /// The thread has ended.
    pub fn open(&self) {
        // SAFETY: it has begun. Nobody ever waits, so the system is not entered.
        unsafe { libc::sem_post(self.semaphore()) };
    }

    /// Takes the recording for the calling thread, if its own has ended and no other was faster. Changes errno.
    pub fn take(&self) -> bool {
        // SAFETY: it has begun.
        unsafe { libc::sem_trywait(self.semaphore()) == 0 }
    }

    fn semaphore(&self) -> *mut libc::sem_t {
        self.0.get().cast()
    }
}
