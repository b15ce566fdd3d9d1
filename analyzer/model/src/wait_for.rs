//! The wait-for graph of a run at one moment: what each rank needs of which others before it goes on.
//!
//! In: where the ranks stand. Out: a [`Need`] of each. Whatever is not known counts as nothing needed, and whoever is outside MPI may yet
//! do anything: so no rank is called deadlocked that may go on.

use super::deadlock::Need;
use super::process::ProcessState;
use super::roles::{Flow, Peer};
use super::standing::{Awaited, CollectivePart, Completes, Entered, Position, Standing};
use crate::parallel;
use traces::signature::tag;

/// What keeps a rank's process from doing anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// A signal or a debugger stopped it.
    Stopped,
    /// It ended without finalizing MPI.
    Dead,
}

impl Halt {
    /// That of a process in this state.
    pub fn of(state: ProcessState) -> Option<Halt> {
        match state {
            ProcessState::Stopped => Some(Halt::Stopped),
            ProcessState::Gone => Some(Halt::Dead),
            ProcessState::Running | ProcessState::Asleep => None,
        }
    }
}

/// What each rank needs. `halts` says which processes do nothing more; of a run whose processes are all gone, none.
pub fn needs(standing: &Standing, halts: &[Option<Halt>]) -> Vec<Need> {
    parallel::map(standing.ranks.len(), |at| match (halts[at], &standing.ranks[at].position) {
        (Some(_), _) | (None, Position::Finalized) => Need::Impossible,
        (None, Position::Inside(entered) | Position::Asking(entered)) => of_call(standing, at, entered),
        (None, Position::Outside { .. }) => Need::Nothing,
    })
}

fn of_call(standing: &Standing, at: usize, entered: &Entered) -> Need {
    if entered.finalizes {
        return finalizing(standing, at);
    }
    let Some(completes) = entered.completes else { return all(standing, at, &entered.awaits) };
    let pending: Vec<Need> =
        standing.ranks[at].past.pending.values().map(|request| all(standing, at, &request.awaits)).collect();
    if pending.is_empty() {
        return Need::Nothing;
    }
    // Which requests the call was given is not recorded, only how many. If these are all that are pending, they are known.
    let given = entered.signature.requests as usize;
    match completes {
        Completes::All if given >= pending.len() => Need::All(pending),
        _ => Need::Any(pending),
    }
}

/// What is needed for all of these.
pub fn all(standing: &Standing, at: usize, awaits: &[Awaited]) -> Need {
    let mut needs: Vec<Need> = awaits.iter().map(|awaits| one(standing, at, awaits)).collect();
    if needs.len() == 1 { needs.remove(0) } else { Need::All(needs) }
}

fn one(standing: &Standing, at: usize, awaits: &Awaited) -> Need {
    match *awaits {
        Awaited::Message { object: Some(object), from, tag } => message(standing, at, object, from, tag),
        Awaited::Delivery { object: Some(object), to: Peer::Rank(to), tag } => {
            match takes(standing, to as usize, object, at as u32, tag) {
                true => Need::Nothing,
                false => Need::Rank(to as usize),
            }
        }
        Awaited::Collective(part) => collective(standing, at, &part),
        Awaited::Message { .. } | Awaited::Delivery { .. } | Awaited::Other => Need::Nothing,
    }
}

fn message(standing: &Standing, at: usize, object: u32, from: Peer, tag: i32) -> Need {
    let from_rank = |from: u32| match offers(standing, from as usize, object, at as u32, tag) {
        true => Need::Nothing,
        false => Need::Rank(from as usize),
    };
    match from {
        Peer::Rank(from) => from_rank(from),
        Peer::Any => {
            let group = &standing.objects.groups[object as usize];
            let others = group.everybody().filter(|other| *other != at as u32).map(from_rank);
            if group.is_here() { Need::Any(others.collect()) } else { Need::Nothing }
        }
        Peer::Nobody | Peer::Unknown | Peer::Unrecorded => Need::Nothing,
    }
}

/// Whether a message is under way, or being sent, that a receive of this tag could take.
pub fn offers(standing: &Standing, from: usize, object: u32, to: u32, wanted: i32) -> bool {
    messages(standing, from, to).any(|(on, tag)| on == object && (wanted == tag::ANY || tag == wanted))
}

