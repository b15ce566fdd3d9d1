//! Processes by their ranks in `MPI_COMM_WORLD`, negative for those of another world.
//!
//! Where there is none, a session's process set `mpi://WORLD` has the same processes in the same order. Its group is asked for when
//! the session begins, and freed before it ends. Groups of several sessions must not be used together, so while more than
//! one is open nothing is said of who is in what.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use traces::calls::Call;
use traces::definitions::Span;

use crate::abi::Family;
use crate::real;

/// The group of `MPI_COMM_WORLD`; 0 where there is none.
static WORLD: AtomicU64 = AtomicU64::new(0);

/// MPI is initialized, and has a world.
pub fn begin(family: &Family) {
    WORLD.store(group(Call::Comm_group, family.comm_world), Relaxed);
}

/// MPI_COMM_WORLD is about to be gone; a session may go on.
pub fn end() {
    WORLD.store(0, Relaxed);
}

/// Sessions that are open, and their groups of all processes; 0 where there is none.
static SESSIONS: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

fn sessions() -> MutexGuard<'static, Vec<(u64, u64)>> {
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// MPI has given the program a session.
pub fn session_begins(session: u64) {
    let mut group = 0u64;
    if real::exists(Call::Group_from_session_pset) {
        let arguments = [session as usize, c"mpi://WORLD".as_ptr() as usize, &raw mut group as usize];
        // SAFETY: the session is open, and every one has this process set; a handle is written into zeros.
        let code = unsafe { real::invoke(Call::Group_from_session_pset, arguments) };
        group = if code == 0 { group } else { 0 };
    }
    sessions().push((session, group));
}

/// The program gives a session back.
pub fn session_ends(session: u64) {
    let mut sessions = sessions();
    let Some(at) = sessions.iter().position(|(open, _)| *open == session) else { return };
    let (_, mut group) = sessions.swap_remove(at);
    if group != 0 {
        // SAFETY: the group was made when the session began.
        unsafe { real::invoke(Call::Group_free, [&raw mut group as usize]) };
    }
}

/// This process's rank in the process set of all, and the size of that, where a session has just begun.
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

/// Lends the group of a communicator that `call` gets.
pub fn with_group<R>(call: Call, comm: u64, work: impl FnOnce(u64) -> R) -> R {
    let mut group = group(call, comm);
    let result = work(group);
    // SAFETY: the group was made above.
    unsafe { real::invoke(Call::Group_free, [&raw mut group as usize]) };
    result
}

/// All processes of a group; nothing where there is no world to number them by.
pub fn everyone(group: u64) -> Option<Vec<Span>> {
    let mut size = 0i32;
    // SAFETY: the group is valid.
    unsafe { real::invoke(Call::Group_size, [group as usize, &raw mut size as usize]) };
    some(group, &(0..size).collect::<Vec<i32>>())
}

/// Some processes of a group, by their ranks in that, or MPI_PROC_NULL; nothing where there is no world to number them by.
pub fn some(group: u64, ranks: &[i32]) -> Option<Vec<Span>> {
    let sessions = sessions();
    let world = match (WORLD.load(Relaxed), &sessions[..]) {
        (0, [(_, world)]) => *world,
        (world, _) => world,
    };
    if world == 0 {
        return None;
    }
    // MPI_PROC_NULL and MPI_UNDEFINED are negative everywhere.
    let ranks_only: Vec<i32> = ranks.iter().map(|rank| (*rank).max(0)).collect();
    let mut there = vec![-1i32; ranks.len()];
    let (from, to) = (ranks_only.as_ptr() as usize, there.as_mut_ptr() as usize);
    // SAFETY: the groups are valid, and there is room for as many ranks as are given.
    unsafe { real::invoke(Call::Group_translate_ranks, [group as usize, ranks.len(), from, world as usize, to]) };
    there.iter_mut().zip(ranks).for_each(|(there, rank)| *there = if *rank < 0 { -1 } else { (*there).max(-1) });
    Some(Span::all(&there))
}

fn group(call: Call, comm: u64) -> u64 {
    let mut group = 0u64;
    // SAFETY: the communicator is valid; a handle of 4 or 8 bytes is written into zeros.
    unsafe { real::invoke(call, [comm as usize, &raw mut group as usize]) };
    group
}
