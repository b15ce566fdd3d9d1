//! Loaded code by its addresses, so that a signal handler need not ask the loader, which may be at work.
//!
//! One thread at a time adds and removes; any thread may look up meanwhile. Places are never reused: a reader could
//! take the end of one object for that of another.

use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::*;

/// Limit on the objects that are loaded in a process's life.
const MOST: usize = 2048;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoadedCode {
    /// The object's memory.
    pub begin: usize,
    pub end: usize,
    /// The address that the object's own addresses are relative to.
    pub base: usize,
    /// The address of its unwind table (`.eh_frame_hdr`).
    pub table: usize,
    /// Its number in the trace.
    pub module: usize,
}

pub struct CodeMap {
    places: [CodePlace; MOST],
    used: AtomicUsize,
}

struct CodePlace {
    begin: AtomicUsize,
    /// 0 once the object is unloaded.
    end: AtomicUsize,
    base: AtomicUsize,
    table: AtomicUsize,
    module: AtomicUsize,
}

impl CodePlace {
    const fn free() -> CodePlace {
        CodePlace {
            begin: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            base: AtomicUsize::new(0),
            table: AtomicUsize::new(0),
            module: AtomicUsize::new(0),
        }
    }

    fn read(&self) -> LoadedCode {
        LoadedCode {
            begin: self.begin.load(Relaxed),
            end: self.end.load(Relaxed),
            base: self.base.load(Relaxed),
            table: self.table.load(Relaxed),
            module: self.module.load(Relaxed),
        }
    }
}

impl Default for CodeMap {
    fn default() -> CodeMap {
        CodeMap::new()
    }
}

impl CodeMap {
    pub const fn new() -> CodeMap {
        CodeMap { places: [const { CodePlace::free() }; MOST], used: AtomicUsize::new(0) }
    }

    /// The code at an address.
    pub fn find(&self, address: usize) -> Option<LoadedCode> {
        let place = self
            .used_places()
            .iter()
            .find(|place| place.begin.load(Relaxed) <= address && address < place.end.load(Relaxed));
        place.map(CodePlace::read)
    }

    /// Adds an object; without room it stays unknown.
    pub fn add(&self, code: LoadedCode) {
        let used = self.used.load(Relaxed);
        let Some(place) = self.places.get(used) else { return };
        place.begin.store(code.begin, Relaxed);
        place.end.store(code.end, Relaxed);
        place.base.store(code.base, Relaxed);
        place.table.store(code.table, Relaxed);
        place.module.store(code.module, Relaxed);
        self.used.store(used + 1, Release);
    }

    /// Removes the objects whose memory is not among these.
    pub fn keep(&self, loaded: &[Range<usize>]) {
        for place in self.used_places() {
            let LoadedCode { begin, end, .. } = place.read();
            if !loaded.contains(&(begin..end)) {
                place.end.store(0, Relaxed);
            }
        }
    }

    fn used_places(&self) -> &[CodePlace] {
        self.places.get(..self.used.load(Acquire)).unwrap_or(&[])
    }
}
