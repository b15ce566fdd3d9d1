//! Finds one-way rounds: from a rank to several others, or the reverse.

use rustc_hash::FxHashSet;

use super::{RankEvent, RankEvents, Round, RoundKind, Trip};
use crate::matching::Delivery;

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
    rounds.iter().flatten().for_each(|number| used[*number] = true);
    let trip = |number: &usize| match kind {
        RoundKind::FromPeers => Trip { question: None, answer: Some(deliveries[*number]) },
        _ => Trip { question: Some(deliveries[*number]), answer: None },
    };
    rounds.iter().map(|round| round.iter().map(trip).collect()).collect()
}
