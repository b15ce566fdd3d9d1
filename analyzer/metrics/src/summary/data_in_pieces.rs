//! The finding on data in small pieces: calls that take far longer than to copy their bytes, where the run builds datatypes with gaps.
//!
//! A trace has a call's bytes but not how its datatype scatters them. The library copies a datatype with gaps piece by piece.

use super::eager_limit::COPIED;
use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Finding, FindingKind};
use crate::scheduling::by_host;
use crate::totals::seconds;
use crate::words::site_in_words;
use model::matching::scenario::RunChange;
use model::roles::{CallPart, Flow};
use tables::Value;
use traces::calls::Call;

limits! {
    /// At 10 GB/s larger messages take longer for their bytes (6 us) than for the call.
    LEAST_BYTES = 64 * 1024, Least, "bytes", Derived;
    /// Calls that take this many times as long as the copies into a buffer and out of it. On a quiet machine pieces of 8 bytes took 2.4 times under
    /// Open MPI and 12 times under MPICH (pieces_of_a_row), the same bytes side by side 0.4 times under both.
    SLOW = 2.0, Least, "times", Measured;
}

/// Functions that make datatypes which may have gaps.
const SCATTER: [Call; 12] = [
    Call::Type_vector,
    Call::Type_hvector,
    Call::Type_create_hvector,
    Call::Type_indexed,
    Call::Type_hindexed,
    Call::Type_create_hindexed,
    Call::Type_create_indexed_block,
    Call::Type_create_hindexed_block,
    Call::Type_struct,
    Call::Type_create_struct,
    Call::Type_create_subarray,
    Call::Type_create_darray,
];

/// `sites` are all call sites, including those that make datatypes.
pub fn finding(used: &UsedSite, sites: &[UsedSite]) -> Option<Finding> {
    let known = used.known;
    let (_, first) = used.ranks.first()?;
    let moves = match first.part {
        CallPart::Message { .. } => true,
        // Reductions also compute.
        CallPart::Collective { flow, .. } => {
            matches!(flow, Flow::All | Flow::FromRoot | Flow::ToRoot) && !reduces(used)
        }
        _ => false,
    };
    let [count, bytes] = [used.count(), used.bytes()];
    // A slow network takes as long for bytes that lie side by side; where ranks share cores, calls wait for these.
    if !moves || first.starts || bytes < LEAST_BYTES.count().saturating_mul(count) || known.shares_cores() {
        return None;
    }
    if by_host(known.run).len() > 1 {
        return None;
    }
    let makes = sites.iter().find(|site| site.call().is_some_and(|call| SCATTER.contains(&call)))?;
    let own = known.running_in_mpi() * seconds(used.own());
    let copied = COPIED * bytes as f64;
    let factor = own / copied.max(f64::MIN_POSITIVE);
    if factor < SLOW.get() {
        return None;
    }
    let costs = (own - copied) / known.ranks() as f64;
    let times = if factor < 9.95 { format!("{factor:.1}") } else { format!("{factor:.0}") };
    let headline = format!(
        "{} takes {times} times as long as to copy its bytes, which a datatype with gaps may scatter in small pieces.",
        used.place()
    );
    let each = |time: f64| Value::Seconds(time / count.max(1) as f64);
    let detail = format!(
        "A call takes {} for {}; to copy them in and out takes some {}. {} builds such a datatype.",
        each(own),
        Value::Bytes(bytes / count.max(1)),
        each(copied),
        site_in_words(makes.site)
    );
    let next = "Let what is sent lie side by side in an array of its own, so that it is contiguous, or describe it by longer pieces: the \
                library copies each by itself.";
    let places = used.sites().into_iter().chain(makes.sites());
    let finding = Finding::new(FindingKind::DataInPieces, "sites", headline).detail(detail).next(next);
    let changes = vec![RunChange::Calls(vec![used.number], 1.0 / factor)];
    Some(finding.costs(costs).changes(changes).sites(places.collect()))
}

fn reduces(used: &UsedSite) -> bool {
    used.call().is_some_and(|call| call.has(traces::calls::ArgumentKind::Op))
}
