//! Finds rounds among deliveries: with questions and answers, or one way from a rank to several others or back. Messages that cross,
//! each sent before the other arrived, are no question and answer.

use std::cmp::Reverse;
use std::ops::RangeBounds;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{RankEvent, RankEvents, Round, RoundKind, Trip};
use crate::matching::Delivery;

/// A possible round: questions and their answers, by number.
#[derive(Default)]
struct Candidate {
    root: u32,
    trips: Vec<(usize, Option<usize>)>,
    answered: usize,
    /// The root received something that it did not ask for, or asked a peer again that had not answered.
    is_disturbed: bool,
}

impl Candidate {
    fn is_answered(&self) -> bool {
        self.answered == self.trips.len()
    }

    fn deliveries(&self) -> impl Iterator<Item = usize> + '_ {
        self.trips.iter().flat_map(|(question, answer)| std::iter::once(*question).chain(*answer))
    }
}

/// Possible rounds of a run, in the order of their claim on messages.
pub struct Candidates<'a> {
    deliveries: &'a [Delivery],
    all: Vec<Candidate>,
}

impl<'a> Candidates<'a> {
    pub fn of(deliveries: &'a [Delivery], events: &RankEvents, crossed: &[bool]) -> Candidates<'a> {
        let of_rank = |(root, events): (&u32, &Vec<RankEvent>)| candidates(*root, deliveries, events, crossed);
        let mut all: Vec<Candidate> = events.iter().flat_map(of_rank).collect();
        // The answer of one round is often the question of another, whose root is a peer. The rank with more peers is the root;
        // between two ranks, the one that began.
        let has_one_size = |candidate: &Candidate| {
            let bytes = deliveries[candidate.trips[0].0].bytes;
            candidate.deliveries().all(|number| deliveries[number].bytes == bytes)
        };
        all.sort_by_cached_key(|candidate| {
            let first = candidate.trips[0].0;
            let order = (deliveries[first].begin, candidate.root);
            (Reverse(candidate.trips.len()), !has_one_size(candidate), order)
        });
        let mutual = mutual(&all);
        let mut number = 0..;
        all.retain(|_| number.next().is_none_or(|number| !mutual.contains(&number)));
        Candidates { deliveries, all }
    }

    /// Takes the candidates with a number of peers in the range whose messages are not used, and marks these as used.
    pub fn rounds(&self, peers: impl RangeBounds<usize>, used: &mut [bool]) -> Vec<Round> {
        let mut rounds = Vec::new();
        for candidate in self.all.iter().filter(|candidate| peers.contains(&candidate.trips.len())) {
            if candidate.deliveries().any(|delivery| used[delivery]) {
                continue;
            }
            for delivery in candidate.deliveries() {
                used[delivery] = true;
            }
            let trip = |(question, answer): &(usize, Option<usize>)| Trip {
                question: Some(self.deliveries[*question]),
                answer: answer.map(|answer| self.deliveries[answer]),
            };
            let trips = candidate.trips.iter().map(trip).collect();
            rounds.push(Round { kind: RoundKind::RoundTrip, root: candidate.root, trips });
        }
        rounds
    }
}

/// Candidates with the same number of peers, two or more, that share a message and have different roots. If each is the other's
/// peer, none is the root: halos exchanged one direction after the other look like that.
fn mutual(candidates: &[Candidate]) -> FxHashSet<usize> {
    let mut claims: FxHashMap<usize, usize> = FxHashMap::default();
    let mut mutual = FxHashSet::default();
    for (number, candidate) in candidates.iter().enumerate().filter(|(_, candidate)| candidate.trips.len() > 1) {
        for delivery in candidate.deliveries() {
            let other = *claims.entry(delivery).or_insert(number);
            let (one, other_one) = (&candidates[number], &candidates[other]);
            if one.root != other_one.root && one.trips.len() == other_one.trips.len() {
                mutual.extend([number, other]);
            }
        }
    }
    mutual
}

/// A rank's questions in the order of its calls, grouped into candidates whose questions are all answered.
fn candidates(root: u32, deliveries: &[Delivery], events: &[RankEvent], crossed: &[bool]) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    // The candidate that takes further questions; and for each peer, candidate and index of the last question.
    let mut open: Option<usize> = None;
    let mut asked: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
    for RankEvent { is_send, delivery: number, .. } in events {
        let delivery = &deliveries[*number];
        let peer = if *is_send { delivery.to.rank } else { delivery.from.rank };
        let last = asked.get(&peer).copied();
        let pending = last.filter(|(at, place)| all[*at].trips[*place].1.is_none());
        match (crossed[*number], is_send, pending) {
            (true, ..) => disturb(&mut all, open.take()),
            (false, true, pending) => {
                if let Some((at, _)) = pending {
                    all[at].is_disturbed = true;
                }
                let takes = |candidate: &Candidate| {
                    !candidate.is_answered() && deliveries[candidate.trips[0].0].bytes == delivery.bytes
                };
                let is_in = |at: &usize| last.is_some_and(|(of, _)| of == *at);
                let at = open.filter(|at| takes(&all[*at]) && !is_in(at)).unwrap_or_else(|| {
                    all.push(Candidate { root, ..Candidate::default() });
                    all.len() - 1
                });
                open = Some(at);
                asked.insert(peer, (at, all[at].trips.len()));
                all[at].trips.push((*number, None));
            }
            (false, false, Some((at, place))) => {
                all[at].trips[place].1 = Some(*number);
                all[at].answered += 1;
            }
            (false, false, None) => disturb(&mut all, open),
        }
    }
    all.retain(|candidate| candidate.is_answered() && !candidate.is_disturbed);
    all
}

