//! Maps the signatures of a thread to OTF2's definitions, once per thread.

use traces::calls::Call;
use traces::read::ThreadPages;
use traces::signature::{Signature, peer};

use super::kinds::{MPI, operation, role};
use super::referenced::Definitions;
use model::rank::function;
use model::roles::Flow;
use model::{Rank, Run};

/// Definitions that all calls of a signature share.
#[derive(Clone, Copy, Debug)]
pub struct EventMeaning {
    /// Region of the function.
    pub region: u32,
    /// Source location of the call site, if known.
    pub place: Option<u32>,
    /// Collective operation, if OTF2 has one.
    pub operation: Option<u8>,
    /// The root as in the call; [`peer::NONE`] without a root.
    pub root: i32,
}

/// Stands for an unknown signature.
pub const UNKNOWN: EventMeaning = EventMeaning { region: 0, place: None, operation: None, root: peer::NONE };

/// Meanings of a thread's signatures, by number.
pub fn of_thread(definitions: &mut Definitions, run: &Run, rank: &Rank, thread: &ThreadPages<'_>) -> Vec<EventMeaning> {
    thread.signatures.by_number(UNKNOWN, |signature, _| of(definitions, run, rank, signature))
}

pub fn of(definitions: &mut Definitions, run: &Run, rank: &Rank, signature: &Signature) -> EventMeaning {
    let call = Call::from_number(signature.call);
    let place = (signature.site != 0).then(|| match run.sites.innermost(rank, signature.site) {
        Some((_, file, line)) if !file.is_empty() => definitions.place(file, line),
        _ => definitions.place(&run.sites.name(rank, signature.site), 0),
    });
    let has_root = call.and_then(Flow::of).is_some_and(Flow::has_root);
    EventMeaning {
        region: definitions.region(&function(signature), role(call), MPI),
        place,
        operation: call.and_then(operation),
        root: if has_root { signature.peer } else { peer::NONE },
    }
}
