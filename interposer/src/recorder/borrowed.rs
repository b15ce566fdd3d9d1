//! What of a thread belongs to the program while the recorder does more than a few instructions in it: errno, the
//! floating-point environment, and its signals.

use std::mem::MaybeUninit;

/// errno and the floating-point environment as the program has them; given back when dropped.
pub struct State {
    errno: i32,
    control: Control,
}

impl State {
    /// Keeps them, and computes as Rust expects to: a program that has its inexact results raise a signal means its own.
    pub fn keep() -> State {
        let control = Control::read();
        control.without_traps().write();
        // SAFETY: the address of this thread's errno.
        State { errno: unsafe { *libc::__errno_location() }, control }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.control.write();
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = self.errno };
    }
}

/// The thread's signals wait until this is dropped: a handler that calls MPI would wait for a lock that the thread itself
/// holds, and one that leaves by longjmp would never release it.
pub struct Signals(MaybeUninit<libc::sigset_t>);

/// Those that a defect of ours would raise, which cannot wait.
const OWN: [i32; 6] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT];

impl Signals {
    /// Has them wait.
    pub fn hold() -> Signals {
        let mut before = MaybeUninit::uninit();
        let mut all = MaybeUninit::uninit();
        // SAFETY: fills the set, takes some out, and changes this thread's mask by it.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            for signal in OWN {
                libc::sigdelset(all.as_mut_ptr(), signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr());
        }
        Signals(before)
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // SAFETY: the mask was written when they were held.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, self.0.as_ptr(), std::ptr::null_mut()) };
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
        // SAFETY: writes the register to memory.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut control, options(nostack, preserves_flags)) };
        Control(control)
    }

    fn write(self) {
        // SAFETY: a value that was read, or has only valid bits.
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
        // SAFETY: values that were read, or zeros.
        unsafe { std::arch::asm!("msr fpcr, {}", "msr fpsr, {}", in(reg) self.control, in(reg) self.status) };
    }
}
