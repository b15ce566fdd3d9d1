//! The finding on requests that were waited for later although nothing could move them meanwhile.

use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::overlap;
use crate::totals::percent;
use model::sums::Total;

/// A smaller share of the requests, or fewer requests, are not reported.
const LEAST_PERCENT: f64 = 10.0;
const LEAST_REQUESTS: u64 = 10;
/// Waits that take a smaller share of the run leave nothing to hide.
const LEAST_SHARE: f64 = 0.01;

pub fn finding(known: &Evidence, sites: &[UsedSite]) -> Option<Finding> {
    let waits = sites.iter().filter(|used| used.completes()).map(UsedSite::own).total();
    // Ranks that share cores wait for cores, too, for an unknown time.
    if known.shares_cores() || known.mean(waits) < LEAST_SHARE * known.wall() {
        return None;
    }
    let all = known.requests?;
    let [requests, stalled] = [all.total(|lives| lives.requests), all.total(|lives| lives.stalled)];
    let share = percent(stalled as f64, requests as f64).filter(|share| *share >= LEAST_PERCENT)?;
    if stalled < LEAST_REQUESTS {
        return None;
    }
    let rows = overlap::postponed(all).rows;
    let row = rows.iter().max_by_key(|row| row.lives.stalled)?;
    let text = format!(
        "{share:.1} % of the nonblocking requests were waited for later with nothing entering MPI meanwhile, so their messages may \
         not have moved; most are posted at {}.",
        row.place.site
    );
    Some(
        Finding::new(FindingKind::NoOverlap, "overlap", text)
            .next("Call MPI_Test between post and wait, and see by the table whether more is hidden."),
    )
}
