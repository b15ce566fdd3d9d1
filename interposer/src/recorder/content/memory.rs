//! Whether the processor can read memory that MPI can: a graphics processor's is none of it.

use libc::{c_void, iovec};

/// Whether the first and the last of so many bytes can be read.
pub fn is_readable(address: usize, bytes: u64) -> bool {
    let mut read = [0u8; 2];
    let last = address + (bytes as usize).saturating_sub(1);
    let byte = |base: usize| iovec { iov_base: base as *mut c_void, iov_len: 1 };
    let (into, from) = ([iovec { iov_base: read.as_mut_ptr().cast(), iov_len: 2 }], [byte(address), byte(last)]);
    // SAFETY: the system reads the process's own memory, and says where there is none.
    unsafe { libc::process_vm_readv(libc::getpid(), into.as_ptr(), 1, from.as_ptr(), 2, 0) == 2 }
}
