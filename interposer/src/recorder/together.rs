//! All ranks of a launch come together before they do something that takes all of them.

use std::thread;
use std::time::{Duration, Instant};

use traces::calls::Call;

use super::objects;
use crate::abi::Family;
use crate::{messages, real};

/// How long the others may take before it is said that some are missing.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits until all processes of the world are in MPI_Init. One that is not recorded never comes, and where that may be the case,
/// the first rank and the last say so: where hosts or programs were left out, one of the two is recorded as a rule.
pub fn come(family: &Family, rank: u32) {
    // Before MPI 3 there is no way to wait and see.
    if !real::exists(Call::Ibarrier) {
        return;
    }
    let (mut request, mut done) = (0u64, 0i32);
    let size = objects::get(family.comm_world).map_or(0, |world| world.size);
    // SAFETY: MPI is initialised, and writes one handle.
    if unsafe { real::invoke(Call::Ibarrier, [family.comm_world as usize, &raw mut request as usize]) } != 0 {
        return;
    }
    let status = family.status_ignore;
    let mut late = Some(Instant::now() + PATIENCE);
    // SAFETY: the request is a live one until it is done.
    while unsafe { real::invoke(Call::Test, [&raw mut request as usize, &raw mut done as usize, status]) } == 0
        && done == 0
    {
        if late.take_if(|late| Instant::now() > *late).is_some() && (rank == 0 || rank + 1 == size) {
            messages::say(&format!(
                "rank {rank} has waited {} s in MPI_Init for all {size} ranks to be recorded. If some are not, it never returns: \
                 is the library preloaded on every host and in every program? overhear env says how",
                PATIENCE.as_secs()
            ));
        }
        thread::yield_now();
    }
}
