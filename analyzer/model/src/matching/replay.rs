//! Replays the dependencies between ranks on an ideal network, without latency and with infinite bandwidth.
//!
//! In: for each rank in order, its useful time at the calls that receive something, and the giving ranks' useful time at their calls.
//! Out: the time of the ideal run, as Dimemas finds it by replay for the POP metrics (Rosas, Giménez, Labarta: "Scalability
//! prediction for fundamental performance factors", 2014). In that run a call takes no time except until its dependency is met, so
//! one number per rank is enough: its delay, by which it is late relative to its useful time.
//!
//! Links arrive while the ranks are matched, and each is dropped once it is replayed: memory holds only links that wait for a rank
//! further behind.

use std::collections::VecDeque;
use std::sync::Arc;

use super::links::{Delays, Dependency, Link, LinkEvent};
use crate::sums::Grow;

/// Real, ideal and useful time of one phase, nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PhaseTimes {
    pub time: i64,
    pub ideal: i64,
    /// The part of `time` outside MPI.
    pub useful: i64,
}

/// A rank's selected phases so far.
#[derive(Default)]
struct Phases {
    selected: bool,
    /// The last boundary: its time, the useful time and the ideal time there.
    last: (i64, i64, i64),
    phase: PhaseTimes,
    all: Vec<PhaseTimes>,
}

impl Phases {
    fn turn(&mut self, at: i64, time: i64, ideal: i64, event: LinkEvent) {
        if let LinkEvent::Begin(selected) = event {
            *self = Phases { selected, last: (at, 0, 0), ..Phases::default() };
            return;
        }
        if self.selected {
            self.phase.time.grow(at.saturating_sub(self.last.0));
            self.phase.useful.grow(time.saturating_sub(self.last.1));
            self.phase.ideal.grow(ideal.saturating_sub(self.last.2));
        }
        self.last = (at, time, ideal);
        match event {
            LinkEvent::Selection(begins) => self.selected = begins,
            LinkEvent::Begin(_) | LinkEvent::NextPhase => self.all.push(std::mem::take(&mut self.phase)),
            LinkEvent::End(in_vain) => {
                self.phase.ideal.grow(if self.selected { in_vain } else { 0 });
                self.all.push(std::mem::take(&mut self.phase));
            }
        }
    }
}

#[derive(Default)]
struct ReplayedRank {
    /// Links to replay.
    links: VecDeque<Link>,
    /// Links replayed so far.
    done: u64,
    delay: i64,
    /// Array that holds the delay after the last link.
    delays: Option<Arc<Delays>>,
    /// It waits for another rank to wake it.
    is_waiting: bool,
    /// Ranks that wait for its link of a given number.
    waiting: Vec<(u64, u32)>,
    phases: Phases,
}

pub struct Replay {
    ranks: Vec<ReplayedRank>,
    ready: Vec<u32>,
}

impl Replay {
    pub fn new(ranks: usize) -> Replay {
        Replay { ranks: (0..ranks).map(|_| ReplayedRank::default()).collect(), ready: Vec::new() }
    }

    /// Takes a rank's next links, and replays what it can.
    pub fn take(&mut self, rank: u32, links: impl Iterator<Item = Link>) {
        let of_rank = &mut self.ranks[rank as usize];
        of_rank.links.extend(links);
        if !of_rank.is_waiting {
            self.ready.push(rank);
        }
        while let Some(rank) = self.ready.pop() {
            self.go_on(rank);
        }
    }

    /// Links that are held at the moment.
    #[cfg(test)]
    pub fn held(&self) -> usize {
        self.ranks.iter().map(|rank| rank.links.len()).sum()
    }

    /// Returns each rank's phases, one more than it called MPI_Pcontrol, once all links of all ranks were taken.
    pub fn finish(mut self) -> Vec<Vec<PhaseTimes>> {
        loop {
            while let Some(rank) = self.ready.pop() {
                self.go_on(rank);
            }
            // After losses, a rank may depend on an event that never happens: drop that dependency and go on.
            let stuck = self.ranks.iter_mut().zip(0..).filter(|(rank, _)| !rank.links.is_empty());
            let Some((rank, number)) = stuck.min_by_key(|(rank, _)| rank.links[0].time) else { break };
            rank.links[0].to = Dependency::Nothing;
            self.ready.push(number);
        }
        self.ranks.into_iter().map(|rank| rank.phases.all).collect()
    }

