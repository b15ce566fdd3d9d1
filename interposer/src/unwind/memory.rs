//! Reads memory that may not be mapped: the program must not notice wrong unwind information.

use std::ops::Range;

use crate::system_calls;

/// Memory as one thread sees it.
pub struct StackMemory {
    /// The part of the thread's own stack that is in use. It is mapped.
    pub stack: Range<usize>,
}

impl StackMemory {
    /// The word at an address; `None` if none can be read there.
    pub fn word(&self, at: usize) -> Option<usize> {
        if !at.is_multiple_of(size_of::<usize>()) {
            return None;
        }
        if self.stack.contains(&at) {
            // SAFETY: an aligned word of the stack that is in use.
            return Some(unsafe { (at as *const usize).read_volatile() });
        }
        from_anywhere(at)
    }
}

/// Reads a word through the kernel, so that an address without memory is an error rather than a signal.
fn from_anywhere(at: usize) -> Option<usize> {
    if system_calls::are_filtered() {
        return None;
    }
    let mut word = 0usize;
    let to = libc::iovec { iov_base: (&raw mut word).cast(), iov_len: size_of::<usize>() };
    let from = libc::iovec { iov_base: at as *mut libc::c_void, iov_len: size_of::<usize>() };
    // SAFETY: writes the word at most.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    (read == size_of::<usize>() as isize).then_some(word)
}
