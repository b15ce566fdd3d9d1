//! The machine, as the kernel describes it: the host's cores ([`host_cores`]), how many of them the process's control groups allow
//! ([`quota`]), this process's use of them ([`usage`]), and [`counters`].
//!
//! Values that cannot be read stay unknown: `/proc` or `/sys` may be missing, and a filter may refuse system calls.

mod counters;
mod host_cores;
mod quota;
mod usage;

pub use counters::begin as begin_counters;
pub use counters::read as counters;
pub use host_cores::machine;
pub use quota::throttling;
pub use usage::{had_children, of_process, of_process_briefly, of_thread};

use std::ffi::{CStr, CString};

use crate::uncancellable;

/// The first bytes of a file, without allocating memory. `None` if it cannot be read, or is empty.
fn read_into<'a>(path: &CStr, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let number = uncancellable::open(path, libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NOCTTY, 0);
    if number < 0 {
        return None;
    }
    let bytes = uncancellable::read(number, buffer);
    crate::descriptor::close(number);
    buffer.get(..usize::try_from(bytes).ok().filter(|bytes| *bytes > 0)?)
}

/// The first 4 KiB of a text file, without white space around them.
fn text(path: &str) -> Option<String> {
    let mut buffer = [0; 4096];
    let bytes = read_into(&CString::new(path).ok()?, &mut buffer)?;
    Some(String::from_utf8_lossy(bytes).trim().to_string())
}

/// The numbers at the beginning of a text, separated by spaces.
fn numbers<const N: usize>(text: &[u8]) -> Option<[u64; N]> {
    let mut words = std::str::from_utf8(text).ok()?.split_ascii_whitespace();
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = words.next()?.parse().ok()?;
    }
    Some(numbers)
}
