//! UCX: `ucp_worker_progress`, by which MPICH, MVAPICH and Open MPI's pml/ucx make progress.

use std::ffi::{c_uint, c_void};

use traces::definitions::Interception;

use super::{Achieved, Listener};
use crate::function::Function;

type Progress = unsafe extern "C-unwind" fn(*mut c_void) -> c_uint;

// SAFETY: its type, by ucp.h.
static PROGRESS: Function<Progress> = unsafe { Function::behind_ours("ucp_worker_progress") };
static LISTENER: Listener = Listener::new();

fn described() -> (Interception, String) {
    (Interception::Ucx, "ucp_worker_progress".into())
}

/// Gives the engine its line, so that the trace names it even if it is never entered.
pub fn ready() {
    if PROGRESS.exists() {
        LISTENER.line(described);
    }
}

/// Progresses a worker. Returns nonzero if anything was progressed (ucp.h).
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn ucp_worker_progress(worker: *mut c_void) -> c_uint {
    // SAFETY: passes on the caller's argument.
    let real = || unsafe { PROGRESS.get()(worker) };
    let Some(heard) = super::heard() else { return real() };
    let Some(line) = LISTENER.line(described) else { return real() };
    super::entry(heard, line, real, |events| Achieved::events(*events as u64))
}
