//! Charges each time to one finding: the costs of the program's findings add up to no more than the ranks' time in MPI, but for polls,
//! parallel regions, files and the kernel: their time lies outside.

use super::{Evidence, Finding, FindingKind};

/// Limits costs to the time in MPI that the findings before them leave. What costs most comes first; what only totals show comes behind
/// that, and last the time that nothing explains.
pub fn charge_once(known: &Evidence, all: &mut [Finding]) {
    let order = |finding: &Finding| match finding.kind {
        FindingKind::Transfer => 2,
        FindingKind::LateRank if finding.sites.is_empty() => 1,
        _ => 0,
    };
    let costs = |finding: &Finding| finding.costs.unwrap_or(0.0);
    all.sort_by(|a, b| order(a).cmp(&order(b)).then(costs(b).total_cmp(&costs(a))));
    let mut left = known.in_mpi();
    // Between two polls a rank waits outside MPI, a team works there, and files and the kernel are there.
    let is_outside = |kind| {
        use FindingKind::{FileTime, KernelTime, Polling, UnevenRegion};
        matches!(kind, Polling | UnevenRegion | KernelTime | FileTime)
    };
    let is_in_mpi = |finding: &&mut Finding| !(finding.kind.is_about_the_run() || is_outside(finding.kind));
    for finding in all.iter_mut().filter(is_in_mpi) {
        finding.costs = finding.costs.map(|costs| costs.min(left));
        left -= finding.costs.unwrap_or(0.0);
    }
}