/// Communicators and tags of messages from one rank to another that are under way or being sent.
pub fn messages(standing: &Standing, from: usize, to: u32) -> impl Iterator<Item = (u32, i32)> {
    under_way(standing, from, to).chain(being_sent(standing, from, to))
}

fn being_sent(standing: &Standing, from: usize, to: u32) -> impl Iterator<Item = (u32, i32)> {
    let awaits = standing.ranks[from].entered().into_iter().flat_map(|entered| &entered.awaits);
    awaits.filter_map(move |awaits| match *awaits {
        Awaited::Delivery { object: Some(object), to: Peer::Rank(other), tag } if other == to => Some((object, tag)),
        _ => None,
    })
}

/// Those that one rank has sent and another not received.
fn under_way(standing: &Standing, from: usize, to: u32) -> impl Iterator<Item = (u32, i32)> {
    let received = &standing.ranks[to as usize].past.passed;
    let sent = standing.ranks[from].past.passed.iter().filter(move |(channel, passed)| {
        // A rank that sends to itself counts both in one place.
        let is_own = channel.from == channel.to;
        let taken = received.get(channel).filter(|_| !is_own).map_or(0, |taken| taken.left);
        (channel.from, channel.to) == (from as u32, to) && passed.left + taken > 0
    });
    sent.map(|(channel, _)| (channel.object, channel.tag))
}

/// Whether a rank is receiving, or has begun to receive, what could be a message of this tag.
pub fn takes(standing: &Standing, at: usize, object: u32, from: u32, sent: i32) -> bool {
    let takes = |awaits: &Awaited| match *awaits {
        Awaited::Message { object: Some(on), from: source, tag } => {
            on == object && (tag == tag::ANY || tag == sent) && (source == Peer::Any || source == Peer::Rank(from))
        }
        _ => false,
    };
    standing.ranks[at].awaits().any(takes)
}

/// Those that have not come to a collective call, or came to another one there.
pub fn missing(standing: &Standing, part: &CollectivePart) -> Vec<usize> {
    let members = standing.objects.groups[part.object as usize].everybody();
    let is_there = |rank: usize| standing.reach(rank, part.object).has_come_to(part.ordinal, part.function);
    members.map(|rank| rank as usize).filter(|rank| !is_there(*rank)).collect()
}

fn collective(standing: &Standing, at: usize, part: &CollectivePart) -> Need {
    let group = &standing.objects.groups[part.object as usize];
    if !group.is_here() {
        return Need::Nothing;
    }
    let mut missing = missing(standing, part);
    if missing.is_empty() {
        return Need::Nothing;
    }
    let own = group.own(at);
    let is_needed = |other: usize| match part.flow {
        Flow::Prefix => group.own(other) < own,
        Flow::Neighbors => {
            let place = group.here().position(|member| member as usize == other);
            let neighbors = standing.objects.neighbors(at as u32, part.object);
            neighbors.zip(place).is_some_and(|(known, place)| known.sources.contains(&(place as u32)))
        }
        _ => true,
    };
    let needs_all = match part.flow {
        Flow::FromRoot | Flow::ToRoot => part.flow == Flow::ToRoot && part.root,
        Flow::Prefix | Flow::Neighbors => {
            missing.retain(|other| is_needed(*other));
            !missing.is_empty()
        }
        _ => true,
    };
    let need = |rank: &usize| match standing.reach(*rank, part.object).count() > part.ordinal {
        // It made another call in this one's place, and cannot come any more.
        true => Need::Impossible,
        false => Need::Rank(*rank),
    };
    let needs = missing.iter().map(need).collect();
    match needs_all {
        true => Need::All(needs),
        // Trees let some ranks go on before others have come: one of those may be the one that it waits for.
        false if missing.is_empty() => Need::Nothing,
        false => Need::Any(needs),
    }
}

/// MPI_Finalize returns when all ranks of the world have come to it.
fn finalizing(standing: &Standing, at: usize) -> Need {
    let others =
        (0..standing.ranks.len()).filter(|other| *other != at && standing.worlds[*other] == standing.worlds[at]);
    let is_late = |other: &usize| match &standing.ranks[*other].position {
        Position::Finalized => false,
        Position::Inside(entered) => !entered.finalizes,
        Position::Asking(_) | Position::Outside { .. } => true,
    };
    Need::All(others.filter(is_late).map(Need::Rank).collect())
}
