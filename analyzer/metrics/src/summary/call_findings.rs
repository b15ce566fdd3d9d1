//! The findings on how calls are used. Waiting that they cause is a part of their cost.

use super::slow_receivers::SlowReceivers;
use super::used_sites::UsedSite;
use super::{
    Evidence, Finding, FindingKind, by_hand, data_in_pieces, made_again, naps, needless_barrier, poll_waits, polling,
    progress, slow_receivers, small_collectives, small_epochs, small_jobs, small_messages, wrong_order,
};

pub fn findings(known: &Evidence, sites: &[UsedSite]) -> Vec<Finding> {
    let passed_over: Vec<Finding> = sites.iter().filter_map(|used| wrong_order::passed_over(used, sites)).collect();
    let slow: Vec<Option<SlowReceivers>> = sites.iter().map(SlowReceivers::of).collect();
    let mut findings = Vec::new();
    for (used, slow) in sites.iter().zip(&slow) {
        findings.extend(slow.as_ref().and_then(|slow| slow_receivers::finding(used, slow)));
    }
    findings.extend(wrong_order::waits(known));
    findings.extend(passed_over.iter().cloned());
    let mut others = Vec::new();
    for (used, slow) in sites.iter().zip(&slow) {
        // The search for each message is no price of sending it.
        let is_searched = || passed_over.iter().any(|of| of.is_worth_it(known) && of.sites == used.sites());
        match by_rule(used, sites) {
            Some(finding) if finding.kind == FindingKind::CollectiveByHand && is_searched() => {
                others.push((used, slow))
            }
            Some(finding) => findings.push(finding),
            None => others.push((used, slow)),
        }
    }
    findings.retain(|finding| finding.is_worth_it(known));
    let mut small = Vec::new();
    for (used, slow) in others {
        small.extend(small_messages::finding(used, slow.as_ref(), sites, &findings));
    }
    findings.extend(small);
    findings.extend(small_jobs::findings(known, sites));
    findings.extend(needless_barrier::findings(known, sites));
    findings.extend(progress::finding(known, sites));
    findings.retain(|finding| finding.is_worth_it(known));
    findings
}

/// The finding of the first of these rules that applies.
fn by_rule(used: &UsedSite, sites: &[UsedSite]) -> Option<Finding> {
    by_hand::finding(used)
        .or_else(|| small_epochs::finding(used, sites))
        .or_else(|| data_in_pieces::finding(used, sites))
        .or_else(|| small_collectives::finding(used))
        .or_else(|| naps::finding(used))
        .or_else(|| poll_waits::finding(used))
        .or_else(|| polling::finding(used))
        .or_else(|| made_again::finding(used, sites))
}