    /// Replays a rank's links up to one that waits for another rank.
    fn go_on(&mut self, rank: u32) {
        let at = rank as usize;
        self.ranks[at].is_waiting = false;
        while let Some(link) = self.ranks[at].links.pop_front() {
            let Some(when) = self.happened(rank, &link) else {
                self.ranks[at].links.push_front(link);
                self.ranks[at].is_waiting = true;
                break;
            };
            let of_rank = &mut self.ranks[at];
            of_rank.delay = of_rank.delay.max(when.saturating_sub(link.time));
            of_rank.delays = link.delays.or(of_rank.delays.take());
            if let Some(delays) = &of_rank.delays {
                delays.put(of_rank.done, of_rank.delay);
            }
            of_rank.done += 1;
        }
        let ReplayedRank { done, waiting, .. } = &mut self.ranks[at];
        let ready = &mut self.ready;
        waiting.retain(|(number, waiter)| {
            if number <= done {
                ready.push(*waiter);
            }
            number > done
        });
    }

    /// Time at which a link's dependency is met; `None` if the rank must wait until others are replayed.
    fn happened(&mut self, rank: u32, link: &Link) -> Option<i64> {
        let own = &mut self.ranks[rank as usize];
        match &link.to {
            Dependency::Open | Dependency::Nothing => {}
            Dependency::Turn(at, event) => {
                own.phases.turn(*at, link.time, link.time.saturating_add(own.delay), *event);
            }
            Dependency::Comes(node) => node.come(link.time.saturating_add(own.delay), &mut self.ready),
            Dependency::Awaits(node) => return node.reached(rank),
            Dependency::Message(other, mark) => {
                let other = &mut self.ranks[*other as usize];
                if other.done < mark.number {
                    other.waiting.push((mark.number, rank));
                    return None;
                }
                return Some(mark.time.saturating_add(mark.delay()));
            }
        }
        Some(i64::MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::super::collective_node::CollectiveNode;
    use super::super::links::Links;
    use super::*;

    const STEPS: i64 = 1000;

    /// Rank 0 computes 100 ns a step and sends; rank 1 computes 10 ns and receives. `hand_on` gets both ranks' links after each step.
    fn run(mut hand_on: impl FnMut(&mut [Links; 2])) -> [Links; 2] {
        let mut ranks = [Links::new(true, true), Links::new(true, true)];
        ranks.iter_mut().for_each(|rank| rank.begin(0));
        for step in 1..=STEPS {
            // The real network is slow: the message takes 50 ns.
            ranks[0].call(step * 100, step * 100, 0);
            let mark = ranks[0].mark();
            ranks[1].call(step * 100 - 40, step * 100 + 50, 90);
            let expected = ranks[1].reserve();
            ranks[1].known(expected, Dependency::Message(0, mark));
            hand_on(&mut ranks);
        }
        ranks
    }

    fn finish(mut replay: Replay, ranks: [Links; 2], order: [usize; 2]) -> Vec<Vec<PhaseTimes>> {
        let mut rest: Vec<Option<Links>> = ranks.into_iter().map(Some).collect();
        for rank in order {
            replay.take(rank as u32, rest[rank].take().unwrap().take_all());
        }
        replay.finish()
    }

    #[test]
    fn a_receiver_is_late_by_its_senders_computation_and_links_are_forgotten_at_once() {
        let mut replay = Replay::new(2);
        let ranks = run(|ranks| {
            for (rank, links) in (0..).zip(ranks) {
                replay.take(rank, links.take_known());
            }
            assert_eq!(replay.held(), 0);
        });
        let phases = finish(replay, ranks, [0, 1]);
        let end = 100 * STEPS;
        assert_eq!(phases[0], [PhaseTimes { time: end, ideal: end, useful: end }]);
        assert_eq!(phases[1], [PhaseTimes { time: end + 50, ideal: end, useful: 10 * STEPS + 50 }]);
    }

    #[test]
    fn the_order_in_which_ranks_hand_on_their_links_changes_nothing() {
        let at_the_end = |order| finish(Replay::new(2), run(|_| {}), order);
        assert_eq!(at_the_end([0, 1]), at_the_end([1, 0]));
    }

    #[test]
    fn a_rank_that_depends_on_what_never_happens_goes_on_without_it() {
        let mut ranks = run(|_| {});
        let node = CollectiveNode::first([3]);
        for rank in &mut ranks {
            rank.collective(Some(node.clone()), true, true);
        }
        let phases = finish(Replay::new(2), ranks, [1, 0]);
        assert_eq!(phases[0][0].ideal, 100 * STEPS);
    }
}
