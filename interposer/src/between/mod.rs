//! What the program does between two calls of MPI by other libraries that are in the process already.
//!
//! Their functions are reached by the slots of the program and its libraries: nothing new is exported, and a program
//! without them has nothing to patch.

mod openmp;
mod openmp_runtime;
mod team_threads;

/// Patches the objects that were loaded since the last time.
pub fn ready() {
    openmp::ready();
}

/// Ends the recording of what the program does, since MPI is finalized.
pub fn end() {
    openmp::end();
}
