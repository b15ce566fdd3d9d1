//! The handover of a recording from a thread that has ended to another.
//!
//! It is a semaphore that counts to one: writes of the ended thread before it [opens](Vacancy::open) the vacancy are
//! visible to the thread that [takes](Vacancy::take) it. An atomic flag would do for the CPU, but not for
//! ThreadSanitizer: it knows semaphores, but not the atomics of a library that was not compiled for it, and would
//! report a race between `memset` and `memcpy` in the two threads.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

pub struct Vacancy(UnsafeCell<MaybeUninit<libc::sem_t>>);

// SAFETY: any thread may call the functions for semaphores at any time.
unsafe impl Sync for Vacancy {}

impl Vacancy {
    /// A vacancy that must [begin](Vacancy::begin) before it is used.
    pub const fn new() -> Vacancy {
        Vacancy(UnsafeCell::new(MaybeUninit::zeroed()))
    }

    /// Initializes the semaphore, which must not move afterwards.
    ///
    /// # Safety
    /// No other thread may know it yet.
    pub unsafe fn begin(&self) {
        // SAFETY: memory for a semaphore that this process's threads share, with the initial value 0.
        unsafe { libc::sem_init(self.semaphore(), 0, 0) };
    }

    /// Offers the recording to other threads.
    pub fn open(&self) {
        // No thread ever waits for the semaphore, so this does not enter the kernel.
        // SAFETY: the semaphore was initialized.
        unsafe { libc::sem_post(self.semaphore()) };
    }

    /// Takes the recording for the calling thread, if it is offered and no other was faster. Changes errno.
    pub fn take(&self) -> bool {
        // SAFETY: the semaphore was initialized.
        unsafe { libc::sem_trywait(self.semaphore()) == 0 }
    }

    fn semaphore(&self) -> *mut libc::sem_t {
        self.0.get().cast()
    }
}
