//! A sign of life while a command computes: only on a terminal, only after a second, and gone before anything is printed.

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tables::terminal;

use crate::loading_bar::PATIENCE;

/// Moves the cursor to the begin of its line, and wipes that.
const WIPE: &str = "\r\x1b[K";

struct Notice {
    is_over: Arc<(Mutex<bool>, Condvar)>,
    thread: JoinHandle<()>,
}

static NOTICE: Mutex<Option<Notice>> = Mutex::new(None);

/// Begins it, unless it is there already. It ends with the next output.
pub fn begin() {
    let mut notice = NOTICE.lock().unwrap_or_else(PoisonError::into_inner);
    if notice.is_some() || !stderr().is_terminal() {
        return;
    }
    terminal::before_output(end);
    let is_over = Arc::new((Mutex::new(false), Condvar::new()));
    let seen = Arc::clone(&is_over);
    // Without a thread, nothing is said.
    let thread = thread::Builder::new().spawn(move || count(&seen));
    *notice = thread.ok().map(|thread| Notice { is_over, thread });
}

/// Ends it, and wipes its line.
pub fn end() {
    let notice = NOTICE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(Notice { is_over, thread }) = notice {
        *is_over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        is_over.1.notify_one();
        let _ = thread.join();
    }
}

/// Counts the seconds. The line is short: behind a full one, a terminal's `^C` would be in the next, and this one would stay.
fn count((is_over, ends): &(Mutex<bool>, Condvar)) {
    let mut seconds = 0;
    let mut over = is_over.lock().unwrap_or_else(PoisonError::into_inner);
    while !*over {
        let (next, waited) = ends.wait_timeout(over, PATIENCE).unwrap_or_else(PoisonError::into_inner);
        over = next;
        if waited.timed_out() && !*over {
            seconds += PATIENCE.as_secs();
            draw(&format!("{WIPE}analyzing, {seconds} s"));
        }
    }
    if seconds > 0 {
        draw(WIPE);
    }
}

fn draw(text: &str) {
    // If stderr fails, there is nowhere to report it.
    let _ = stderr().write_all(text.as_bytes());
}
