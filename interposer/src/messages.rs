//! The only writer to stderr. Whole lines, each in one system call, each beginning with the tool's name.

use std::sync::{Mutex, OnceLock};

use crate::descriptor::Identity;

/// What stderr is to whoever started the process.
static STDERR: OnceLock<Option<Identity>> = OnceLock::new();

/// The process begins.
pub fn begin() {
    STDERR.get_or_init(|| Identity::of(libc::STDERR_FILENO));
}

/// Says one line; nothing where the program has closed stderr: what has the number now may be a file of its results.
pub fn say(text: &str) {
    let stderr = Identity::of(libc::STDERR_FILENO);
    if stderr.is_none() || STDERR.get().is_some_and(|begun| *begun != stderr) {
        return;
    }
    let line = format!("overhear: {text}\n");
    // SAFETY: writes bytes of a live string. A failing stderr is nobody's business here.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
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
