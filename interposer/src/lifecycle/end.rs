//! The end of a recording, when MPI is finalized or the process ends.

use std::path::Path;
use std::sync::atomic::Ordering::*;

use traces::calls::Call;

use super::last_words;
use super::run::{SESSIONS, WORLD, speaks_at_end};
use crate::clock;
use crate::config;
use crate::machine;
use crate::messages;
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

/// Runs after MPI or a session was finalized.
pub fn closed(call: Call) {
    let Some(output) = shared::output() else { return };
    if call == Call::Finalize {
        sampling::end();
    }
    let finalized = mark_end(output);
    output.save_all();
    // A finalized session is not the end: others may follow.
    if finalized && call == Call::Finalize && speaks_at_end() {
        last_words::say(output);
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
                output.save_all();
                if output.header().is_finalized() && speaks_at_end() {
                    last_words::say(output);
                }
            }
        }
        // A script or a launcher behind `env` or `timeout` may have started programs with MPI, which speak for themselves.
        DORMANT if config::recorded_process() == Some(std::process::id()) && !machine::had_children() => {
            messages::say(&format!(
                "{} ended without a call of MPI_Init that the recorder saw, so there is nothing to report",
                Path::new(&modules::executable()).file_name().unwrap_or_default().to_string_lossy()
            ));
        }
        _ => {}
    }
}
