//! Reads of the interpreter's memory: direct ones of memory that is known to be mapped, and checked ones.

use std::fs::File;
use std::os::unix::fs::FileExt;

pub trait Memory {
    /// The word at an address; `None` if it is not mapped.
    fn word(&self, at: usize) -> Option<usize>;
}

/// Direct reads.
pub struct Trusted(());

impl Trusted {
    /// # Safety
    /// Only mapped addresses may be read.
    #[inline(always)]
    pub unsafe fn new() -> Trusted {
        Trusted(())
    }
}

impl Memory for Trusted {
    #[inline(always)]
    fn word(&self, at: usize) -> Option<usize> {
        // SAFETY: see `new`.
        Some(unsafe { (at as *const usize).read_unaligned() })
    }
}

/// Reads through the kernel, for addresses that may be invalid.
pub struct CheckedMemory(File);

impl CheckedMemory {
    /// `None` if the system does not let a process read its memory this way.
    pub fn open() -> Option<CheckedMemory> {
        File::open("/proc/self/mem").ok().map(CheckedMemory)
    }
}

impl Memory for CheckedMemory {
    fn word(&self, at: usize) -> Option<usize> {
        let mut bytes = [0; size_of::<usize>()];
        self.0.read_exact_at(&mut bytes, at as u64).ok()?;
        Some(usize::from_ne_bytes(bytes))
    }
}
