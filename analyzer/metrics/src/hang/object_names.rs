//! Names of communicators, windows and files: one for all ranks, which number their objects each on its own.

use super::SeenRun;
use crate::words::{self, call_on, kind_in_words};
use traces::signature::Signature;

/// A call of a rank, with the run's name for its object: ranks number their objects each on its own.
pub fn call_in_words(seen: &SeenRun<'_>, at: usize, call: &Signature) -> String {
    call_on(seen.run, &seen.run.ranks[at], call, object_of(seen, at, call))
}

/// The run's name for the object of a rank's call; the rank's own name if the run has none.
pub fn object_of(seen: &SeenRun<'_>, at: usize, call: &Signature) -> String {
    match seen.standing.objects.number(at, call.object) {
        Some(object) => communicator(seen, object),
        None => words::object(&seen.run.ranks[at], call).0,
    }
}

/// The name of a communicator, window or file, or its number in the run if it has none.
pub fn communicator(seen: &SeenRun<'_>, object: u32) -> String {
    let (objects, run) = (&seen.standing.objects, seen.run);
    let group = &objects.groups[object as usize];
    if !group.name.is_empty() {
        return group.name.clone();
    }
    let kind = group.everybody().next().and_then(|at| {
        let own = &run.ranks[at as usize].objects;
        own.iter().find(|(own, _)| objects.number(at as usize, **own) == Some(object)).map(|(_, own)| own.kind)
    });
    format!("{} {object}", kind.map_or("communicator", kind_in_words))
}
