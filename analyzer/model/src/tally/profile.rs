//! Adds calls recorded only as counts and times, or of which only these are left.

use std::collections::HashMap;

use traces::error::Damage;
use traces::file::{ANY_SIGNATURE, ProfileEntry};
use traces::read::ThreadPages;
use traces::signature::{CREATES, Signature};

use super::{CallTotal, Tally};
use crate::selection::ProfilePart;

/// Adds the selected entries to the counted calls. `corrected` are differences to the bytes that dropped calls have posted.
pub fn add(thread: &ThreadPages<'_>, part: ProfilePart, corrected: &HashMap<u32, i64>, tally: &mut Tally) {
    let unnamed = tally.entries.iter().enumerate().filter(|(_, entry)| entry.part == 0);
    let known: HashMap<u32, usize> = unnamed.map(|(at, entry)| (entry.signature.number, at)).collect();
    let dropped = thread.dropped.iter().flat_map(|dropped| dropped.totals).map(|total| (&total.entry, total.starts));
    let counted = thread.profile.iter().map(|kept| (*kept, 0)).chain(dropped);
    for (kept, starts) in counted.filter(|(kept, starts)| kept.count > 0 || *starts > 0) {
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
        let mut more = CallTotal { starts, ..entry(kept, signature) };
        more.received = more.received.saturating_add_signed(corrected.get(&kept.signature).copied().unwrap_or(0));
        match known.get(&signature.number).filter(|_| signature.number != ANY_SIGNATURE) {
            Some(at) => tally.entries[*at].add(&more),
            None => tally.entries.push(more),
        }
    }
}

/// Sums of selected profile entries that tell only the function.
pub fn by_function(shared: &[&ProfileEntry], part: ProfilePart) -> Vec<CallTotal> {
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
