//! Adds calls that were recorded only as counts and times, or whose records were dropped.

use std::collections::HashMap;

use traces::error::Damage;
use traces::file::{ANY_SIGNATURE, NESTED_CALLS, ProfileEntry};
use traces::read::ThreadPages;
use traces::signature::{CREATES, NESTED, Signature};

use super::counter::Correction;
use super::{CallTotal, Tally};
use crate::selection::ProfilePart;

/// Adds the selected entries to the counted calls; entries of dropped calls are corrected.
pub fn add(thread: &ThreadPages<'_>, part: ProfilePart, corrections: &HashMap<u32, Correction>, tally: &mut Tally) {
    let unnamed = tally.entries.iter().enumerate().filter(|(_, entry)| entry.part == 0);
    let known: HashMap<u32, usize> = unnamed.map(|(at, entry)| (entry.signature.number, at)).collect();
    let dropped = thread.dropped.iter().flat_map(|dropped| dropped.totals).map(|total| {
        let correction = corrections.get(&total.entry.signature).copied().unwrap_or_default();
        (total.entry, Correction { starts: correction.starts + total.starts, ..correction })
    });
    let counted = thread.profile.iter().map(|kept| (*kept, Correction::default())).chain(dropped);
    for (kept, correction) in counted.filter(|(kept, correction)| kept.count > 0 || correction.starts > 0) {
        let signature = match kept.signature {
            ANY_SIGNATURE => Some(anonymous(&kept)),
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
        let more = corrected(entry(&kept, signature), correction);
        match known.get(&signature.number).filter(|_| signature.number != ANY_SIGNATURE) {
            Some(at) => tally.entries[*at].add(&more),
            None => tally.entries.push(more),
        }
    }
}

/// Sums of selected profile entries that name only the function.
pub fn by_function(shared: &[ProfileEntry], part: ProfilePart) -> Vec<CallTotal> {
    let counted = shared.iter().filter(|kept| kept.count > 0 && part.counts(kept.call as u16, kept.count));
    counted.map(|kept| entry(kept, anonymous(kept))).collect()
}

/// Applies a correction. Failed calls moved nothing.
fn corrected(total: CallTotal, correction: Correction) -> CallTotal {
    let Correction { sent, received, failed, starts, engine } = correction;
    let (each, times) = (total.signature.moves(), failed.min(i64::MAX as u64) as i64);
    let void = |bytes: u64| (bytes as i64).saturating_mul(times);
    let creates = total.signature.flags & CREATES != 0;
    let moved = |bytes: u64, more: i64, each: u64| match creates {
        true => bytes,
        false => bytes.saturating_add_signed(more.saturating_sub(void(each))),
    };
    let mut corrected = CallTotal {
        failed: total.failed + failed,
        sent: moved(total.sent, sent, each.0),
        received: moved(total.received, received, each.1),
        starts,
        ..total
    };
    corrected.engine += engine;
    corrected
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

/// The signature of calls of which only the function is known.
fn anonymous(kept: &ProfileEntry) -> Signature {
    let flags = if kept.call & NESTED_CALLS == 0 { 0 } else { NESTED };
    Signature { number: ANY_SIGNATURE, call: kept.call as u16, flags, ..Signature::EMPTY }
}
