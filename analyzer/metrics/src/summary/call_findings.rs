//! The findings on how calls are used. Waiting that they cause is a part of their cost.

use super::drift::Drift;
use super::slow_receivers::SlowReceivers;
use super::untaken::Untaken;
use super::used_sites::UsedSite;
use super::{
    Evidence, Finding, FindingKind, by_hand, calls_behind, data_in_pieces, drift, leaks, made_again, naps,
    needless_barrier, passive_targets, poll_waits, polling, progress, slow_receivers, small_collectives, small_epochs,
    small_messages, there_and_back, wrong_order,
};

/// All findings; `refused` is the one on objects of which MPI made no more, if there is one.
pub fn findings(known: &Evidence, sites: &[UsedSite], refused: Option<&Finding>) -> Vec<Finding> {
    let passed_over: Vec<Finding> = sites.iter().filter_map(|used| wrong_order::passed_over(used, sites)).collect();
    let slow: Vec<Option<SlowReceivers>> = sites.iter().map(SlowReceivers::of).collect();
    let mut drifts = drift::drifts(known, sites);
    let untaken = Untaken::of(known, &drifts, &passed_over);
    let mut findings = untaken.findings.clone();
    leave_named(&mut drifts, &findings);
    if refused.is_none() {
        findings.extend(leaks::findings(known, sites, &drifts));
        leave_named(&mut drifts, &findings);
    }
    findings.extend(drift::findings(known, &drifts));
    // What lies there makes these calls long, not their number.
    let named: Vec<String> = findings.iter().chain(refused).flat_map(|finding| finding.sites.iter().cloned()).collect();
    let is_named = |used: &UsedSite| used.site.line().is_some_and(|line| named.contains(&line));
    for (used, slow) in sites.iter().zip(&slow) {
        findings.extend(slow.as_ref().and_then(|slow| slow_receivers::finding(used, slow)));
    }
    let in_order = wrong_order::waits(known).into_iter().chain(passed_over.iter().cloned());
    findings.extend(in_order.filter(|finding| !untaken.explains(finding)));
    let mut others = Vec::new();
    for (used, slow) in sites.iter().zip(&slow).filter(|(used, _)| !is_named(used)) {
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
    for (used, slow) in others.into_iter().filter(|(used, _)| !untaken.is_of(used)) {
        small.extend(small_messages::finding(used, slow.as_ref(), sites, &findings));
    }
    findings.extend(small);
    // A row of one line has its finding.
    let behind = calls_behind::findings(sites);
    let is_new = |one: &Finding| {
        !findings.iter().any(|other| other.kind == one.kind && one.sites.iter().any(|site| other.sites.contains(site)))
    };
    let new: Vec<Finding> = behind.into_iter().filter(is_new).collect();
    findings.extend(new);
    findings.extend(there_and_back::findings(known, sites));
    findings.extend(needless_barrier::finding(known, sites));
    findings.extend(progress::finding(known, sites));
    findings.extend(passive_targets::finding(known, sites));
    findings.retain(|finding| finding.is_worth_it(known));
    findings
}

/// Leaves out calls at lines that findings name.
fn leave_named(drifts: &mut Vec<Drift>, findings: &[Finding]) {
    let is_named = |line: &String| findings.iter().any(|finding| finding.sites.contains(line));
    drifts.retain(|drift| !drift.lines().iter().any(is_named));
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