/// Marks an unanswered candidate: the root did something else before all was answered.
fn disturb(all: &mut [Candidate], open: Option<usize>) {
    if let Some(candidate) = open.map(|at| &mut all[at]).filter(|candidate| !candidate.is_answered()) {
        candidate.is_disturbed = true;
    }
}

/// Finds rounds among the deliveries that are not used, and marks those as used.
pub fn find(deliveries: &[Delivery], events: &RankEvents, used: &mut [bool]) -> Vec<Round> {
    let mut roots: Vec<u32> = events.keys().copied().collect();
    roots.sort_unstable();
    let mut rounds = Vec::new();
    for kind in [RoundKind::ToPeers, RoundKind::FromPeers] {
        for root in &roots {
            let found = of_rank(kind, deliveries, &events[root], used);
            rounds.extend(found.into_iter().map(|trips| Round { kind, root: *root, trips }));
        }
    }
    rounds
}

fn of_rank(kind: RoundKind, deliveries: &[Delivery], events: &[RankEvent], used: &mut [bool]) -> Vec<Vec<Trip>> {
    let peer = |delivery: &Delivery| if kind == RoundKind::ToPeers { delivery.to.rank } else { delivery.from.rank };
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    let (mut open, mut peers): (Vec<usize>, FxHashSet<u32>) = Default::default();
    for event in events {
        let (number, delivery) = (event.delivery, &deliveries[event.delivery]);
        let is_part = event.is_send == (kind == RoundKind::ToPeers) && !used[number];
        let has_its_size = open.last().is_none_or(|last| deliveries[*last].bytes == delivery.bytes);
        if !is_part || !has_its_size || peers.contains(&peer(delivery)) {
            rounds.push(std::mem::take(&mut open));
            peers.clear();
        }
        if is_part {
            open.push(number);
            peers.insert(peer(delivery));
        }
    }
    rounds.push(open);
    // A single message is no round.
    rounds.retain(|round| round.len() > 1);
    for number in rounds.iter().flatten() {
        used[*number] = true;
    }
    let trip = |number: &usize| match kind {
        RoundKind::FromPeers => Trip { question: None, answer: Some(deliveries[*number]) },
        _ => Trip { question: Some(deliveries[*number]), answer: None },
    };
    rounds.iter().map(|round| round.iter().map(trip).collect()).collect()
}

/// Tells for each delivery if it crosses another one. Deliveries are in the order of sending.
pub fn crossed(deliveries: &[Delivery]) -> Vec<bool> {
    let mut by_way: FxHashMap<(u32, u32), Vec<usize>> = FxHashMap::default();
    for (number, delivery) in deliveries.iter().enumerate() {
        by_way.entry((delivery.from.rank, delivery.to.rank)).or_default().push(number);
    }
    let mut crossed = vec![false; deliveries.len()];
    for ((from, to), there) in &by_way {
        if from == to {
            for number in there {
                crossed[*number] = true;
            }
            continue;
        }
        let Some(back) = by_way.get(&(*to, *from)) else { continue };
        mark(deliveries, there, back, &mut crossed);
    }
    crossed
}

/// Marks messages of one direction that cross one of the other. Both are in the order of sending, so messages of the other direction
/// that were sent before this one arrived come first; their latest end shows if one of them arrived after this one was sent.
fn mark(deliveries: &[Delivery], there: &[usize], back: &[usize], crossed: &mut [bool]) {
    let mut order: Vec<usize> = there.to_vec();
    order.sort_unstable_by_key(|number| deliveries[*number].end);
    let (mut next, mut latest) = (0, i64::MIN);
    for number in order {
        let delivery = &deliveries[number];
        while let Some(other) = back.get(next).map(|other| &deliveries[*other])
            && other.begin < delivery.end
        {
            latest = latest.max(other.end);
            next += 1;
        }
        crossed[number] |= latest > delivery.begin;
    }
}
