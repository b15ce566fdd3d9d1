//! Limits on the memory and time of an analysis. Exceeding them ends the whole test, with the analysis' name.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of memory; the files of a run have 200,000 at most.
const MEMORY: usize = 128 << 20;
/// An analysis takes some milliseconds, but the machine may be busy.
const TIME: Duration = Duration::from_secs(30);

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static BEFORE: AtomicUsize = AtomicUsize::new(usize::MAX / 2);
static CURRENT: Mutex<Option<(String, Instant)>> = Mutex::new(None);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn count(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    if live > BEFORE.load(Relaxed).saturating_add(MEMORY) {
        // Printing allocates, too.
        BEFORE.store(usize::MAX / 2, Relaxed);
        give_up("takes too much memory");
    }
}

/// Starts a thread that checks the time.
pub fn watch() {
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_millis(500));
            let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
            let late = current.as_ref().is_some_and(|(_, began)| began.elapsed() > TIME);
            drop(current);
            if late {
                give_up("takes too long");
            }
        }
    });
}

/// Begins an analysis.
pub fn begin(called: &str) {
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some((called.into(), Instant::now()));
    BEFORE.store(LIVE.load(Relaxed), Relaxed);
}

/// Ends the analysis.
pub fn end() {
    BEFORE.store(usize::MAX / 2, Relaxed);
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

fn give_up(why: &str) -> ! {
    let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    let called = current.as_ref().map_or("", |(called, _)| called);
    // The test captures eprintln.
    let _ = writeln!(std::io::stderr(), "{called}: {why}");
    std::process::abort();
}
