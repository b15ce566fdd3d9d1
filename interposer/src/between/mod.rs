//! What the program does between two calls of MPI by other libraries that are in the process already: teams of OpenMP, and
//! accesses to files.
//!
//! Their functions are reached by the slots of the program and its libraries: nothing new is exported, and a program
//! without them has nothing to patch.

mod file_functions;
mod file_slots;
mod files;
mod openmp;
mod openmp_runtime;
mod team_threads;

/// Notes what is loaded before MPI is initialized.
pub fn begin() {
    file_slots::begin();
}

/// Patches what is loaded once MPI is initialized.
pub fn initialized() {
    openmp::ready();
    file_slots::initialized();
}

/// Patches the objects that were loaded since the last time.
pub fn ready() {
    openmp::ready();
    file_slots::ready();
}

/// Ends the recording of what the program does, since MPI is finalized.
pub fn end() {
    openmp::end();
    files::end();
}
