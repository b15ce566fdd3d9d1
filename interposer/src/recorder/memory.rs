//! Memory straight from the system: zeroed, untouched until used, and never from the program's allocator.

use std::ptr::{NonNull, null_mut};

/// Zeroed memory for `count` values, or `None` where the system has none left.
pub fn zeroed<T>(count: usize) -> Option<NonNull<T>> {
    let bytes = size_of::<T>().checked_mul(count)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new anonymous mapping; pages are at least as aligned as any of our types.
    let memory = unsafe { libc::mmap(null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if memory == libc::MAP_FAILED { None } else { NonNull::new(memory.cast()) }
}

/// Has the system give the memory of so many values now. Kernels before 5.14 give it when it is used.
pub fn populate<T>(memory: NonNull<T>, count: usize) {
    // SAFETY: memory from `zeroed`, whose pages begin where it does.
    unsafe { libc::madvise(memory.as_ptr().cast(), count * size_of::<T>(), libc::MADV_POPULATE_WRITE) };
}

/// Gives memory back for `count` values that [`zeroed`] has given.
pub fn give_back<T>(memory: *mut T, count: usize) {
    // SAFETY: the caller's own, and used no longer.
    unsafe { libc::munmap(memory.cast(), size_of::<T>() * count) };
}
