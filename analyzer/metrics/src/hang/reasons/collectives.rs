//! Collective calls that not all ranks come to.

use std::collections::BTreeMap;

use super::{Reason, ReasonRow, agree, communicator, names, stands};
use crate::hang::Findings;
use crate::words::rank_in_words;
use model::rank::function_of;
use model::standing::{CollectivePart, Position};
use model::wait_for::missing;

/// Collective calls that some ranks do not come to, or come to with another call.
pub fn add(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let (run, standing) = (findings.run, findings.standing);
    let mut calls: BTreeMap<(u32, u64, u16), (CollectivePart, Vec<usize>)> = BTreeMap::new();
    for at in findings.waiting() {
        for part in standing.ranks[at].collectives() {
            calls.entry((part.object, part.ordinal, part.function)).or_insert_with(|| (part, Vec::new())).1.push(at);
        }
    }
    for (part, here) in calls.into_values() {
        let group = &standing.objects.groups[part.object as usize];
        let call = format!(
            "{}, collective call {} of {}",
            function_of(part.function),
            part.ordinal + 1,
            communicator(findings, part.object)
        );
        let missing = missing(standing, &part);
        let (other, late): (Vec<usize>, Vec<usize>) =
            missing.into_iter().partition(|at| standing.reach(*at, part.object).count() > part.ordinal);
        let is_first = |other: &usize| {
            standing.reach(*other, part.object).function(part.ordinal).is_some_and(|function| function > part.function)
        };
        // The two sides of a mismatch are one reason.
        if let Some(one) = other.iter().find(|at| is_first(at)) {
            let others = standing.reach(*one, part.object).function(part.ordinal).map_or_else(String::new, function_of);
            let detail = format!(
                "{} in {call}, and {} in {others} in its place: {} {}.",
                agree(run, &here, "is", "are"),
                names(run, &other),
                rank_in_words(&run.ranks[*one]),
                stands(findings, *one),
            );
            rows.push(ReasonRow { reason: Reason::Mismatch, ranks: names(run, &other), detail });
        }
        let late: Vec<usize> =
            late.into_iter().filter(|at| findings.stuck[*at] && findings.halts[*at].is_none()).collect();
        let late: Vec<usize> =
            late.into_iter().filter(|at| !matches!(standing.ranks[*at].position, Position::Finalized)).collect();
        if let Some(first) = late.first() {
            let detail = format!(
                "{} not come to {call}, in which {} of {} are: {} {}.",
                agree(run, &late, "has", "have"),
                here.len(),
                group.size(),
                rank_in_words(&run.ranks[*first]),
                stands(findings, *first),
            );
            rows.push(ReasonRow { reason: Reason::Missing, ranks: names(run, &late), detail });
        }
    }
}
