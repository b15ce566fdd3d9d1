//! Samples the threads that call MPI, by timers of their processor time.
//!
//! In: an unused real-time signal, which the timers send. Out: our [`handler`] calls
//! [`periods_ended`](Thread::periods_ended) for the thread. The program's own calls about signals leave this signal out.

mod handler;

use traces::definitions::Definition;

use crate::program_headers;
use crate::recorder::file::{sampled_paths, shared};
use crate::recorder::process::sampling;
use crate::recorder::thread::{Thread, current, slots};

/// Begins to sample threads whose recordings begin from here on.
pub fn begin(period: u64) {
    if is_under_valgrind() {
        let warning = "threads were not sampled (--sample): the program runs under valgrind, whose signals have no stack of their own";
        return shared::define(&Definition::Warning(warning.into()));
    }
    let Some(signal) = handler::install() else {
        let warning = "threads were not sampled (--sample): all real-time signals are in use";
        return shared::define(&Definition::Warning(warning.into()));
    };
    shared::define(&Definition::SamplingPeriod(period));
    sampling::begin(period, signal, handler::code());
    ready();
}

/// True under valgrind, which preloads a library of its own for each of its tools.
fn is_under_valgrind() -> bool {
    let is_tool = |path: &str| path.rsplit('/').next().is_some_and(|name| name.starts_with("vgpreload_"));
    program_headers::find(|object| is_tool(&object.name()).then_some(())).is_some()
}

/// Also prepares for objects that were loaded since.
pub fn ready() {
    sampled_paths::learn();
}

/// Ends the sampling of all threads, for good.
pub fn end() {
    if let Some(thread) = current::thread().filter(|thread| !thread.is_at_work()) {
        thread.work(true);
        Thread::samples_end(thread);
        thread.work(false);
    }
    slots::end_samples();
}
