//! The callbacks that OTF2's library requires of writers: memory, and whether to flush.
//!
//! Each writer gets one chunk at a time. By default the library takes 128 MiB first, and reports a full disk only at the end.

use std::ffi::c_void;
use std::ptr;

/// The library's flush callbacks, called when a writer has no free chunk.
#[repr(C)]
pub struct FlushCallbacks {
    before: extern "C" fn(*mut c_void, u8, u64, *mut c_void, bool) -> u8,
    after: Option<extern "C" fn(*mut c_void, u8, u64) -> u64>,
}

/// The library's callbacks for chunks of memory.
#[repr(C)]
pub struct MemoryCallbacks {
    allocate: unsafe extern "C" fn(*mut c_void, u8, u64, *mut *mut c_void, u64) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, u8, u64, *mut *mut c_void, bool),
}

/// Always writes a full chunk, without a flush event in the trace.
pub static FLUSH: FlushCallbacks = FlushCallbacks { before: flush, after: None };

/// Gives each writer a single chunk.
pub static MEMORY: MemoryCallbacks = MemoryCallbacks { allocate, free };

extern "C" fn flush(_: *mut c_void, _: u8, _: u64, _: *mut c_void, _: bool) -> u8 {
    1
}

/// Allocates a writer's chunk; null if the writer has it already.
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

/// Frees a writer's chunk.
unsafe extern "C" fn free(_: *mut c_void, _: u8, _: u64, chunk: *mut *mut c_void, _: bool) {
    // SAFETY: the word holds a pointer from `allocate`, or null.
    unsafe {
        libc::free(*chunk);
        *chunk = ptr::null_mut();
    }
}
