//! The only writer to stderr. Whole lines, each in one system call, each beginning with the tool's name.

use std::sync::Mutex;

/// Says one line.
pub fn say(text: &str) {
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
