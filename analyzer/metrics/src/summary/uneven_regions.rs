//! The findings on parallel regions of OpenMP in which one thread works longer than the others.

use super::limits::limits;
use super::{Evidence, Finding, FindingKind};
use crate::teams::{Leader, TeamRow, regions};
use tables::Value;

limits! {
    /// Of the longest thread's work, what lies above the mean: in regions with even work, a few percent come from the machine.
    LEAST_UNEVEN = 0.1, Least, "of the longest thread's work", Convention;
}

pub fn findings(known: &Evidence, leaders: &[Leader<'_>]) -> Vec<Finding> {
    regions(known.run, leaders).rows.iter().filter_map(|row| finding(known, row)).collect()
}

fn finding(known: &Evidence, row: &TeamRow) -> Option<Finding> {
    let times = &row.times;
    if times.longest <= 0.0 || times.uneven() < LEAST_UNEVEN.get() * times.longest {
        return None;
    }
    let each = |seconds: f64| Value::Seconds(seconds / (times.count - times.unknown_count).max(1) as f64);
    let headline = format!(
        "The {} threads of the parallel region at {} work unevenly: the longest for {} each time, all for {} on average.",
        times.threads,
        row.place,
        each(times.longest),
        each(times.mean)
    );
    let next = "Divide the work more evenly, by another schedule (schedule(dynamic) or guided) or smaller pieces.";
    let finding = Finding::new(FindingKind::UnevenRegion, "teams", headline).next(next);
    Some(finding.costs(times.uneven() / known.ranks() as f64).sites(vec![row.place.clone()]))
}
