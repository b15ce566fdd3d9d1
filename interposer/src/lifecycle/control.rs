//! What a program asks of its profiler by `MPI_Pcontrol`, by the meanings that mpiP gave the levels: 0 stops, 1 goes on, 2
//! forgets, 3 asks for a report.
//!
//! A trace goes on whatever is asked, so that messages find their receives: the level is in it, and whoever reads it leaves
//! out what is not wanted. A profile has to be stopped, and set back, here.

use traces::file::FileHeader;

use crate::clock;
use crate::recorder::file::shared;
use crate::recorder::file::totals;
use crate::recorder::guard;
use crate::recorder::process::counted;
use crate::recorder::thread::slots;

/// The program has called `MPI_Pcontrol` with this level.
#[cold]
#[inline(never)]
pub fn ask(level: i32) {
    guard::run(|| match level {
        0 => stop(),
        1 => go_on(),
        2 => forget(),
        3.. => shared::output().into_iter().for_each(|output| output.sync()),
        _ => {}
    });
}

fn stop() {
    let _shared = shared::lock();
    if counted::stop() {
        in_header(|header, now| header.profile_stopped_at = now);
    }
}

fn go_on() {
    let _shared = shared::lock();
    if counted::go_on() {
        in_header(|header, now| {
            header.profile_stopped += now.wrapping_sub(header.profile_stopped_at);
            header.profile_stopped_at = 0;
        });
    }
}

fn forget() {
    let _shared = shared::lock();
    counted::forget();
    slots::forget_profiles();
    totals::forget();
    in_header(|header, now| {
        (header.profile_begin, header.profile_stopped) = (now, 0);
        header.profile_stopped_at = if counted::is_on() { 0 } else { now };
    });
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
