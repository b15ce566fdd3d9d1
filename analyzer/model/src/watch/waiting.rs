//! Finds the ranks that a rank waits for in the call that it has been in for a while.
//!
//! Only calls that name their partners tell: messages to and from a rank, collective calls, and completions of all that is
//! pending. A rank that polls may compute between two calls, so it does not count as waiting.

use traces::calls::{Call, Class};
use traces::signature::Signature;

use super::RankView;
use super::arrivals::Arrivals;
use crate::objects::Objects;
use crate::roles::Flow;

/// Places of the ranks that the rank at `at` waits for.
pub fn of(at: usize, view: &RankView, arrivals: Option<Arrivals>, objects: &Objects) -> Vec<u32> {
    let Some(call) = view.spot.call().filter(|_| view.stays()) else { return Vec::new() };
    let function = Call::from_number(call.call);
    let mut awaited = match (arrivals, function.map(Call::class)) {
        // Of these a rank needs only some of the others.
        (Some(_), _) if matches!(function.and_then(Flow::of), Some(Flow::Neighbors | Flow::Prefix)) => Vec::new(),
        (Some(arrivals), _) => arrivals.absent,
        (None, Some(Class::PointToPoint | Class::Probe)) => partners(at, call, objects),
        (None, Some(Class::Completion)) if u64::from(call.requests.max(1)) >= view.pending => {
            let all = view.requests.iter().flat_map(|request| partners(at, &request.call, objects));
            // The others' partners are unknown.
            if view.requests.len() as u64 == view.pending { all.collect() } else { Vec::new() }
        }
        _ => Vec::new(),
    };
    awaited.retain(|rank| *rank != at as u32);
    awaited.sort_unstable();
    awaited.dedup();
    let needs_one = matches!(function, Some(Call::Waitany | Call::Waitsome));
    if needs_one && awaited.len() > 1 { Vec::new() } else { awaited }
}

/// Places of the ranks that a message goes to or comes from.
fn partners(at: usize, call: &Signature, objects: &Objects) -> Vec<u32> {
    let Some(object) = objects.number(at, call.object) else { return Vec::new() };
    let is_message =
        Call::from_number(call.call).is_some_and(|call| matches!(call.class(), Class::PointToPoint | Class::Probe));
    let group = &objects.groups[object as usize];
    // MPI_ANY_SOURCE and the like are negative, and no rank.
    [call.peer, call.source].into_iter().filter(|_| is_message).filter_map(|rank| group.peer(at, rank)).collect()
}
