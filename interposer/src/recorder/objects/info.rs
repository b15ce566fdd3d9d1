//! What is known of an object, and how a communicator is asked about itself.

use traces::calls::Call;

use crate::real;

/// What a call needs to know of the object it works on.
#[derive(Clone, Copy)]
pub struct Info {
    /// Its number in the trace.
    pub number: u32,
    /// Processes in it; in the remote group of an intercommunicator.
    pub size: u32,
    /// The process's rank in it.
    pub rank: i32,
    /// Whether it is an intercommunicator.
    pub inter: bool,
    /// Neighbors it receives from and sends to, in its topology.
    pub degrees: (u32, u32),
}

/// What is known where there is no object.
pub const NO_OBJECT: Info = Info { number: 0, size: 0, rank: -1, inter: false, degrees: (0, 0) };

/// The integer a function `(MPI_Comm, ..., int *)` writes, 0 where it fails.
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
