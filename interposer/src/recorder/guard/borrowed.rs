//! The state of a thread that belongs to the program and that the recorder saves and restores when it runs more than a
//! few instructions: errno, the floating-point environment, and single signals of its mask.

use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// The program's errno and floating-point environment; restored when dropped.
pub struct BorrowedState {
    errno: i32,
    control: Control,
}

impl BorrowedState {
    /// Saves both, and sets the floating-point environment that Rust expects: a program that enables traps wants them
    /// for its own computations.
    pub fn keep() -> BorrowedState {
        let control = Control::read();
        control.without_traps().write();
        // SAFETY: the address of this thread's errno.
        BorrowedState { errno: unsafe { *libc::__errno_location() }, control }
    }
}

impl Drop for BorrowedState {
    fn drop(&mut self) {
        self.control.write();
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = self.errno };
    }
}

/// Unblocks a signal of ours in the calling thread.
pub fn unblock(signal: i32) {
    let mut set = MaybeUninit::uninit();
    // SAFETY: fills a set of one signal, and changes this thread's mask by it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, set.as_ptr(), null_mut());
    }
}

/// Blocks SIGXFSZ, which a write beyond the process's size limit raises in its thread, until it is dropped.
pub struct SizeSignal {
    before: MaybeUninit<libc::sigset_t>,
    /// True if a SIGXFSZ was already pending: it is the program's.
    pending: bool,
}

impl SizeSignal {
    pub fn hold() -> SizeSignal {
        let (mut before, mut pending) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: changes this thread's mask, and reads the pending signals; the system fills both sets.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, SizeSignal::alone().as_ptr(), before.as_mut_ptr());
            libc::sigpending(pending.as_mut_ptr());
            let pending = libc::sigismember(pending.as_ptr(), libc::SIGXFSZ) == 1;
            SizeSignal { before, pending }
        }
    }

    /// Removes the signal that a write of ours has raised, so that the program does not see it.
    pub fn discard(&self) {
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        if !self.pending {
            // SAFETY: takes a pending signal.
            unsafe { libc::sigtimedwait(SizeSignal::alone().as_ptr(), null_mut(), &now) };
        }
    }

    fn alone() -> MaybeUninit<libc::sigset_t> {
        let mut set = MaybeUninit::uninit();
        // SAFETY: fills the set.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            libc::sigaddset(set.as_mut_ptr(), libc::SIGXFSZ);
        }
        set
    }
}

impl Drop for SizeSignal {
    fn drop(&mut self) {
        // SAFETY: `hold` has written the mask.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, self.before.as_ptr(), null_mut()) };
    }
}

#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Control(u32);

#[cfg(target_arch = "x86_64")]
impl Control {
    /// Round to nearest, no traps.
    fn without_traps(self) -> Control {
        Control(0x1f80)
    }

    fn read() -> Control {
        let mut control = 0u32;
        // SAFETY: writes a register to memory.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut control, options(nostack, preserves_flags)) };
        Control(control)
    }

    fn write(self) {
        // SAFETY: the value was read from the register, or has only valid bits.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const self.0, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
#[derive(Clone, Copy)]
struct Control {
    control: u64,
    status: u64,
}

#[cfg(target_arch = "aarch64")]
impl Control {
    fn without_traps(self) -> Control {
        Control { control: 0, status: 0 }
    }

    fn read() -> Control {
        let (control, status);
        // SAFETY: reads two registers.
        unsafe { std::arch::asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) control, out(reg) status) };
        Control { control, status }
    }

    fn write(self) {
        // SAFETY: the values were read from the registers, or are zero.
        unsafe { std::arch::asm!("msr fpcr, {}", "msr fpsr, {}", in(reg) self.control, in(reg) self.status) };
    }
}
