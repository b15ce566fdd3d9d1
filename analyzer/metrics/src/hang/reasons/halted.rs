//! Ranks that others wait for and whose processes do nothing more.

use super::{Reason, ReasonRow, agree, stands, upper};
use crate::hang::Findings;
use crate::words::rank_in_words;
use model::standing::Position;
use model::wait_for::Halt;

/// Those among the ranks that are waited for, for which this holds.
fn awaited(findings: &Findings<'_>, is: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut found: Vec<usize> =
        findings.waiting().flat_map(|at| findings.needs[at].ranks()).filter(|at| is(*at)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Ranks whose process is stopped or dead, or that are through with MPI.
pub fn add(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let run = findings.run;
    let mut say = |reason, places: Vec<usize>, what: &str| {
        for at in places {
            let who = rank_in_words(&run.ranks[at]);
            let others: Vec<usize> =
                findings.waiting().filter(|other| findings.needs[*other].ranks().contains(&at)).collect();
            let waits = if others.is_empty() {
                String::new()
            } else {
                format!(" {} for it.", agree(run, &others, "waits", "wait"))
            };
            let detail = format!("{} {what}: it {}.{waits}", upper(&who), stands(findings, at));
            rows.push(ReasonRow { reason, ranks: who, detail });
        }
    };
    let stopped = (0..findings.halts.len()).filter(|at| findings.halts[*at] == Some(Halt::Stopped)).collect();
    say(Reason::Stopped, stopped, "is stopped, by a signal or a debugger");
    say(Reason::Dead, awaited(findings, |at| findings.halts[at] == Some(Halt::Dead)), "is dead");
    let finalized = |at: usize| matches!(findings.standing.ranks[at].position, Position::Finalized);
    say(Reason::Finished, awaited(findings, finalized), "has finished");
}
