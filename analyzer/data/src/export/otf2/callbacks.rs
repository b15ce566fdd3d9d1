//! What OTF2's library asks of whoever writes: memory, and whether to write out what it holds.
//!
//! A writer gets one chunk at a time. It would take 128 MiB first, and only say at the end that the disk is full.

use std::ffi::c_void;
use std::ptr;

/// What the library calls where it has no chunk left, or has one.
#[repr(C)]
pub struct FlushCallbacks {
    before: extern "C" fn(*mut c_void, u8, u64, *mut c_void, bool) -> u8,
    after: Option<extern "C" fn(*mut c_void, u8, u64) -> u64>,
}

/// What it gets chunks by, and gives them back.
#[repr(C)]
pub struct MemoryCallbacks {
    allocate: unsafe extern "C" fn(*mut c_void, u8, u64, *mut *mut c_void, u64) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, u8, u64, *mut *mut c_void, bool),
}

/// What is full is always written, and the trace does not say when.
pub static FLUSH: FlushCallbacks = FlushCallbacks { before: flush, after: None };

/// See the module.
pub static MEMORY: MemoryCallbacks = MemoryCallbacks { allocate, free };

extern "C" fn flush(_: *mut c_void, _: u8, _: u64, _: *mut c_void, _: bool) -> u8 {
    1
}

/// The writer's chunk, null where it has it.
unsafe extern "C" fn allocate(_: *mut c_void, _: u8, _: u64, chunk: *mut *mut c_void, bytes: u64) -> *mut c_void {
    // SAFETY: the library keeps a word for each writer, which is null at first.
    unsafe {
        if !(*chunk).is_null() {
            return ptr::null_mut();
        }
        *chunk = libc::malloc(bytes as usize);
        *chunk
    }
}

/// The writer gives its chunk back.
unsafe extern "C" fn free(_: *mut c_void, _: u8, _: u64, chunk: *mut *mut c_void, _: bool) {
    // SAFETY: what the word holds is from above, or null.
    unsafe {
        libc::free(*chunk);
        *chunk = ptr::null_mut();
    }
}
