//! The reasons of ranks whose processes do nothing more while others wait for them.

use super::{Reason, ReasonRow, agree, stands};
use crate::hang::Findings;
use crate::words::rank_in_words;
use crate::words::upper;
use model::standing::Position;
use model::wait_for::Halt;

/// The ranks that others wait for and for which `is` holds.
fn awaited(findings: &Findings<'_>, is: impl Fn(usize) -> bool) -> Vec<usize> {
    let ranks = findings.waiting().into_iter().flat_map(|at| findings.graph.needs[at].ranks());
    let mut found: Vec<usize> = ranks.filter(|at| is(*at)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Adds rows for ranks whose process is stopped or dead, or that have finalized MPI.
pub fn add(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let run = findings.run;
    let mut say = |reason, places: Vec<usize>, what: &str| {
        for at in places {
            let who = rank_in_words(&run.ranks[at]);
            let mut others = findings.waiting();
            others.retain(|other| *other != at && findings.graph.needs[*other].ranks().contains(&at));
            let waits = if others.is_empty() {
                String::new()
            } else {
                format!(" {} for it.", agree(run, &others, "waits", "wait"))
            };
            let detail = format!("{} {what}: it {}.{waits}", upper(&who), stands(findings, at));
            rows.push(ReasonRow { reason, ranks: who, detail });
        }
    };
    let halted = |at: usize, halt: Halt| findings.sightings[at].halt == Some(halt);
    let stopped = (0..findings.sightings.len()).filter(|at| halted(*at, Halt::Stopped)).collect();
    say(Reason::Stopped, stopped, "is stopped, by a signal or a debugger");
    say(Reason::Dead, awaited(findings, |at| halted(at, Halt::Dead)), "is dead");
    let finalized = |at: usize| matches!(findings.standing.ranks[at].position(), Position::Finalized);
    say(Reason::Finished, awaited(findings, finalized), "has finished");
}
