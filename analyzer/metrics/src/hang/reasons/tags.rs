//! Messages that wait for a receive, and receives that wait for a message, which do not fit.

use traces::signature::tag;

use super::{Reason, ReasonRow, communicator, stands, upper};
use crate::hang::Findings;
use crate::words::{call_in_words, rank_in_words};
use model::roles::Peer;
use model::standing::{Awaited, Route};
use model::wait_for::{messages, offers, takes};

/// Messages that are there for a rank that waits for one, and do not fit.
pub fn add(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let (run, standing) = (findings.run, findings.standing);
    for at in findings.waiting() {
        let near = standing.ranks[at].awaits().find_map(|awaits| near_miss(findings, at, awaits));
        let Some((wanted, from, near)) = near else { continue };
        let (who, sender) = (rank_in_words(&run.ranks[at]), rank_in_words(&run.ranks[from]));
        let wanted = if wanted == tag::ANY { "any tag".into() } else { format!("tag {wanted}") };
        let detail = format!(
            "{} waits for {wanted} from {sender} and {}; {sender} has sent it {near}, which no receive asks for.",
            upper(&who),
            stands(findings, at)
        );
        rows.push(ReasonRow { reason: Reason::Tag, ranks: who, detail });
    }
}

/// What a receive that nothing fits asks for, and from whom, and a message from there that no receive asks for.
fn near_miss(findings: &Findings<'_>, at: usize, awaits: &Awaited) -> Option<(i32, usize, String)> {
    let (run, standing) = (findings.run, findings.standing);
    let Awaited::Message { object: Some(object), from: Peer::Rank(from), tag: wanted } = *awaits else { return None };
    let (from, to) = (from as usize, at as u32);
    if offers(standing, from, object, to, wanted) {
        return None;
    }
    let stray = messages(standing, from, to).filter(|(on, tag)| !takes(standing, at, *on, from as u32, *tag));
    let (on, sent) = stray.min_by_key(|(on, tag)| (*on != object, *on, *tag))?;
    let on_other = if on == object { String::new() } else { format!(" on {}", communicator(findings, on)) };
    let passed = standing.ranks[from].past.passed.get(&Route { object: on, from: from as u32, to, tag: sent });
    let by = match (passed, standing.ranks[from].entered()) {
        (Some(passed), _) => {
            let place = standing.place(passed.place);
            format!(" by {} at {}", place.function, place.site)
        }
        (None, Some(entered)) => format!(" by {}", call_in_words(run, &run.ranks[from], &entered.signature)),
        (None, None) => String::new(),
    };
    Some((wanted, from, format!("tag {sent}{on_other}{by}")))
}
