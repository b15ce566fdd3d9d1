//! The paths of samples, in the tree of call paths.
//!
//! A signal handler looks up the paths, so it calls neither the loader nor the allocator: [`learn`] reads the loaded
//! objects beforehand, where that is safe.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::definitions::CalledFrom;

use super::shared;
use crate::program_headers;
use crate::recorder::guard;
use crate::recorder::process::sampling;
use recorder_core::code_map::{CodeMap, LoadedCode};

static CODE: CodeMap = CodeMap::new();
/// Set when a sample was in code that is not in [`CODE`].
static MISSED: AtomicBool = AtomicBool::new(false);

/// The code at an address, if it was loaded when [`learn`] last ran.
pub fn code_at(address: usize) -> Option<LoadedCode> {
    let code = CODE.find(address);
    if code.is_none() {
        MISSED.store(true, Relaxed);
    }
    code
}

/// Reads which objects are loaded, if samples are taken. Never waits, since this thread may hold the loader's lock.
pub fn learn() {
    if sampling::is_on() {
        MISSED.store(guard::run(learn_now).flatten().is_none(), Relaxed);
    }
}

/// Reads which objects are loaded, if a sample was in unknown code.
pub fn learn_missed() {
    if MISSED.load(Relaxed) {
        learn();
    }
}

fn learn_now() -> Option<()> {
    let mut shared = shared::lock_soon()?;
    shared.forget_unloaded();
    let mut loaded = Vec::new();
    program_headers::find(|headers| {
        let table = headers.parts(libc::PT_GNU_EH_FRAME).next().map_or(0, |table| table.start);
        loaded.push((headers.memory(), headers.base(), table));
        None::<()>
    });
    let memory: Vec<_> = loaded.iter().map(|(memory, ..)| memory.clone()).collect();
    CODE.keep(&memory);
    for (memory, base, table) in loaded {
        if CODE.find(memory.start).is_none() {
            let module = shared.module_at(memory.start) as usize;
            CODE.add(LoadedCode { begin: memory.start, end: memory.end, base, table, module });
        }
    }
    Some(())
}

/// Number of a path's innermost call site. Each address lies in a function that the next one has called. `None` if the
/// site is new and there is no room for it, or other threads are defining something.
pub fn number(addresses: &[usize], end: CalledFrom) -> Option<u32> {
    let known = addresses
        .iter()
        .try_rfold(end, |caller, address| shared::known_on_path(*address as u64, caller).map(CalledFrom::Site));
    let innermost = match known {
        Some(innermost) => innermost,
        None => {
            let mut shared = shared::lock_soon()?;
            addresses.iter().try_rfold(end, |caller, address| {
                shared.sampled_site(*address, code_at(*address), caller).map(CalledFrom::Site)
            })?
        }
    };
    match innermost {
        CalledFrom::Site(number) => Some(number),
        _ => None,
    }
}
