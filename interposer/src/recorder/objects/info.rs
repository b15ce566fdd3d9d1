//! The properties of an object that calls need, and queries of communicators.

use traces::calls::Call;

use crate::real;

/// A communicator, window or file.
#[derive(Clone, Copy)]
pub struct Info {
    /// The object's number in the trace.
    pub number: u32,
    /// Number of processes; of an intercommunicator, those in the remote group.
    pub size: u32,
    /// This process's rank.
    pub rank: i32,
    /// True for an intercommunicator.
    pub inter: bool,
    /// Number of neighbors in the topology that this process receives from and sends to.
    pub degrees: (u32, u32),
}

/// The properties of calls without an object.
pub const NO_OBJECT: Info = Info { number: 0, size: 0, rank: -1, inter: false, degrees: (0, 0) };

/// The integer that an MPI function `(MPI_Comm, ..., int *)` returns; 0 if it fails.
pub fn ask<const N: usize>(call: Call, comm: u64, between: [usize; N]) -> i32 {
    let mut answer = 0i32;
    const { assert!(N <= 2) }
    let mut arguments = [0; 4];
    let words = [comm as usize].into_iter().chain(between).chain([&raw mut answer as usize]);
    arguments.iter_mut().zip(words).for_each(|(argument, word)| *argument = word);
    // SAFETY: the communicator was just accepted by MPI; surplus arguments are ignored.
    let code = unsafe { real::invoke(call, arguments) };
    if code == 0 { answer } else { 0 }
}
