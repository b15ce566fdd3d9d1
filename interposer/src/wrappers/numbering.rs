//! Finds the number of a call's signature, or gives one to a new signature. A new call site is defined, too.

use traces::definitions::Definition;
use traces::record::UNNUMBERED;

use super::HANDED_DOWN;
use crate::layers;
use crate::progress;
use crate::recorder::file::{parts, shared};
use crate::recorder::guard;
use crate::recorder::thread::Thread;
use crate::recorder::thread::element_counts::Parts;
use recorder_core::dictionary::Key;

/// The signature's number; [`UNNUMBERED`] if there was no room for it, and then the thread's block holds the signature.
#[inline(never)]
pub fn signature(thread: &Thread, key: &Key) -> u32 {
    match thread.number_of(key) {
        Some(number) => number,
        None => new_signature(thread, key),
    }
}

/// The number of the list of bytes that a call sends to each process; 0 if there is no room for it.
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
    // First without a lock, and so without blocking signals. A lock is only taken under `guard::run`: a signal handler
    // that leaves by longjmp would never release it.
    if let Some(number) = thread.give_number_at_once(key) {
        return number;
    }
    guard::run(|| {
        let (site, is_new) = site(key.address);
        // At a new call site, objects may have been loaded since the last one.
        if is_new && layers::patch(&HANDED_DOWN.wrappers) {
            progress::ready();
        }
        thread.give_number(key, site)
    })
    .flatten()
    .unwrap_or(UNNUMBERED)
}

/// The number of the call site with this return address, and whether it is new.
fn site(address: u64) -> (u32, bool) {
    let mut shared = shared::lock();
    if let Some(number) = shared::known_site(address) {
        return (number, false);
    }
    let number = shared.add_site(address, |number| layers::describe(number, address));
    layers::new_languages().for_each(|language| shared.define(&Definition::Language(language)));
    (number, true)
}
