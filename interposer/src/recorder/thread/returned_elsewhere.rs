//! Calls that returned where their recording could not be changed: on another thread than they began on, as in
//! user-level threads, or while the recorder was at work on another stack. The recording closes them at its thread's
//! next call.

use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::{Mutex, MutexGuard};

use crate::recorder::guard;

#[derive(Clone, Copy)]
pub struct ReturnedCall {
    /// The number of the thread that it began on.
    pub thread: u32,
    /// The start of the outermost call around it, in ticks.
    pub since: u64,
    /// Number of calls around it.
    pub depth: u32,
    /// Its end, in ticks.
    pub end: u64,
    pub error: Option<(u16, i32)>,
}

static CALLS: Mutex<Vec<ReturnedCall>> = Mutex::new(Vec::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Limit on the calls that are kept, since a thread that makes no further call never takes its own.
const MOST: usize = 1 << 12;

#[cold]
pub fn add(call: ReturnedCall) {
    guard::run(|| {
        let mut calls = lock();
        if calls.len() < MOST {
            calls.push(call);
        }
        COUNT.store(calls.len(), Release);
    });
}

#[inline(always)]
pub fn take(thread: u32) -> Option<ReturnedCall> {
    if COUNT.load(Relaxed) == 0 { None } else { take_first(thread) }
}

#[cold]
fn take_first(thread: u32) -> Option<ReturnedCall> {
    let taken = guard::run(|| {
        let mut calls = lock();
        let at = calls.iter().position(|call| call.thread == thread)?;
        let call = calls.remove(at);
        COUNT.store(calls.len(), Release);
        Some(call)
    });
    taken.flatten()
}

fn lock() -> MutexGuard<'static, Vec<ReturnedCall>> {
    CALLS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
