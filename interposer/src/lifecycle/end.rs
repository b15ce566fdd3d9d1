//! The end of a recording, when MPI is finalized or the process ends.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::*};

use traces::calls::Call;
use traces::run_notes;

use super::folder;
use super::last_words;
use super::run::{SESSIONS, WORLD, speaks};
use super::unrecorded;
use crate::between;
use crate::clock;
use crate::config;
use crate::machine;
use crate::notes;
use crate::recorder::file::modules;
use crate::recorder::file::pages::Output;
use crate::recorder::file::shared;
use crate::recorder::process::forked::{DORMANT, HERE, RECORDING};
use crate::recorder::thread::current;
use crate::sampling;

/// Notes in the file if MPI is finalized. Returns true if it is.
pub fn mark_end(output: &Output) -> bool {
    let _alone = shared::lock();
    let finalized = !WORLD.load(Acquire) && SESSIONS.load(Acquire) == 0;
    output.header().finalized(finalized.then(clock::sample));
    finalized
}

/// Runs before MPI or a session begins, which may come after others were finalized, and crash.
pub fn unmark() {
    if let Some(output) = shared::output() {
        let _alone = shared::lock();
        output.header().finalized(None);
    }
}

/// Runs after MPI or a session was finalized.
pub fn closed(call: Call) {
    let Some(output) = shared::output() else { return };
    if call == Call::Finalize {
        sampling::end();
        between::end();
    }
    let finalized = mark_end(output);
    notes::write();
    output.save_all();
    tell_lost_file(output);
    // A finalized session is not the end: others may follow.
    if finalized && call == Call::Finalize && speaks() {
        last_words::say(output);
    }
}

/// Leaves a message in the run's folder if somebody has taken the file out of it.
fn tell_lost_file(output: &Output) {
    static IS_TOLD: AtomicBool = AtomicBool::new(false);
    let path = output.file.path();
    if !output.file.is_at(&path) && !IS_TOLD.swap(true, Relaxed) {
        let message = format!("{} was moved or removed while its process recorded into it", path.display());
        let _ = run_notes::leave_message(folder::parent_of(&path), &message);
    }
}

/// Runs when the process ends.
pub fn process_ends() {
    match HERE.phase.load(Acquire) {
        RECORDING => {
            if let Some(output) = shared::output() {
                sampling::end();
                if let Some(thread) = current::thread() {
                    thread.ends_with_process();
                }
                notes::write();
                output.save_all();
                if output.header().is_finalized() && speaks() {
                    last_words::say(output);
                }
            }
        }
        // A script or a launcher behind `env` or `timeout` may have started programs with MPI, which speak for themselves.
        DORMANT if config::recorded_process() == Some(std::process::id()) && !machine::had_children() => {
            unrecorded::tell(&format!(
                "{} ended without a call of MPI_Init that the recorder saw, so there is nothing to report",
                Path::new(&modules::executable()).file_name().unwrap_or_default().to_string_lossy()
            ));
        }
        _ => {}
    }
}
