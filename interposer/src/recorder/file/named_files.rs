//! The files that the program accesses, by name: each gets a number, which its records have.
//!
//! A file is known by the path that it was opened by. What was opened elsewhere is asked for once, by the process's
//! list of descriptors.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use traces::definitions::{AccessedFile, Definition};

use super::shared;
use crate::system_calls;

/// The most files that get a number. A program may open one file for each step of a long run.
const MOST: u32 = 1 << 12;
/// The number of all further files, and of those without a name.
pub const UNNAMED: u32 = u32::MAX;

static NUMBERS: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());

/// The number of the file with a path, which may start from the current folder.
pub fn of_path(path: &str) -> u32 {
    if path.starts_with('/') || system_calls::are_filtered() {
        return number(path);
    }
    let folder = std::env::current_dir().unwrap_or_default();
    number(&folder.join(path.trim_start_matches("./")).to_string_lossy())
}

/// The number of the file behind a descriptor that was opened where nobody saw it.
pub fn of_descriptor(descriptor: c_int) -> u32 {
    if system_calls::are_filtered() {
        return UNNAMED;
    }
    let Ok(name) = fs::read_link(Path::new("/proc/self/fd").join(descriptor.to_string())) else { return UNNAMED };
    let name = name.to_string_lossy();
    // The kernel's names of what has no path are of the kind `pipe:[1234]`.
    number(if name.starts_with('/') { &name } else { name.split(':').next().unwrap_or_default() })
}

fn number(name: &str) -> u32 {
    let mut numbers = NUMBERS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = numbers.get(name) {
        return *known;
    }
    let number = numbers.len() as u32 + 1;
    if number > MOST {
        return UNNAMED;
    }
    numbers.insert(name.into(), number);
    shared::define(&Definition::AccessedFile(AccessedFile { number, name: name.into() }));
    number
}
