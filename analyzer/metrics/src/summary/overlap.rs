//! The finding on requests that are waited for after computation in which nothing could move them.
//!
//! The cost is the part of the waits that such computation could have hidden: a wait hides no more than the computation before it.

use super::limits::limits;
use std::collections::BTreeMap;

use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::median::median;
use crate::totals::percent;
use model::overlap::{Lives, RequestLife};
use model::sums::Total;

limits! {
    /// A smaller share of the requests is not reported.
    LEAST_PERCENT = 10.0, Least, "percent", Convention;
    /// Fewer requests may be a start or an end of the run.
    LEAST_REQUESTS = 10.0, Least, "requests", Convention;
    /// Waits that take a smaller share of the run leave nothing to hide.
    LEAST_SHARE_OF_WAITS = 0.01, Least, "of the run", Convention;
    /// Nanoseconds. Less time between post and wait is no work of the program: other requests are posted, a buffer is filled.
    LEAST_WORK = 50_000, Least, "ns", Convention;
}

pub fn finding(known: &Evidence, sites: &[UsedSite]) -> Option<Finding> {
    let waiting: Vec<&UsedSite> = sites.iter().filter(|used| used.completes()).collect();
    let waits = waiting.iter().map(|used| used.own()).total();
    // Ranks that share cores wait for cores, too, for an unknown time.
    if known.shares_cores() || known.mean(waits) < LEAST_SHARE_OF_WAITS.get() * known.wall() {
        return None;
    }
    let all = known.requests?;
    let stalled: Vec<(&str, Stalled)> =
        all.lives.iter().map(|((place, _), lives)| (place.site.as_str(), Stalled::of(lives))).collect();
    let late: f64 = stalled.iter().map(|(_, stalled)| stalled.requests).sum();
    let requests = all.total(|lives| lives.requests) as f64;
    let share = percent(late, requests).filter(|share| *share >= LEAST_PERCENT.get())?;
    if late < LEAST_REQUESTS.get() {
        return None;
    }
    // A call that waits for several requests counts once.
    let calls = waiting.iter().map(|used| used.count()).total();
    let requests_of_a_call = (requests / calls.max(1) as f64).max(1.0);
    let hidden: f64 = stalled.iter().map(|(_, stalled)| stalled.requests * stalled.hidden).sum();
    let costs = known.mean(waits.min((hidden / requests_of_a_call) as i64));
    let mut sites: BTreeMap<&str, f64> = BTreeMap::new();
    for (site, stalled) in &stalled {
        *sites.entry(site).or_default() += stalled.requests;
    }
    let (site, _) = sites.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let text = format!(
        "{share:.1} % of the nonblocking requests are waited for after computation in which nothing enters MPI, so their messages may \
         not have moved; most are posted at {site}."
    );
    let finding = Finding::new(FindingKind::NoOverlap, "overlap", text);
    let next = "Call MPI_Test between post and wait, and see in the table whether more is hidden.";
    Some(finding.next(next).costs(costs))
}

/// Requests of one place and size that computation kept from moving.
struct Stalled {
    requests: f64,
    /// Nanoseconds of a wait that the computation before it could have hidden, median.
    hidden: f64,
}

impl Stalled {
    fn of(lives: &Lives) -> Stalled {
        let is_late = |life: &&RequestLife| !life.at_once && !life.progressed;
        let late: Vec<&RequestLife> = lives.of_postponed.values().filter(is_late).collect();
        let worked: Vec<&RequestLife> =
            late.iter().filter(|life| life.computing() >= LEAST_WORK.count()).copied().collect();
        let hidden = median(worked.iter().map(|life| life.computing().min(life.waiting) as f64)).unwrap_or(0.0);
        // Lives are a sample if there are many.
        let share = worked.len() as f64 / late.len().max(1) as f64;
        Stalled { requests: share * lives.stalled as f64, hidden }
    }
}
