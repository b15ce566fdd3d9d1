//! Memory straight from the system: zeroed, populated on first use, and never from the program's allocator.

use std::ptr::{NonNull, null_mut};

/// Zeroed memory for `count` values; `None` if the system has none left.
pub fn zeroed<T>(count: usize) -> Option<NonNull<T>> {
    let bytes = size_of::<T>().checked_mul(count)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new anonymous mapping; pages are at least as aligned as any of our types.
    let memory = unsafe { libc::mmap(null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if memory == libc::MAP_FAILED { None } else { NonNull::new(memory.cast()) }
}

/// Bytes of a large page.
const LARGE: usize = 2 << 20;

/// Zeroed memory for a table that is accessed at random: in large pages, if it fills one and the system has them. A
/// virtual machine walks two page tables for each small page.
pub fn zeroed_table<T>(count: usize) -> Option<NonNull<T>> {
    let bytes = size_of::<T>().checked_mul(count)?;
    if bytes < LARGE {
        return zeroed(count);
    }
    let around = zeroed::<u8>(bytes + LARGE)?;
    let before = around.as_ptr().align_offset(LARGE);
    // SAFETY: the mapping is one large page longer than the table, so the aligned table lies in it; the rest is
    // unmapped.
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

/// Populates the memory of `count` values now. Kernels before 5.14 cannot, and populate it on first use.
pub fn populate<T>(memory: NonNull<T>, count: usize) {
    // SAFETY: memory from `zeroed`, whose pages begin where it does.
    unsafe { libc::madvise(memory.as_ptr().cast(), count * size_of::<T>(), libc::MADV_POPULATE_WRITE) };
}

/// Returns memory of `count` values from [`zeroed`] or [`zeroed_table`] to the system.
pub fn give_back<T>(memory: *mut T, count: usize) {
    // SAFETY: the caller's own, and used no longer.
    unsafe { libc::munmap(memory.cast(), size_of::<T>() * count) };
}
