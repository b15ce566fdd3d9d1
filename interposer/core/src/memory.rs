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

/// Bytes of a large page.
const LARGE: usize = 2 << 20;

/// The same for a table that is looked up all over: from a large page's size on in such pages, where the system has them. A
/// virtual machine walks two page tables for each small page.
pub fn zeroed_table<T>(count: usize) -> Option<NonNull<T>> {
    let bytes = size_of::<T>().checked_mul(count)?;
    if bytes < LARGE {
        return zeroed(count);
    }
    let around = zeroed::<u8>(bytes + LARGE)?;
    let before = around.as_ptr().align_offset(LARGE);
    // SAFETY: the table lies in what was taken, which is its size and a large page more; the rest is given back.
    unsafe {
        let table = around.as_ptr().add(before);
        if before > 0 {
            give_back(around.as_ptr(), before);
        }
        if before < LARGE {
            give_back(table.add(bytes), LARGE - before);
        }
        libc::madvise(table.cast(), bytes, libc::MADV_HUGEPAGE);
        NonNull::new(table.cast())
    }
}

/// Has the system give the memory of so many values now. Kernels before 5.14 give it when it is used.
pub fn populate<T>(memory: NonNull<T>, count: usize) {
    // SAFETY: memory from `zeroed`, whose pages begin where it does.
    unsafe { libc::madvise(memory.as_ptr().cast(), count * size_of::<T>(), libc::MADV_POPULATE_WRITE) };
}

/// Gives memory back for `count` values that [`zeroed`] or [`zeroed_table`] has given.
pub fn give_back<T>(memory: *mut T, count: usize) {
    // SAFETY: the caller's own, and used no longer.
    unsafe { libc::munmap(memory.cast(), size_of::<T>() * count) };
}
