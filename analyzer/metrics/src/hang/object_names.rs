//! Names of communicators, windows and files: one for all ranks, which number their objects each on its own.

use super::Findings;
use crate::words::{self, call_on, kind_in_words};
use traces::signature::Signature;

/// A call of a rank, with the run's name for its object: ranks number their objects each on its own.
pub fn call_in_words(findings: &Findings<'_>, at: usize, call: &Signature) -> String {
    call_on(findings.run, &findings.run.ranks[at], call, object_of(findings, at, call))
}

/// The run's name for the object of a rank's call; the rank's own name if the run has none.
pub fn object_of(findings: &Findings<'_>, at: usize, call: &Signature) -> String {
    match findings.standing.objects.number(at, call.object) {
        Some(object) => communicator(findings, object),
        None => words::object(&findings.run.ranks[at], call).0,
    }
}

/// The name of a communicator, window or file, or its number in the run if it has none.
pub fn communicator(findings: &Findings<'_>, object: u32) -> String {
    let (objects, run) = (&findings.standing.objects, findings.run);
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
