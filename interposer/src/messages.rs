//! The only writer to stderr. Whole lines, each in one system call, each beginning with the tool's name.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering::*};
use std::sync::{Mutex, OnceLock};

use crate::descriptor::{self, FileIdentity};

/// What stderr is to whoever started the process.
static STDERR: OnceLock<Option<FileIdentity>> = OnceLock::new();

/// The process begins.
pub fn begin() {
    STDERR.get_or_init(|| FileIdentity::of(libc::STDERR_FILENO));
}

/// Where stderr leads, too: -1 for none.
static COPY: AtomicI32 = AtomicI32::new(-1);

/// Something may have to be said when the process ends, where many programs have closed stderr by then.
pub fn keep_stderr() {
    if let Some(copy) = descriptor::copy(libc::STDERR_FILENO) {
        COPY.store(copy, Relaxed);
        // A child that stays behind keeps nobody waiting for the end of a pipe.
        // SAFETY: the handler only closes a descriptor.
        unsafe { libc::pthread_atfork(None, None, Some(let_stderr_go)) };
    }
}

/// That is not the case any more.
pub extern "C" fn let_stderr_go() {
    let copy = COPY.swap(-1, Relaxed);
    if is_stderr(copy) {
        descriptor::close(copy);
    }
}

/// Says one line; nothing where the program has closed stderr: what has the number now may be a file of its results.
pub fn say(text: &str) {
    let Some(number) = [libc::STDERR_FILENO, COPY.load(Relaxed)].into_iter().find(|number| is_stderr(*number)) else {
        return;
    };
    let line = format!("overhear: {text}\n");
    // SAFETY: writes bytes of a live string. A failing stderr is nobody's business here.
    unsafe { libc::write(number, line.as_ptr().cast(), line.len()) };
}

/// Whether a number is what stderr was when the process began.
fn is_stderr(number: c_int) -> bool {
    let identity = FileIdentity::of(number);
    identity.is_some() && STDERR.get().is_none_or(|begun| *begun == identity)
}

/// Says a line that has not been said in this process yet.
pub fn once(text: &'static str) {
    static SAID: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut said = SAID.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !said.contains(&text) {
        said.push(text);
        say(text);
    }
}
