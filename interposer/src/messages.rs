//! The only writer to stderr. It writes whole lines, each in one system call and beginning with `overhear:`.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering::*};
use std::sync::{Mutex, OnceLock};

use crate::descriptor::{self, FileIdentity};

/// The file that stderr was when the process began.
static STDERR: OnceLock<Option<FileIdentity>> = OnceLock::new();

/// Remembers which file stderr is.
pub fn begin() {
    STDERR.get_or_init(|| FileIdentity::of(libc::STDERR_FILENO));
}

/// A duplicate of stderr, -1 for none.
static COPY: AtomicI32 = AtomicI32::new(-1);

/// Duplicates stderr, since many programs have closed it by the time the process ends, when there may be a message.
pub fn keep_stderr() {
    if let Some(copy) = descriptor::copy(libc::STDERR_FILENO) {
        COPY.store(copy, Relaxed);
        // A child that outlives the process must not keep a reader of the pipe waiting for its end.
        // SAFETY: the handler only closes a descriptor.
        unsafe { libc::pthread_atfork(None, None, Some(let_stderr_go)) };
    }
}

/// Closes the duplicate.
pub extern "C" fn let_stderr_go() {
    let copy = COPY.swap(-1, Relaxed);
    if is_stderr(copy) {
        descriptor::close(copy);
    }
}

/// Writes one line to stderr, or to the duplicate. If the program has closed both it writes nothing, since the number
/// may now belong to a file of the program.
pub fn say(text: &str) {
    let Some(number) = [libc::STDERR_FILENO, COPY.load(Relaxed)].into_iter().find(|number| is_stderr(*number)) else {
        return;
    };
    let line = format!("overhear: {text}\n");
    // A failing stderr is ignored.
    // SAFETY: writes bytes of a live string.
    unsafe { libc::write(number, line.as_ptr().cast(), line.len()) };
}

/// True if a descriptor is the file that stderr was when the process began.
fn is_stderr(number: c_int) -> bool {
    let identity = FileIdentity::of(number);
    identity.is_some() && STDERR.get().is_none_or(|begun| *begun == identity)
}

/// Writes a line unless this process has written it before.
pub fn once(text: &'static str) {
    static SAID: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut said = SAID.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !said.contains(&text) {
        said.push(text);
        say(text);
    }
}
