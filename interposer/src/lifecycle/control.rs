//! `MPI_Pcontrol`, with the levels of mpiP: 0 stops recording, 1 resumes it, 2 resets it, 3 asks for a report.
//!
//! A trace goes on at every level, so that messages find their receives; it contains the levels, and the analyzer
//! leaves out the stretches in between. A profile has to be stopped and reset here.

use crate::clock;
use crate::recorder::file::header::Header;
use crate::recorder::file::shared;
use crate::recorder::file::totals;
use crate::recorder::guard;
use crate::recorder::process::counted;
use crate::recorder::thread::profile;

/// Carries out a call of `MPI_Pcontrol` with this level.
#[cold]
#[inline(never)]
pub fn ask(level: i32) {
    guard::run(|| match level {
        0 => stop(),
        1 => go_on(),
        2 => forget(),
        3.. => {
            if let Some(output) = shared::output() {
                output.sync();
            }
        }
        _ => {}
    });
}

fn stop() {
    let _shared = shared::lock();
    if counted::stop() {
        in_header(|header| header.profile_stops(clock::now()));
    }
}

fn go_on() {
    let _shared = shared::lock();
    if counted::go_on() {
        in_header(|header| header.profile_goes_on(clock::now()));
    }
}

fn forget() {
    let _shared = shared::lock();
    counted::forget();
    profile::forget();
    totals::forget();
    in_header(|header| header.profile_begins(clock::now(), counted::is_on()));
}

fn in_header(write: impl Fn(Header)) {
    if let Some(output) = shared::output() {
        write(output.header());
    }
}
