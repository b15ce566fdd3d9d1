//! The number of a call's signature: found, or given where the call is the first of its kind. A call site that was not met
//! before is named.

use traces::definitions::Definition;
use traces::record::UNNUMBERED;

use super::HANDED_DOWN;
use crate::layers;
use crate::progress;
use crate::recorder::file::{parts, shared};
use crate::recorder::guard;
use crate::recorder::thread::Thread;
use crate::recorder::thread::amount::Parts;
use recorder_core::dictionary::Key;

/// The signature's number; [`UNNUMBERED`] where there was no room for it, and then the thread's block holds the signature.
#[inline(never)]
pub fn signature(thread: &Thread, key: &Key) -> u32 {
    match thread.number_of(key) {
        Some(number) => number,
        None => new_signature(thread, key),
    }
}

/// The number of what each process is handed; 0 where that is not said.
#[inline(never)]
pub fn parts(sizes: &Parts<'_>) -> u32 {
    let hash = parts::hash(sizes.bytes());
    match parts::known(hash) {
        Some(number) => number,
        None if !parts::has_room() => 0,
        None => guard::run(|| parts::add(hash, sizes.bytes())).unwrap_or(0),
    }
}

#[cold]
#[inline(never)]
fn new_signature(thread: &Thread, key: &Key) -> u32 {
    if thread.is_rehearsal() {
        return thread.give_untold_number(key).unwrap_or(UNNUMBERED);
    }
    // A lock is taken for what is new to all threads, or has no room: a thread whose signals come may leave it for ever.
    if let Some(number) = thread.give_number_at_once(key) {
        return number;
    }
    guard::run(|| {
        let (site, is_new) = site(key.address);
        // Objects may have been loaded since the program last called MPI from a new place.
        if is_new && layers::patch(&HANDED_DOWN.wrappers) {
            progress::ready();
        }
        thread.give_number(key, site)
    })
    .flatten()
    .unwrap_or(UNNUMBERED)
}

/// The number of the call site that returns to this address, and whether it was met for the first time.
fn site(address: u64) -> (u32, bool) {
    let mut shared = shared::lock();
    if let Some(number) = shared::known_site(address) {
        return (number, false);
    }
    let number = shared.add_site(address, |number| layers::describe(number, address));
    layers::new_languages().for_each(|language| shared.define(&Definition::Language(language)));
    (number, true)
}
