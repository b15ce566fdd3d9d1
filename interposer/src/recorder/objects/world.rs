//! Translates processes to their ranks in `MPI_COMM_WORLD`, which are negative for those of another world.
//!
//! Without MPI_COMM_WORLD, a session's process set `mpi://WORLD` has the same processes in the same order. Its group is
//! made when the session begins, and freed before it ends. Groups of several sessions must not be used together, so
//! while more than one is open, members are unknown.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use traces::calls::Call;
use traces::definitions::Span;

use crate::abi::Family;
use crate::real;

/// The group of `MPI_COMM_WORLD`, 0 if there is none.
static WORLD: AtomicU64 = AtomicU64::new(0);

/// Gets the group of MPI_COMM_WORLD.
pub fn begin(family: &Family) {
    WORLD.store(group(Call::Comm_group, family.comm_world), Relaxed);
}

/// Forgets the group of MPI_COMM_WORLD, which is about to end; a session may go on.
pub fn end() {
    WORLD.store(0, Relaxed);
}

/// The open sessions, with their groups of `mpi://WORLD`; 0 if a session has none.
static SESSIONS: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

fn sessions() -> MutexGuard<'static, Vec<(u64, u64)>> {
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gets the group of a new session.
pub fn session_begins(session: u64) {
    let mut group = 0u64;
    if real::exists(Call::Group_from_session_pset) {
        let arguments = [session as usize, c"mpi://WORLD".as_ptr() as usize, &raw mut group as usize];
        // SAFETY: the session is open, and every session has this process set; a handle is written into zeros.
        let code = unsafe { real::invoke(Call::Group_from_session_pset, arguments) };
        group = if code == 0 { group } else { 0 };
    }
    sessions().push((session, group));
}

/// Frees the group of a session that is about to be finalized.
pub fn session_ends(session: u64) {
    let mut sessions = sessions();
    let Some(at) = sessions.iter().position(|(open, _)| *open == session) else { return };
    let (_, mut group) = sessions.swap_remove(at);
    if group != 0 {
        // SAFETY: the group was made when the session began.
        unsafe { real::invoke(Call::Group_free, [&raw mut group as usize]) };
    }
}

/// This process's rank in `mpi://WORLD` of the newest session, and the size of that process set.
pub fn of_session() -> Option<(u32, u32)> {
    let sessions = sessions();
    let (_, group) = sessions.last().filter(|(_, group)| *group != 0)?;
    let ask = |call| {
        let mut answer = -1i32;
        // SAFETY: the group is valid, and an int is written.
        let code = unsafe { real::invoke(call, [*group as usize, &raw mut answer as usize]) };
        u32::try_from(answer).ok().filter(|_| code == 0)
    };
    Some((ask(Call::Group_rank)?, ask(Call::Group_size)?))
}

/// Passes a group of a communicator, as `call` returns it, to `work`.
pub fn with_group<R>(call: Call, comm: u64, work: impl FnOnce(u64) -> R) -> R {
    let mut group = group(call, comm);
    let result = work(group);
    // SAFETY: the group was made above.
    unsafe { real::invoke(Call::Group_free, [&raw mut group as usize]) };
    result
}

/// All processes of a group; `None` if there is no world to number them by.
pub fn everyone(group: u64) -> Option<Vec<Span>> {
    let mut size = 0i32;
    // SAFETY: the group is valid.
    unsafe { real::invoke(Call::Group_size, [group as usize, &raw mut size as usize]) };
    some(group, &(0..size).collect::<Vec<i32>>())
}

/// Some processes of a group, given by their ranks in it or MPI_PROC_NULL; `None` if there is no world to number them
/// by.
pub fn some(group: u64, ranks: &[i32]) -> Option<Vec<Span>> {
    let sessions = sessions();
    let world = match (WORLD.load(Relaxed), &sessions[..]) {
        (0, [(_, world)]) => *world,
        (world, _) => world,
    };
    if world == 0 {
        return None;
    }
    // MPI_PROC_NULL and MPI_UNDEFINED are negative in every MPI.
    let ranks_only: Vec<i32> = ranks.iter().map(|rank| (*rank).max(0)).collect();
    let mut there = vec![-1i32; ranks.len()];
    let (from, to) = (ranks_only.as_ptr() as usize, there.as_mut_ptr() as usize);
    // SAFETY: the groups are valid, and there is room for as many ranks as are given.
    unsafe { real::invoke(Call::Group_translate_ranks, [group as usize, ranks.len(), from, world as usize, to]) };
    for (there, rank) in there.iter_mut().zip(ranks) {
        *there = if *rank < 0 { -1 } else { (*there).max(-1) };
    }
    Some(Span::all(&there))
}

fn group(call: Call, comm: u64) -> u64 {
    let mut group = 0u64;
    // SAFETY: the communicator is valid; a handle of 4 or 8 bytes is written into zeros.
    unsafe { real::invoke(call, [comm as usize, &raw mut group as usize]) };
    group
}
