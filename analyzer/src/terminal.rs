//! What the terminal is like, and what is said there beside a report.

use std::io::{Write, stderr};

use crate::report::visible::visible;

/// Says something about the command itself, on stderr. Nothing else writes there.
pub fn say(line: &str) {
    // Nobody is left to be told where that fails.
    let _ = writeln!(stderr(), "overhear: {}", visible(line));
}

/// Goes on in a line of its own.
pub fn say_more(line: &str) {
    let _ = writeln!(stderr(), "  {}", visible(line));
}

/// Columns of the terminal that stdout is, 0 where it is none.
pub fn width() -> usize {
    // SAFETY: an all-zero winsize is valid, and the call writes no more than that.
    unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        if libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &mut size) != 0 {
            return 0;
        }
        size.ws_col as usize
    }
}
