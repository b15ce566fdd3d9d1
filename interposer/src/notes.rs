//! Warnings of the floors that know no file. The recording writes them into its file.

use std::sync::{Mutex, MutexGuard, OnceLock};

struct Note {
    text: &'static str,
    is_written: bool,
}

static NOTES: Mutex<Vec<Note>> = Mutex::new(Vec::new());

/// Writes a warning into the file. `false` if that has to wait.
static WRITER: OnceLock<fn(&'static str) -> bool> = OnceLock::new();

/// Notes a warning, unless this process has noted it before.
pub fn add(text: &'static str) {
    let mut notes = lock();
    if notes.iter().any(|note| note.text == text) {
        return;
    }
    notes.push(Note { text, is_written: false });
    // The writer may note something itself.
    drop(notes);
    write();
}

/// Sets the writer, once there is a file.
pub fn write_by(writer: fn(&'static str) -> bool) {
    let _ = WRITER.set(writer);
    write();
}

/// Writes what had to wait.
pub fn write() {
    let Some(writer) = WRITER.get() else { return };
    let waiting: Vec<&'static str> = lock().iter().filter(|note| !note.is_written).map(|note| note.text).collect();
    for text in waiting {
        if writer(text) {
            for note in lock().iter_mut().filter(|note| note.text == text) {
                note.is_written = true;
            }
        }
    }
}

fn lock() -> MutexGuard<'static, Vec<Note>> {
    NOTES.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
