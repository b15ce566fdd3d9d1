//! The reason of ranks that wait for the lock of a window.

use super::{Reason, ReasonRow, agree, names, stands};
use crate::hang::Findings;
use crate::words::rank_in_words;
use crate::words::upper;
use model::wait_for::holders;

/// Adds a row for each rank that waits for a lock whose holder waits for ever, too.
pub fn add(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    use traces::calls::Class::Rma;
    let (run, standing) = (findings.run, findings.standing);
    for at in findings.waiting() {
        let entered = standing.ranks[at].entered().map(|(_, entered)| entered);
        let Some(entered) = entered.into_iter().find(|entered| entered.call().is_some_and(|call| call.class() == Rma))
        else {
            continue;
        };
        let mut holders = holders(standing, at, entered);
        holders.retain(|holder| findings.stuck[*holder]);
        let Some(first) = holders.first() else { continue };
        let detail = format!(
            "{} {}, for a lock that {}: {} {}.",
            upper(&rank_in_words(&run.ranks[at])),
            stands(findings, at),
            agree(run, &holders, "holds", "hold").to_lowercase(),
            rank_in_words(&run.ranks[*first]),
            stands(findings, *first),
        );
        rows.push(ReasonRow { reason: Reason::Lock, ranks: names(run, &holders), detail });
    }
}
