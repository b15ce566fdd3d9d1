//! Files and folders that are being written, so that an error or a signal leaves none of them half-made.

use std::mem;
use std::sync::{Mutex, MutexGuard};

pub type Removal = Box<dyn FnOnce() + Send>;

/// Removers of the outputs that are being written, in the order in which they were begun.
static UNFINISHED: Mutex<Vec<(u64, Removal)>> = Mutex::new(Vec::new());

/// An output that is being written. It is removed when this is dropped before it is [finished](Unfinished::finish).
pub struct Unfinished(u64);

impl Unfinished {
    /// Begins an output that `remove` removes.
    pub fn begin(remove: impl FnOnce() + Send + 'static) -> Unfinished {
        add(&mut lock(), Box::new(remove))
    }

    /// Makes an output, and says how to remove it. A signal comes before that or after it.
    pub fn make<T, E>(make: impl FnOnce() -> Result<(T, Removal), E>) -> Result<(T, Unfinished), E> {
        let mut all = lock();
        let (made, remove) = make()?;
        Ok((made, add(&mut all, remove)))
    }

    /// Keeps the output.
    pub fn finish(self) {
        self.take();
        mem::forget(self);
    }

    fn take(&self) -> Option<Removal> {
        let mut all = lock();
        let at = all.iter().position(|(number, _)| *number == self.0)?;
        Some(all.remove(at).1)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(remove) = self.take() {
            remove();
        }
    }
}

fn add(all: &mut Vec<(u64, Removal)>, remove: Removal) -> Unfinished {
    let number = all.last().map_or(0, |(last, _)| last + 1);
    all.push((number, remove));
    Unfinished(number)
}

/// Removes all outputs that are being written, the last begun first, before the process is ended. Until then no thread
/// begins or finishes another.
pub fn remove_all() {
    let mut all = lock();
    while let Some((_, remove)) = all.pop() {
        remove();
    }
    mem::forget(all);
}

fn lock() -> MutexGuard<'static, Vec<(u64, Removal)>> {
    UNFINISHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
