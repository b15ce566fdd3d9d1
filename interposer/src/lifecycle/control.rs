//! What a program asks of its profiler by `MPI_Pcontrol`, by the meanings that mpiP gave the levels: 0 stops, 1 goes on, 2
//! forgets, 3 asks for a report.
//!
//! A trace goes on whatever is asked, so that messages find their receives: the level is in it, and whoever reads it leaves
//! out what is not wanted. A profile has to be stopped, and set back, here.

use crate::clock;
use crate::recorder::file::header::Header;
use crate::recorder::file::shared;
use crate::recorder::file::totals;
use crate::recorder::guard;
use crate::recorder::process::counted;
use crate::recorder::thread::profile;

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
    shared::output().into_iter().for_each(|output| write(output.header()));
}
