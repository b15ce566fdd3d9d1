//! Findings on the origins of waiting: each part of the program that kept ranks waiting, unless another rule explains it.

use super::lateness::late_activities;
use super::{Evidence, Finding, FindingKind, late_ranks, slow_calls};
use crate::words::plural;
use model::origins::Activity;

/// All findings about late ranks, but for those that findings on calls explain already.
pub fn findings(known: &Evidence, of_calls: &[Finding]) -> Vec<Finding> {
    let late = late_activities(known);
    let computation = late.iter().filter(|late| matches!(late.activity, Activity::Between(..)));
    let mut findings: Vec<Finding> = Vec::new();
    let mut places: Vec<u64> = Vec::new();
    for finding in computation.map(late_ranks::finding) {
        match findings.iter().position(|main| is_alike(main, &finding)) {
            Some(at) => {
                findings[at].join(finding);
                places[at] += 1;
            }
            None => {
                findings.push(finding);
                places.push(0);
            }
        }
    }
    for (finding, more) in findings.iter_mut().zip(places).filter(|(_, more)| *more > 0) {
        let all = known.cost(finding.costs.unwrap_or(0.0));
        finding.add(&format!("With {} like this: {all}.", plural(more, "more place")));
    }
    findings.extend(late.iter().filter_map(slow_calls::finding));
    findings.retain(|finding| !of_calls.iter().any(|other| other.explains(finding)));
    findings
}

/// A rank that is late in the same way at several places is one finding.
fn is_alike(main: &Finding, other: &Finding) -> bool {
    matches!(main.kind, FindingKind::LateRank | FindingKind::SerialWork)
        && (main.kind, &main.ranks) == (other.kind, &other.ranks)
}
