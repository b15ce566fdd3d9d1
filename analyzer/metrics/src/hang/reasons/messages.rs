//! The reasons of receives that get none of the messages under way: those have another tag or communicator, or belong
//! to earlier receives.

use traces::signature::tag;

use super::{Reason, ReasonRow, communicator, stands};
use crate::hang::Findings;
use crate::words::upper;
use crate::words::{call_in_words, rank_in_words};
use model::roles::Peer;
use model::standing::Awaited;
use model::wait_for::{MessageClass, PostedReceive, ReceiveOwner};

/// Adds a row for each rank that waits for a message while others are under way to it.
pub fn add(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    for at in findings.waiting() {
        let mailbox = &findings.graph.mail[at];
        let unserved = || mailbox.posts.iter().filter(|post| !post.is_served && post.of != ReceiveOwner::Nobody);
        let taken = unserved().find_map(|post| Some((post, taken(findings, at, post)?)));
        let stray = || unserved().find_map(|post| Some((post, stray(findings, at, post)?)));
        let (reason, post, messages) = match taken {
            Some((post, messages)) => (Reason::Taken, post, messages),
            None => match stray() {
                Some((post, messages)) => (Reason::Tag, post, messages),
                None => continue,
            },
        };
        let who = rank_in_words(&findings.run.ranks[at]);
        let wanted = wanted(findings, post);
        let detail = format!("{} waits for {wanted} and {}; {messages}.", upper(&who), stands(findings, at));
        rows.push(ReasonRow { reason, ranks: who, detail });
    }
}

/// The message that a receive asks for, in words: `tag 7 from rank 0`.
fn wanted(findings: &Findings<'_>, post: &PostedReceive) -> String {
    let wanted = if post.tag == tag::ANY { "any tag".into() } else { format!("tag {}", post.tag) };
    match post.from {
        Peer::Rank(from) => format!("{wanted} from {}", rank_in_words(&findings.run.ranks[from as usize])),
        _ => format!("{wanted} from any rank"),
    }
}

/// The messages that fit the receive but belong to receives posted earlier, in words.
fn taken(findings: &Findings<'_>, at: usize, post: &PostedReceive) -> Option<String> {
    let mailbox = &findings.graph.mail[at];
    let count: u64 =
        mailbox.under_way.iter().filter(|(class, _)| post.fits(**class)).map(|(_, under_way)| under_way.count).sum();
    let by = mailbox.posts.iter().filter(|other| other.takes && other.is_served && other.object == post.object);
    let mut places = by.filter_map(|other| match other.of {
        ReceiveOwner::Request(id) => {
            let place = findings.standing.place(findings.standing.ranks[at].past.pending.get(&id)?.place);
            Some(format!(" by {} at {}", place.function, place.site))
        }
        _ => None,
    });
    let place = places.next_back().unwrap_or_default();
    match count {
        0 => None,
        1 => Some(format!("the one that came is for a receive that was posted before{place}")),
        count => Some(format!("the {count} that came are for receives that were posted before, the last{place}")),
    }
}

/// A message from the rank that the receive names and that no receive asks for, in words.
fn stray(findings: &Findings<'_>, at: usize, post: &PostedReceive) -> Option<String> {
    let (run, standing, mailbox) = (findings.run, findings.standing, &findings.graph.mail[at]);
    let Peer::Rank(from) = post.from else { return None };
    let asked_for = |class: &MessageClass| mailbox.posts.iter().any(|post| post.fits(*class));
    let strays = mailbox.under_way.iter().filter(|(class, _)| class.1 == from && !asked_for(class));
    let (&(object, _, sent), under_way) = strays.min_by_key(|((on, _, tag), _)| (*on != post.object, *on, *tag))?;
    let on_other =
        if object == post.object { String::new() } else { format!(" on {}", communicator(findings, object)) };
    let sends = |awaits: &Awaited| {
        matches!(*awaits, Awaited::Delivery { object: on, to, tag, .. }
            if (on, to, tag) == (Some(object), Peer::Rank(at as u32), sent))
    };
    let open = standing.ranks[from as usize].entered().find(|(_, entered)| entered.awaits.iter().any(sends));
    let by = match (under_way.sent_by, open) {
        (Some((place, _)), _) => {
            let place = standing.place(place);
            format!(" by {} at {}", place.function, place.site)
        }
        (None, Some((_, entered))) => {
            format!(" by {}", call_in_words(run, &run.ranks[from as usize], &entered.signature))
        }
        (None, None) => String::new(),
    };
    let sender = rank_in_words(&run.ranks[from as usize]);
    Some(format!("{sender} has sent it tag {sent}{on_other}{by}, which no receive asks for"))
}
