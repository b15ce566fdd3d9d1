//! The reasons of ranks that wait for messages, for each other, for a lock, or for a process that does nothing more.

use traces::signature::tag;

use super::{Reason, ReasonRow, SHOWN, first_positions, stands};
use crate::hang::object_names::{call_in_words, communicator};
use crate::hang::rank_names::{agree, names};
use crate::hang::{Findings, SeenRun};
use crate::words::{rank_in_words, upper};
use model::deadlock::knots;
use model::roles::Peer;
use model::standing::Awaited;
use model::wait_for::{Halt, MessageClass, PostedReceive, ReceiveOwner, holders};

/// Adds a row for each rank that waits for a message while others are under way to it.
pub fn add_messages(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let seen = &findings.seen;
    for &at in &findings.waiting {
        let mailbox = &seen.graph.mail[at];
        let is_unserved =
            |post: &&PostedReceive| (!post.is_served || post.is_contested) && post.of != ReceiveOwner::Nobody;
        let unserved = || mailbox.posts.iter().filter(is_unserved);
        let taken = unserved().find_map(|post| Some((post, taken(seen, at, post)?)));
        let stray = || unserved().find_map(|post| Some((post, stray(seen, at, post)?)));
        let (reason, post, messages) = match taken {
            Some((post, messages)) => (Reason::Taken, post, messages),
            None => match stray() {
                Some((post, messages)) => (Reason::Tag, post, messages),
                None => continue,
            },
        };
        let who = rank_in_words(&seen.run.ranks[at]);
        let wanted = wanted(seen, post);
        let detail = format!("{} waits for {wanted} and {}; {messages}.", upper(&who), stands(seen, at));
        rows.push(ReasonRow::of(seen.run, reason, vec![at], detail));
    }
}

/// A message that nobody asks for, to a rank that polls for another, in words.
pub fn polled_for_another(seen: &SeenRun<'_>) -> Option<String> {
    let is_poll = |post: &&PostedReceive| matches!(post.of, ReceiveOwner::Poll(..)) && !post.is_served;
    let stray_at = |at: usize| {
        let mut polls = seen.graph.mail[at].posts.iter().filter(is_poll);
        polls.find_map(|post| Some((at, wanted(seen, post), stray(seen, at, post)?)))
    };
    let (at, wanted, stray) = (0..seen.run.ranks.len()).find_map(stray_at)?;
    Some(format!("{} asks for {wanted} so far; {stray}.", upper(&rank_in_words(&seen.run.ranks[at]))))
}

/// The message that a receive matches, in words: `tag 7 from rank 0`.
fn wanted(seen: &SeenRun<'_>, post: &PostedReceive) -> String {
    let wanted = if post.tag == tag::ANY { "any tag".into() } else { format!("tag {}", post.tag) };
    match post.from {
        Peer::Rank(from) => format!("{wanted} from {}", rank_in_words(&seen.run.ranks[from as usize])),
        _ => format!("{wanted} from any rank"),
    }
}

/// The messages that fit the receive but belong to receives posted earlier, in words.
fn taken(seen: &SeenRun<'_>, at: usize, post: &PostedReceive) -> Option<String> {
    let mailbox = &seen.graph.mail[at];
    let count: u64 =
        mailbox.under_way.iter().filter(|(class, _)| post.fits(**class)).map(|(_, under_way)| under_way.count).sum();
    let fits_both = |other: &PostedReceive| {
        let mut classes = mailbox.under_way.keys();
        classes.any(|class| post.fits(*class) && other.fits(*class))
    };
    let before = mailbox.posts.iter().take_while(|other| other.of != post.of);
    let by = before.filter(|other| other.takes && other.is_served && fits_both(other));
    let places = by.filter_map(|other| match other.of {
        ReceiveOwner::Request(id) => {
            let place = seen.standing.ranks[at].past.pending.get(&id)?.place;
            let place = &seen.run.call_sites()[place.number()];
            Some(format!(" by {} at {}", place.function, place.site))
        }
        _ => None,
    });
    let place = places.last();
    match count {
        0 => None,
        1 => Some(format!("the one that came is for a receive that was posted before{}", place.unwrap_or_default())),
        count => {
            let last = place.map_or_else(String::new, |place| format!(", the last{place}"));
            Some(format!("the {count} that came are for receives that were posted before{last}"))
        }
    }
}

