//! The cancellation of a thread, which waits while the recorder works in it.
//!
//! The recorder's system calls are cancellation points: `open`, `pwrite`, `fsync`. A cancellation that acted in one would unwind
//! the recorder's frames, and Rust ends the process there.

use std::ffi::c_int;

// POSIX lets both end the thread, by unwinding: if its cancellation is pending, where it becomes asynchronous.
unsafe extern "C-unwind" {
    fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
    fn pthread_setcanceltype(kind: c_int, before: *mut c_int) -> c_int;
}

/// glibc's numbers.
const DISABLED: c_int = 1;
const DEFERRED: c_int = 0;
const ASYNCHRONOUS: c_int = 1;

/// The thread's cancellation as it was.
pub struct Cancellation {
    state: c_int,
    kind: c_int,
}

impl Cancellation {
    /// Holds off the cancellation of the calling thread. Neither call enters the kernel.
    #[inline(never)]
    pub fn hold() -> Cancellation {
        let mut before = Cancellation { state: DISABLED, kind: DEFERRED };
        // The type, too: glibc before 2.41 looks at it alone where the signal that cancels a thread comes late.
        // SAFETY: changes two properties of this thread, and writes what they were.
        unsafe {
            pthread_setcanceltype(DEFERRED, &mut before.kind);
            pthread_setcancelstate(DISABLED, &mut before.state);
        }
        before
    }

    /// Gives it back. If it is asynchronous and pending, the thread ends here.
    #[inline(never)]
    pub fn give_back(self) {
        let mut held = 0;
        // SAFETY: as above.
        unsafe {
            pthread_setcancelstate(self.state, &mut held);
            if self.kind == ASYNCHRONOUS {
                pthread_setcanceltype(ASYNCHRONOUS, &mut held);
            }
        }
    }
}
