//! The terminal's width, and messages on stderr beside a report.

use std::fs::File;
use std::io::{self, IsTerminal, Write, stderr};
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::visible::visible;
use crate::wrapping::wrap_to;

/// The function that wipes a drawing on stderr before anything is printed.
static WIPE: OnceLock<fn()> = OnceLock::new();

/// Has `wipe` called before each output. The first such function stays.
pub fn before_output(wipe: fn()) {
    WIPE.get_or_init(|| wipe);
}

fn wipe() {
    if let Some(wipe) = WIPE.get() {
        wipe();
    }
}

/// Prints a message about the command itself on stderr. Only the progress of a command is drawn there, too.
pub fn say(line: &str) {
    wipe();
    // If stderr fails, there is nowhere to report it.
    let _ = writeln!(stderr(), "{}", wrapped(&format!("overhear: {line}")));
}

/// Continues a message in a line of its own.
pub fn say_more(line: &str) {
    wipe();
    let _ = writeln!(stderr(), "{}", wrapped(&format!("  {line}")));
}

/// The message as one line, or as lines of the terminal on stderr.
fn wrapped(line: &str) -> String {
    match rustix::termios::tcgetwinsize(stderr()).map_or(0, |size| size.ws_col.into()) {
        0 => visible(line).into_owned(),
        width => wrap_to(line, 2, width),
    }
}

/// The number of columns of the terminal on stdout, 0 if that is no terminal.
pub fn width() -> usize {
    rustix::termios::tcgetwinsize(io::stdout()).map_or(0, |size| size.ws_col.into())
}

/// The number of columns that a picture may take: the terminal's, else that in `COLUMNS`, else 80.
pub fn columns() -> usize {
    let said = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = if io::stdout().is_terminal() { width() } else { said().unwrap_or(0) };
    if width == 0 { 80 } else { width }
}

/// True if this process was started without a stdout.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

// If stdout is closed, the runtime opens /dev/null in its place before main, and output is lost silently. Functions of
// this section run before that.
// SAFETY: the section holds addresses of functions that take nothing which is not on the stack or in registers.
#[unsafe(link_section = ".init_array")]
#[used]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: asks the system about a descriptor.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    IS_CLOSED.store(flags == -1, Relaxed);
}

/// The stdout that reports are printed to. Fails if the process was started without one. Unlike the library's own, it
/// reports failures to write.
pub fn stdout() -> io::Result<File> {
    if IS_CLOSED.load(Relaxed) {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    wipe();
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}
