//! What the terminal is like.

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
