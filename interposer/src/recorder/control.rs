//! What a program asks of its profiler by `MPI_Pcontrol`, by the meanings that mpiP gave the levels: 0 stops, 1 goes on, 2
//! forgets, 3 asks for a report.
//!
//! A trace goes on whatever is asked, so that messages find their receives: the level is in it, and whoever reads it leaves
//! out what is not wanted. A profile has to be stopped, and set back, here.

use std::sync::atomic::{AtomicU32, Ordering::*};

use traces::file::FileHeader;

use super::shared;
use super::slots;
use super::totals;
use crate::clock;

/// How often profiles were set back, and one more.
static GENERATION: AtomicU32 = AtomicU32::new(1);
/// The same, but 0 while they are stopped.
static COUNTED: AtomicU32 = AtomicU32::new(1);

/// What a request is to remember of when it was begun, for [`is_counted`].
#[inline(always)]
pub fn counted() -> u32 {
    COUNTED.load(Relaxed)
}

/// Whether profiles are not stopped.
#[inline(always)]
pub fn is_on() -> bool {
    counted() != 0
}

/// Whether what was begun when [`counted`] was this is in a profile.
#[inline(always)]
pub fn is_counted(counted: u32) -> bool {
    counted == GENERATION.load(Relaxed)
}

/// The program has called `MPI_Pcontrol` with this level.
#[cold]
#[inline(never)]
pub fn ask(level: i32) {
    shared::guard(|| match level {
        0 => stop(),
        1 => go_on(),
        2 => forget(),
        3.. => shared::output().into_iter().for_each(|output| output.sync()),
        _ => {}
    });
}

fn stop() {
    let _shared = shared::lock();
    if COUNTED.swap(0, Relaxed) != 0 {
        in_header(|header, now| header.profile_stopped_at = now);
    }
}

fn go_on() {
    let _shared = shared::lock();
    if COUNTED.swap(GENERATION.load(Relaxed), Relaxed) == 0 {
        in_header(|header, now| {
            header.profile_stopped += now.wrapping_sub(header.profile_stopped_at);
            header.profile_stopped_at = 0;
        });
    }
}

fn forget() {
    let _shared = shared::lock();
    let generation = GENERATION.fetch_add(1, Relaxed) + 1;
    let _ = COUNTED.fetch_update(Relaxed, Relaxed, |counted| (counted != 0).then_some(generation));
    slots::forget_profiles();
    totals::forget();
    in_header(|header, now| {
        (header.profile_begin, header.profile_stopped) = (now, 0);
        header.profile_stopped_at = if is_on() { 0 } else { now };
    });
}

/// A trace has ended, and a profile begins: it may be stopped already.
pub fn profile_begins(header: &mut FileHeader) {
    header.profile_stopped_at = if is_on() { 0 } else { header.stopped_at };
}

/// Writes it down where there is a profile.
fn in_header(write: impl FnOnce(&mut FileHeader, u64)) {
    let Some(output) = shared::output() else { return };
    // SAFETY: only called with the lock held.
    let header = unsafe { output.header() };
    if header.has_profile() {
        write(header, clock::now());
    }
}
