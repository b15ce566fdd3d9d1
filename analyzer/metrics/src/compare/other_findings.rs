//! Names the findings of the first screen that only one side has.

use super::joined::Side;
use crate::summary::{Finding, FindingKind};
use tables::{Fact, Value, facts};

facts! {
    ONLY_A = "findings_of_a", Text, sometimes,
        "The first findings on A that B lacks; only of one run a side.";
    ONLY_B = "findings_of_b", Text, sometimes,
        "The first findings on B that A lacks; only of one run a side.";
}

/// Maximum number of findings that are told of a side.
const MOST: usize = 2;

/// The first findings on either side that the other one lacks.
pub fn only_one_has(a: &Side, b: &Side) -> Vec<Fact> {
    let ([a], [b]) = (a.as_slice(), b.as_slice()) else { return Vec::new() };
    let (Some(of_a), Some(of_b)) = (&a.findings, &b.findings) else { return Vec::new() };
    let mut facts = Vec::new();
    for (key, heading, own, others) in [(ONLY_A, "only A", of_a, of_b), (ONLY_B, "only B", of_b, of_a)] {
        let only = own.iter().filter(|finding| !others.iter().any(|other| is_same(finding, other)));
        let told: Vec<&str> = only.take(MOST).map(|finding| finding.headline.as_str()).collect();
        if !told.is_empty() {
            facts.push(Fact::new(key, heading, Value::Text(told.join(" "))));
        }
    }
    facts
}

/// True if two findings are the same one. Which ranks are hit by chance is no difference, which one always has more to do is. Sites,
/// which have one name on both sides by now, tell findings on calls apart.
fn is_same(one: &Finding, other: &Finding) -> bool {
    let is_of_ranks = matches!(one.kind, FindingKind::LateRank | FindingKind::SerialWork);
    let has_its_site = || one.sites.iter().any(|site| other.sites.contains(site));
    one.kind.key() == other.kind.key()
        && (!is_of_ranks || one.ranks == other.ranks)
        && (!one.kind.is_of_calls() || has_its_site())
}
