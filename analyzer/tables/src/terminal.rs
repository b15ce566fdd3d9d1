//! The terminal's width, and lines printed there beside a report.

use std::fs::File;
use std::io::{self, IsTerminal, Write, stderr};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::visible::visible;

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
    rustix::termios::tcgetwinsize(io::stdout()).map_or(0, |size| size.ws_col.into())
}

/// Columns that a picture may take: the terminal's, else what `COLUMNS` says, else 80.
pub fn columns() -> usize {
    let said = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = if io::stdout().is_terminal() { width() } else { said().unwrap_or(0) };
    if width == 0 { 80 } else { width }
}

/// Whether this process was started without a stdout.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

// The runtime opens /dev/null in the place of a stdout that is closed, before main, and what is printed there is lost without
// a word. Functions of this section run before that.
// SAFETY: the section holds addresses of functions that take nothing which is not on the stack or in registers.
#[unsafe(link_section = ".init_array")]
#[used]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: asks the system about a descriptor.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    IS_CLOSED.store(flags == -1, Relaxed);
}

/// What reports are printed to. Fails where there is none; unlike the library's own, it says so where it cannot be written.
pub fn stdout() -> io::Result<File> {
    if IS_CLOSED.load(Relaxed) {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}