/// A message that no receive matches, from the rank that this one names or, if it names none, from any; in words.
fn stray(seen: &SeenRun<'_>, at: usize, post: &PostedReceive) -> Option<String> {
    let (run, standing, mailbox) = (seen.run, seen.standing, &seen.graph.mail[at]);
    let is_from = |from: u32| match post.from {
        Peer::Rank(named) => named == from,
        Peer::Any => true,
        Peer::Nobody | Peer::Unknown | Peer::Unrecorded => false,
    };
    let asked_for = |class: &MessageClass| mailbox.posts.iter().any(|post| post.fits(*class));
    let strays = mailbox.under_way.iter().filter(|(class, _)| is_from(class.1) && !asked_for(class));
    let near = |(on, from, tag): &MessageClass| (*on != post.object, *on, *from, *tag);
    let (&(object, from, sent), under_way) = strays.min_by_key(|(class, _)| near(class))?;
    let on_other = if object == post.object { String::new() } else { format!(" on {}", communicator(seen, object)) };
    let sends = |awaits: &Awaited| {
        matches!(*awaits, Awaited::Delivery { object: on, to, tag, .. }
            if (on, to, tag) == (Some(object), Peer::Rank(at as u32), sent))
    };
    let open = standing.ranks[from as usize].entered().find(|(_, entered)| entered.awaits.iter().any(sends));
    let by = match (under_way.sent, open) {
        (Some(sent), _) => {
            let place = &run.call_sites()[sent.place.number()];
            format!(" by {} at {}", place.function, place.site)
        }
        (None, Some((_, entered))) => {
            format!(" by {}", call_in_words(seen, from as usize, &entered.signature))
        }
        (None, None) => String::new(),
    };
    let sender = rank_in_words(&run.ranks[from as usize]);
    Some(format!("{sender} has sent it tag {sent}{on_other}{by}, which no receive asks for"))
}

/// The circles and knots of waiting ranks.
pub fn circles(findings: &Findings<'_>) -> Vec<Vec<usize>> {
    knots(&findings.seen.graph.needs, &findings.stuck)
}

/// True if all ranks of a circle wait for messages alone.
pub fn is_of_messages(findings: &Findings<'_>, knot: &[usize]) -> bool {
    let waits_for_message = |at: &usize| {
        let rank = &findings.seen.standing.ranks[*at];
        let finalizes = rank.entered().any(|(_, entered)| entered.finalizes());
        rank.collectives().next().is_none() && !finalizes
    };
    knot.iter().all(waits_for_message)
}

/// Adds a row for each of these circles or knots of waiting ranks.
pub fn add_circles(findings: &Findings<'_>, knots: Vec<Vec<usize>>, rows: &mut Vec<ReasonRow>) {
    let run = findings.seen.run;
    for knot in knots {
        let has_choice = knot.iter().any(|at| findings.seen.graph.needs[*at].has_choice());
        let reason = if has_choice { Reason::Knot } else { Reason::Cycle };
        let how = if has_choice {
            "each wait for any one of the others, and for nobody else"
        } else {
            "wait for each other in a circle"
        };
        let each = first_positions(&findings.seen, &knot);
        let more = if knot.len() > SHOWN { format!("; and {} more", knot.len() - SHOWN) } else { String::new() };
        let who = names(run, &knot);
        let detail = match knot.len() {
            1 => format!("{} waits for itself: {each}.", upper(&who)),
            _ => format!("{} {how}: {each}{more}.", upper(&who)),
        };
        rows.push(ReasonRow::of(run, reason, knot, detail));
    }
}

/// The ranks that others wait for and for which `is` holds.
fn awaited(findings: &Findings<'_>, is: impl Fn(usize) -> bool) -> Vec<usize> {
    let ranks = findings.waiting.iter().flat_map(|at| findings.seen.graph.needs[*at].ranks());
    let mut found: Vec<usize> = ranks.filter(|at| is(*at)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Adds rows for ranks whose process is stopped or dead, or that have finalized MPI.
pub fn add_halted(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    let seen = &findings.seen;
    let run = seen.run;
    let mut say = |reason, places: Vec<usize>, what: &str| {
        for at in places {
            let who = rank_in_words(&run.ranks[at]);
            let waits_for_it = |other: &usize| *other != at && seen.graph.needs[*other].ranks().contains(&at);
            let others: Vec<usize> = findings.waiting.iter().copied().filter(waits_for_it).collect();
            let waits = if others.is_empty() {
                String::new()
            } else {
                format!(" {} for it.", upper(&agree(run, &others, "waits", "wait")))
            };
            let detail = format!("{} {what}: it {}.{waits}", upper(&who), stands(seen, at));
            rows.push(ReasonRow::of(run, reason, vec![at], detail));
        }
    };
    let halted = |at: usize, halt: Halt| seen.sightings[at].halt == Some(halt);
    let stopped = (0..seen.sightings.len()).filter(|at| halted(*at, Halt::Stopped)).collect();
    say(Reason::Stopped, stopped, "is stopped, by a signal or a debugger");
    say(Reason::Dead, awaited(findings, |at| halted(at, Halt::Dead)), "is dead");
    let finalized = |at: usize| seen.standing.ranks[at].is_finalized();
    say(Reason::Finished, awaited(findings, finalized), "has finished");
}

/// Adds a row for each rank that waits for a lock whose holder waits for ever, too.
pub fn add_locks(findings: &Findings<'_>, rows: &mut Vec<ReasonRow>) {
    use traces::calls::Class::Rma;
    let (run, standing) = (findings.seen.run, findings.seen.standing);
    for &at in &findings.waiting {
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
            stands(&findings.seen, at),
            agree(run, &holders, "holds", "hold"),
            rank_in_words(&run.ranks[*first]),
            stands(&findings.seen, *first),
        );
        rows.push(ReasonRow::of(run, Reason::Lock, holders, detail));
    }
}
