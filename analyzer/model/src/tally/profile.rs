//! Adds calls recorded only as counts and times.

use std::collections::HashMap;

use traces::error::Damage;
use traces::file::{ANY_SIGNATURE, ProfileEntry};
use traces::read::ThreadPages;
use traces::signature::{CREATES, Signature};

use super::{CallTotal, Tally};
use crate::selection::ProfilePart;

/// Adds the selected profile entries to the counted calls.
pub fn add(thread: &ThreadPages<'_>, part: ProfilePart, tally: &mut Tally) {
    let unnamed = tally.entries.iter().enumerate().filter(|(_, entry)| entry.part == 0);
    let known: HashMap<u32, usize> = unnamed.map(|(at, entry)| (entry.signature.number, at)).collect();
    for kept in thread.profile.iter().filter(|kept| kept.count > 0) {
        let signature = match kept.signature {
            ANY_SIGNATURE => Some(anonymous(kept)),
            number => thread.signatures.get(number).map(|(signature, _)| *signature),
        };
        let Some(signature) = signature else {
            let (thread, number, calls) = (thread.number, kept.signature, kept.count);
            tally.damage.push(Damage::NoSignature { thread, number, calls });
            continue;
        };
        if !part.counts(signature.call, kept.count) {
            tally.left_out += kept.engine;
            continue;
        }
        let more = entry(kept, signature);
        match known.get(&signature.number).filter(|_| signature.number != ANY_SIGNATURE) {
            Some(at) => tally.entries[*at].add(&more),
            None => tally.entries.push(more),
        }
    }
}

/// Sums of selected profile entries that tell only the function.
pub fn by_function(shared: &[ProfileEntry], part: ProfilePart) -> Vec<CallTotal> {
    let counted = shared.iter().filter(|kept| kept.count > 0 && part.counts(kept.call as u16, kept.count));
    counted.map(|kept| entry(kept, anonymous(kept))).collect()
}

fn entry(kept: &ProfileEntry, signature: Signature) -> CallTotal {
    let prepared = if signature.flags & CREATES == 0 { (0, 0) } else { signature.moves() };
    CallTotal {
        part: 0,
        signature,
        count: kept.count,
        open: 0,
        total: kept.total,
        min: kept.min,
        max: kept.max,
        failed: kept.failed as u64,
        sent: kept.sent,
        received: kept.received,
        prepared: (prepared.0.saturating_mul(kept.count), prepared.1.saturating_mul(kept.count)),
        starts: 0,
        engine: kept.engine,
    }
}

/// The signature of calls that tell only their function.
fn anonymous(kept: &ProfileEntry) -> Signature {
    Signature { number: ANY_SIGNATURE, call: kept.call as u16, ..Signature::EMPTY }
}
