//! Tests if the CPU can read a buffer of the program, which may be in a GPU's memory.

use libc::{c_void, iovec};

use crate::system_calls;

/// True if the CPU can read the first and the last of `bytes` bytes.
pub fn is_readable(address: usize, bytes: u64) -> bool {
    if system_calls::are_filtered() {
        return false;
    }
    let mut read = [0u8; 2];
    let last = address + (bytes as usize).saturating_sub(1);
    let byte = |base: usize| iovec { iov_base: base as *mut c_void, iov_len: 1 };
    let (into, from) = ([iovec { iov_base: read.as_mut_ptr().cast(), iov_len: 2 }], [byte(address), byte(last)]);
    // SAFETY: the kernel reads this process's memory, and fails if there is none.
    unsafe { libc::process_vm_readv(libc::getpid(), into.as_ptr(), 1, from.as_ptr(), 2, 0) == 2 }
}
