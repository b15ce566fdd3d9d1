//! What the numbers of a thread's signatures mean to OTF2, looked up once for the thread.

use traces::calls::Call;
use traces::read::ThreadPages;
use traces::signature::{Signature, peer};

use super::kinds::{MPI, operation, role};
use super::referenced::Definitions;
use model::rank::function;
use model::roles::Flow;
use model::{Rank, Run};

/// What calls of one number have in common.
#[derive(Clone, Copy, Debug)]
pub struct EventMeaning {
    /// The region of the function.
    pub region: u32,
    /// Where it is called, where that is known.
    pub place: Option<u32>,
    /// The collective operation, where OTF2 has one.
    pub operation: Option<u8>,
    /// Its root, as the call names it; [`peer::NONE`] where it has none.
    pub root: i32,
}

/// Of a call of which nothing is known.
pub const UNKNOWN: EventMeaning = EventMeaning { region: 0, place: None, operation: None, root: peer::NONE };

/// Those of a thread.
pub fn of_thread(definitions: &mut Definitions, run: &Run, rank: &Rank, thread: &ThreadPages<'_>) -> Vec<EventMeaning> {
    thread.signatures.by_number(UNKNOWN, |signature, _| of(definitions, run, rank, signature))
}

/// That of a signature.
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
