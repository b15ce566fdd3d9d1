//! Finds the number of a call's signature, or gives one to a new signature. A new call site is defined, too.

use traces::definitions::{CalledFrom, Definition, SourcePlace};
use traces::record::UNNUMBERED;

use super::HANDED_DOWN;
use crate::between;
use crate::call_site::CallSite;
use crate::layers::{self, PathPlace};
use crate::program_signals;
use crate::progress;
use crate::recorder::file::shared::Shared;
use crate::recorder::file::{layouts, parts, shared};
use crate::recorder::guard;
use crate::recorder::process::path_limit;
use crate::recorder::thread::Thread;
use crate::recorder::thread::element_counts::{AmountLayout, Parts};
use crate::sampling;
use recorder_core::dictionary::Key;

/// The signature's number; [`UNNUMBERED`] if there was no room for it, and then the thread's block holds the signature.
#[inline(never)]
pub fn signature(thread: &Thread, key: &Key) -> u32 {
    match thread.number_of(key) {
        Some(number) => number,
        None => new_signature(thread, key),
    }
}

/// The site of an outermost call with its path.
pub fn on_path(thread: &Thread, site: CallSite) -> CallSite {
    match thread.on_known_path(site) {
        Some(known) => known,
        None if site.address() == 0 && !thread.is_rehearsal() => site,
        None => guard::run(|| on_new_path(thread, site)).unwrap_or(site),
    }
}

#[cold]
#[inline(never)]
fn on_new_path(thread: &Thread, site: CallSite) -> CallSite {
    let mut shared = shared::lock();
    if thread.is_rehearsal() {
        return thread.rehearse_path(&mut shared.unwinding, site);
    }
    let address = site.address() as u64;
    let python = if site.is_of_python() { layers::path(address) } else { None };
    let is_new = shared.is_new_place(address);
    let on_path = match python.filter(|path| !path.is_empty()) {
        Some(path) => of_python(thread, &mut shared, site, path),
        None => thread.unwind(&mut shared, site, |number| layers::describe(number, address)),
    };
    if is_new {
        layers::new_languages().for_each(|language| shared.define(&Definition::Language(language)));
        drop(shared);
        patch(if site.is_of_python() { 0 } else { site.address() });
    }
    on_path
}

/// The site of a call with its path in Python, which the site's number stands for.
fn of_python(thread: &Thread, shared: &mut Shared, site: CallSite, path: Vec<PathPlace>) -> CallSite {
    let is_cut = path.len() >= path_limit::frames();
    let mut caller = if is_cut { CalledFrom::Limit } else { CalledFrom::Start };
    let mut number = 0;
    for PathPlace { number: own, place } in path.into_iter().rev() {
        number = shared.site_on_path(own, caller, |site| Some(SourcePlace { site, ..place }));
        caller = CalledFrom::Site(number);
    }
    thread.remember_path(&mut shared.unwinding, site, number);
    CallSite::of_path(number)
}

/// Patches objects that may have been loaded since the last time. One that the loader is known to have relocated is at
/// this address; 0 for none.
pub fn patch(address: usize) {
    if layers::patch(&HANDED_DOWN.wrappers, address) {
        progress::ready();
        between::ready();
        program_signals::ready();
        sampling::ready();
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

/// The number of a layout of calls that hand out the list of bytes of number `parts`; that number if there is no room for it.
#[inline(never)]
pub fn layout(parts: u32, [sent, received]: &[AmountLayout<'_>; 2]) -> u32 {
    let hash = layouts::hash(parts, sent.elements(), received.elements());
    match layouts::known(hash) {
        Some(number) => number,
        None if !parts::has_room() => parts,
        None => guard::run(|| layouts::add(hash, parts, sent.elements(), received.elements())).unwrap_or(parts),
    }
}

#[cold]
#[inline(never)]
fn new_signature(thread: &Thread, key: &Key) -> u32 {
    if thread.is_rehearsal() {
        return thread.give_untold_number(key).unwrap_or(UNNUMBERED);
    }
    // First without a lock, and so without putting signals off. A lock is only taken under `guard::run`: a signal handler
    // that leaves by longjmp would never release it.
    if let Some(number) = thread.give_number_at_once(key) {
        return number;
    }
    guard::run(|| {
        let site = match shared::known_site(key.address) {
            Some(number) => number,
            None => new_site(key.address),
        };
        thread.give_number(key, site)
    })
    .flatten()
    .unwrap_or(UNNUMBERED)
}

/// Numbers the call site with this return address, unless another thread has.
fn new_site(address: u64) -> u32 {
    let mut shared = shared::lock();
    if let Some(number) = shared::known_site(address) {
        return number;
    }
    let mut is_of_python = false;
    let number = shared.add_site(address, |number| {
        let place = layers::describe(number, address);
        is_of_python = place.is_some();
        place
    });
    layers::new_languages().for_each(|language| shared.define(&Definition::Language(language)));
    drop(shared);
    patch(if is_of_python { 0 } else { address as usize });
    number
}
