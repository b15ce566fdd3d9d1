//! The reason of ranks that wait for each other.

use super::{Reason, ReasonRow, names, stands};
use crate::hang::Findings;
use crate::words::rank_in_words;
use crate::words::upper;
use model::deadlock::knots;

/// Adds a row for each circle or knot of waiting ranks.
pub fn add(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let run = findings.run;
    for knot in knots(&findings.graph.needs, &findings.stuck) {
        let has_choice = knot.iter().any(|at| findings.graph.needs[*at].has_choice());
        let reason = if has_choice { Reason::Knot } else { Reason::Cycle };
        let how = if has_choice {
            "wait for any of each other, and for nobody else"
        } else {
            "wait for each other in a circle"
        };
        const SHOWN: usize = 4;
        let each =
            knot.iter().take(SHOWN).map(|at| format!("{} {}", rank_in_words(&run.ranks[*at]), stands(findings, *at)));
        let each: Vec<String> = each.collect();
        let more = if knot.len() > SHOWN { format!("; and {} more", knot.len() - SHOWN) } else { String::new() };
        let who = names(run, &knot);
        let detail = match knot.len() {
            1 => format!("{} waits for itself: {}.", upper(&who), each.join("; ")),
            _ => format!("{} {how}: {}{more}.", upper(&who), each.join("; ")),
        };
        rows.push(ReasonRow { reason, ranks: who, detail });
    }
}
