//! Keeps forks apart from visits of the loader's list: a child that is forked while another thread holds the list's lock
//! has it locked for good, and waits for ever where it loads a library.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use crate::pause::pause;
use crate::thread_words::thread_words;

// The number of visits that this thread is in, one inside another.
thread_words!("overhear_visits", 8);

/// Threads that visit the list now, and threads that fork now.
static VISITORS: AtomicUsize = AtomicUsize::new(0);
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// Looks at whether the other side has ended, for some two seconds: a thread may be off its core for so long. Either may
/// hold a lock that the other needs first, so neither waits for ever.
const LOOKS: u32 = 13_000;

/// A visit of the loader's list, which ends when it is dropped.
pub struct Visit(());

impl Visit {
    pub fn begin() -> Visit {
        // SAFETY: a word of this thread.
        let depth = unsafe { words().read() };
        if depth == 0 {
            enter();
        }
        // SAFETY: as above.
        unsafe { words().write(depth + 1) };
        Visit(())
    }
}

fn enter() {
    for _ in 0..LOOKS {
        VISITORS.fetch_add(1, SeqCst);
        if FORKS.load(SeqCst) == 0 {
            return;
        }
        VISITORS.fetch_sub(1, SeqCst);
        pause();
    }
    VISITORS.fetch_add(1, SeqCst);
}

impl Drop for Visit {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe {
            words().write(words().read() - 1);
            if words().read() == 0 {
                VISITORS.fetch_sub(1, SeqCst);
            }
        }
    }
}

/// Asks the C library to have this thread wait for others' visits before it forks.
pub fn keep_apart() {
    // SAFETY: the handlers only change the words of this file.
    unsafe { libc::pthread_atfork(Some(before), Some(after_in_parent), Some(after_in_child)) };
}

fn is_visiting() -> bool {
    // SAFETY: a word of this thread.
    unsafe { words().read() > 0 }
}

unsafe extern "C" fn before() {
    FORKS.fetch_add(1, SeqCst);
    for _ in 0..LOOKS {
        if VISITORS.load(SeqCst) <= is_visiting() as usize {
            return;
        }
        pause();
    }
}

unsafe extern "C" fn after_in_parent() {
    FORKS.fetch_sub(1, SeqCst);
}

unsafe extern "C" fn after_in_child() {
    FORKS.store(0, SeqCst);
    VISITORS.store(is_visiting() as usize, SeqCst);
}
