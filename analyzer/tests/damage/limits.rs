//! Limits on the memory and time of an analysis. Exceeding them ends the whole test, with the analysis' name.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of memory; the files of a run have 200,000 at most.
const MEMORY: usize = 128 << 20;
/// Processor time; an analysis takes some milliseconds.
const TIME: Duration = Duration::from_secs(30);
/// Time for an analysis that may wait for a core, since these tests run when nothing else does.
const WALL_TIME: Duration = Duration::from_secs(600);

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static BEFORE: AtomicUsize = AtomicUsize::new(usize::MAX / 2);
static CURRENT: Mutex<Option<Analysis>> = Mutex::new(None);

struct Analysis {
    called: String,
    began: Instant,
    /// The process' processor time at the begin.
    processor: Duration,
}

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
            let late = current.as_ref().is_some_and(|analysis| {
                processor_time() - analysis.processor > TIME || analysis.began.elapsed() > WALL_TIME
            });
            drop(current);
            if late {
                give_up("takes too long");
            }
        }
    });
}

/// Begins an analysis.
pub fn begin(called: &str) {
    let analysis = Analysis { called: called.into(), began: Instant::now(), processor: processor_time() };
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(analysis);
    BEFORE.store(LIVE.load(Relaxed), Relaxed);
}

/// Ends the analysis.
pub fn end() {
    BEFORE.store(usize::MAX / 2, Relaxed);
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn give_up(why: &str) -> ! {
    let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    let called = current.as_ref().map_or("", |analysis| &analysis.called);
    // The test captures eprintln.
    let _ = writeln!(std::io::stderr(), "{called}: {why}");
    std::process::abort();
}
