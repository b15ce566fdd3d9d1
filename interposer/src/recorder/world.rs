//! Processes by their ranks in `MPI_COMM_WORLD`, negative for those of another world.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use traces::calls::Call;
use traces::definitions::Span;

use crate::abi::Family;
use crate::real;

/// The group of `MPI_COMM_WORLD`; 0 where there is none.
static WORLD: AtomicU64 = AtomicU64::new(0);

/// MPI is initialised, and has a world.
pub fn begin(family: &Family) {
    WORLD.store(group(Call::Comm_group, family.comm_world), Relaxed);
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

/// Some processes of a group, by their ranks in that; nothing where there is no world to number them by.
pub fn some(group: u64, ranks: &[i32]) -> Option<Vec<Span>> {
    let world = WORLD.load(Relaxed);
    if world == 0 {
        return None;
    }
    let mut there = vec![-1i32; ranks.len()];
    let (from, to) = (ranks.as_ptr() as usize, there.as_mut_ptr() as usize);
    // SAFETY: the groups are valid, and there is room for as many ranks as are given.
    unsafe { real::invoke(Call::Group_translate_ranks, [group as usize, ranks.len(), from, world as usize, to]) };
    // MPI_UNDEFINED is negative everywhere.
    there.iter_mut().for_each(|rank| *rank = (*rank).max(-1));
    Some(Span::all(&there))
}

fn group(call: Call, comm: u64) -> u64 {
    let mut group = 0u64;
    // SAFETY: the communicator is valid; a handle of 4 or 8 bytes is written into zeros.
    unsafe { real::invoke(call, [comm as usize, &raw mut group as usize]) };
    group
}
