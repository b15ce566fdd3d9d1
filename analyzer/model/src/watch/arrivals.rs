//! Finds the ranks that have reached a rank's collective call, and those that a rank waits for in a call that it has been in for a
//! while.
//!
//! Only calls that name their partners show this: messages to and from a rank, collective calls, and completions of all
//! pending requests. A rank that polls may compute between two calls, so it does not count as waiting.

use rustc_hash::FxHashMap;
use traces::calls::{Call, Class};
use traces::signature::Signature;

use super::RankView;
use super::account::KnownCall;
use crate::objects::Objects;
use crate::roles::Flow;
use crate::standing::{CollectiveKind, Made, Reach, Spot};

/// A rank's part in the collective call that it is in.
struct Part {
    /// The run's number for the object.
    object: u32,
    /// Number of the rank's earlier collective calls on it.
    ordinal: u64,
    kind: CollectiveKind,
}

/// Ranks that have reached a collective call, and ranks that it lacks.
pub struct Arrivals {
    pub came: u64,
    pub of: u64,
    /// Places of the ranks that have not arrived and that the call waits for on this rank: all, or only the root.
    pub absent: Vec<u32>,
}

/// Finds the arrivals at each rank's collective call. `made` is by the rank's own numbers for objects.
pub fn arrivals(views: &[RankView], made: &[&FxHashMap<u32, Made>], objects: &Objects) -> Vec<Option<Arrivals>> {
    let made = of_run(made, objects);
    let parts: Vec<Option<Part>> = (0..).zip(views).map(|(at, view)| part(at, &view.spot, &made, objects)).collect();
    let came = |(at, part): (usize, &Part)| {
        let group = &objects.groups[part.object as usize];
        let has_come = |rank: &u32| {
            let open = parts[*rank as usize].as_ref().filter(|other| other.object == part.object);
            let made = made.get(&(*rank, part.object)).copied();
            Reach { made, open: open.map(|other| other.kind) }.has_come_to(part.ordinal, &part.kind)
        };
        let (here, absent): (Vec<u32>, Vec<u32>) = group.everybody().partition(has_come);
        let root = part.kind.root.and_then(|root| group.peer(at, root)).filter(|root| *root != at as u32);
        let is_needed = |rank: &u32| root.is_none_or(|root| root == *rank);
        let absent = absent.into_iter().filter(is_needed).collect();
        Arrivals { came: here.len() as u64, of: group.size(), absent }
    };
    let arrivals = |(at, part): (usize, &Option<Part>)| Some(came((at, part.as_ref()?))).filter(|all| all.of > 1);
    parts.iter().enumerate().map(arrivals).collect()
}

/// Collective calls by place of the rank and the run's number for the object.
fn of_run<'a>(made: &[&'a FxHashMap<u32, Made>], objects: &Objects) -> FxHashMap<(u32, u32), &'a Made> {
    let of = |(at, all): (u32, &&'a FxHashMap<u32, Made>)| {
        all.iter().filter_map(move |(own, made)| Some(((at, objects.number(at as usize, *own)?), made)))
    };
    (0..).zip(made).flat_map(of).collect()
}

fn part(at: u32, spot: &Spot, made: &FxHashMap<(u32, u32), &Made>, objects: &Objects) -> Option<Part> {
    let Spot::Inside(call, _) = spot else { return None };
    let kind = KnownCall::of(call).collective?;
    let object = objects.number(at as usize, call.object)?;
    let ordinal = made.get(&(at, object)).map_or(0, |made| made.count);
    Some(Part { object, ordinal, kind })
}

/// Places of the ranks that the rank at `at` waits for.
pub fn awaited_ranks(at: usize, view: &RankView, arrivals: Option<Arrivals>, objects: &Objects) -> Vec<u32> {
    let Some(call) = view.spot.call().filter(|_| view.stays()) else { return Vec::new() };
    let function = Call::from_number(call.call);
    let mut awaited = match (arrivals, function.map(Call::class)) {
        // In these calls, a rank needs only some of the others.
        (Some(_), _) if matches!(function.and_then(Flow::of), Some(Flow::Neighbors | Flow::Prefix)) => Vec::new(),
        (Some(arrivals), _) => arrivals.absent,
        (None, Some(Class::PointToPoint | Class::Probe)) => partners(at, call, objects),
        (None, Some(Class::Completion)) if u64::from(call.requests.max(1)) >= view.pending => {
            let all = view.requests.iter().flat_map(|request| partners(at, &request.call, objects));
            // The partners of requests that are not listed are unknown.
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
