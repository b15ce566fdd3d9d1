//! What the program does between two calls of MPI by other libraries that are in the process already: teams of OpenMP,
//! accesses to files, and sleeps.
//!
//! Their functions are reached by the slots of the program and its libraries: nothing new is exported, and a program
//! without them has nothing to patch.

mod file_functions;
mod files;
mod library_calls;
mod library_functions;
mod library_slots;
mod openmp;
mod openmp_runtime;
mod sleep_functions;
mod sleeps;
mod team_threads;

/// Notes what is loaded before MPI is initialized.
pub fn begin() {
    library_slots::begin();
}

/// Patches what is loaded once MPI is initialized.
pub fn initialized() {
    openmp::ready();
    library_slots::initialized();
}

/// Patches the objects that were loaded since the last time.
pub fn ready() {
    openmp::ready();
    library_slots::ready();
}

/// Ends the recording of what the program does, since MPI is finalized.
pub fn end() {
    openmp::end();
    library_calls::end();
}
