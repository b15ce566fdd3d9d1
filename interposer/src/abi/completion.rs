//! Tells whether a request is complete without letting MPI make progress.
//!
//! MPICH has a function for tools that does this. In Open MPI, a word of the request object says it; the word's offset
//! differs between versions and builds, so the recorder finds it by watching a request of its own.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use traces::calls::Call;
use traces::definitions::CompletionTest;
use traces::file::Abi;

use super::Family;
use crate::real;

/// The test, with the function's address or the word's offset in bytes.
static TEST: OnceLock<(CompletionTest, usize)> = OnceLock::new();

/// Words of an Open MPI request that are searched.
const WORDS: usize = 40;
/// The word's value in a complete request. In a pending one it is 0 or the address of the waiting thread's object.
const COMPLETE: usize = 1;

/// Finds a test; `None` if there is none. Called in MPI_Init, since it may send a message to this rank itself.
pub fn learn(family: &Family) -> Option<CompletionTest> {
    if let Some((test, _)) = TEST.get() {
        return Some(*test);
    }
    let found = match family.abi {
        Abi::OpenMpi => (CompletionTest::Word, watch(family)?),
        _ => (CompletionTest::Function, real::library()?.find("PMPIX_Request_is_complete")?),
    };
    Some(TEST.get_or_init(|| found).0)
}

/// True if a request is complete; `false` if [`learn`] found no test.
///
/// # Safety
/// The request must be one that MPI has not freed.
pub unsafe fn is_complete(request: u64) -> bool {
    match TEST.get() {
        // SAFETY: by the contract.
        Some((CompletionTest::Function, function)) => unsafe { real::is_complete(*function, request) },
        // SAFETY: by the contract, it is the address of a request of Open MPI's.
        Some((CompletionTest::Word, offset)) => unsafe { word(request as usize + offset) == COMPLETE },
        None => false,
    }
}

/// Reads a word that other threads may change.
///
/// # Safety
/// The word must be mapped.
unsafe fn word(address: usize) -> usize {
    // SAFETY: by the contract, and words of Open MPI's objects are aligned.
    unsafe { AtomicUsize::from_ptr(address as *mut usize) }.load(Relaxed)
}

/// The offset of the word of a persistent request that is 1 before the start, 0 while pending, and 1 once complete.
fn watch(family: &Family) -> Option<usize> {
    let mut receive = 0u64;
    let (mut into, from) = ([0u8; 3], [0u8; 3]);
    let place = (&raw mut receive) as usize;
    let (byte, comm) = (family.byte as usize, family.comm_self as usize);
    let arguments = |buffer: usize, request: usize| [buffer, 3, byte, 0, TAG, comm, request];
    // SAFETY: MPI is initialized, the program has posted nothing yet, and the buffers outlive both requests.
    unsafe {
        if real::invoke(Call::Recv_init, arguments(into.as_mut_ptr() as usize, place)) != 0 {
            return None;
        }
        let snapshot =
            || -> [usize; WORDS] { std::array::from_fn(|at| word(receive as usize + at * size_of::<usize>())) };
        let inactive = snapshot();
        real::invoke(Call::Start, [place]);
        let pending = snapshot();
        let mut send = 0u64;
        real::invoke(Call::Isend, arguments(from.as_ptr() as usize, (&raw mut send) as usize));
        let mut arrived = 0i32;
        for _ in 0..TURNS {
            real::invoke(
                Call::Request_get_status,
                [receive as usize, (&raw mut arrived) as usize, family.status_ignore],
            );
            if arrived != 0 {
                break;
            }
        }
        let complete = snapshot();
        real::invoke(Call::Wait, [(&raw mut send) as usize, family.status_ignore]);
        real::invoke(Call::Wait, [place, family.status_ignore]);
        let mut words = inactive.into_iter().zip(pending).zip(complete);
        let at =
            words.position(|((inactive, pending), complete)| [inactive, pending, complete] == [COMPLETE, 0, COMPLETE]);
        real::invoke(Call::Request_free, [place]);
        at.map(|at| at * size_of::<usize>())
    }
}

/// The tag of the message to ourselves: in MPI_Init there is no other.
const TAG: usize = 0;
/// Limit on the polls until the message has arrived.
const TURNS: u32 = 100_000;
