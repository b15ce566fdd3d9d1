//! Replays the dependencies between ranks in changed runs, one of them on an ideal network, without latency and with infinite
//! bandwidth.
//!
//! In: for each rank in order, its busy time at the calls that depend on others, and the others' busy time at their calls.
//! Out: each rank's time in each lane, which is one changed run. The ideal run is that of Dimemas for the POP metrics (Rosas,
//! Giménez, Labarta: "Scalability prediction for fundamental performance factors", 2014): a call takes no time except until its
//! dependency is met. In other lanes a call keeps the time that it took from when all it needed was there. So one number per rank
//! and lane is enough: its delay, by which it is late relative to its busy time.
//!
//! Links arrive while the ranks are matched, and each is dropped once it is replayed: memory holds only links that wait for a rank
//! further behind.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::busy_calls::PlaceTimes;
use super::dependency_bytes::NotedMark;
use super::held_marks::HeldMarks;
use super::link_times::{LinkBlock, Mark, put};
use super::links::{Dependency, Link, LinkEvent, MarkedDependency};
use super::met::Met;
use super::scenario::{DependencyWay, Lanes, Times, WayKind};
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
    delay: Times,
    /// Block with the times of the next link, once a link was taken.
    block: Option<Arc<LinkBlock>>,
    /// The dependencies of the call that goes on.
    met: Met,
    /// It waits for another rank to wake it.
    is_waiting: bool,
    /// Ranks that wait for its link of a given number.
    waiting: Vec<(u64, u32)>,
    /// Positions that others depend on by their numbers, and ranks that wait until there are more.
    marks: HeldMarks,
    waiting_for_marks: Vec<u32>,
    phases: Phases,
    /// Time at the rank's end.
    end: Times,
    places: PlaceTimes,
    /// Dependencies that the recorded run did not keep.
    dropped: u64,
    stuck: Option<(u32, u32)>,
}

/// One rank's time in each lane.
#[derive(Default)]
pub struct RankReplay {
    /// Time at the rank's end, on the run's common clock.
    pub end: Times,
    /// Calls that waited for others, and waits.
    pub places: PlaceTimes,
    /// Dependencies that the recorded run did not keep, so that no lane does.
    pub dropped: u64,
    /// The first send of the rank, and the receiver, that wait for each other: in the lane that holds up most sends, the program hangs.
    pub stuck: Option<(u32, u32)>,
}

pub struct Replay {
    lanes: Arc<Lanes>,
    ranks: Vec<ReplayedRank>,
    ready: Vec<u32>,
}

impl Replay {
    pub fn new(lanes: &Arc<Lanes>, ranks: usize) -> Replay {
        let rank = || ReplayedRank { delay: lanes.times(0), end: lanes.times(0), ..ReplayedRank::default() };
        Replay { lanes: Arc::clone(lanes), ranks: (0..ranks).map(|_| rank()).collect(), ready: Vec::new() }
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

    /// As [`Replay::take`], with the rank's next marks, and those of any rank that nobody needs.
    pub fn take_marked(
        &mut self,
        rank: u32,
        links: impl Iterator<Item = Link>,
        marks: impl Iterator<Item = Mark>,
        unneeded: impl Iterator<Item = NotedMark>,
    ) {
        for mark in unneeded {
            if let Some(other) = self.ranks.get_mut(mark.rank as usize) {
                other.marks.take(mark.number);
            }
        }
        let own = &mut self.ranks[rank as usize];
        own.marks.extend(marks);
        self.ready.append(&mut own.waiting_for_marks);
        self.take(rank, links);
    }

    /// Adds a rank's times in computation and in calls that waited for nobody.
    pub fn add_places(&mut self, rank: u32, places: PlaceTimes) {
        self.ranks[rank as usize].places.merge(places);
    }

    /// Links that are held at the moment.
    #[cfg(test)]
    pub fn held(&self) -> usize {
        self.ranks.iter().map(|rank| rank.links.len()).sum()
    }

    /// Returns each rank's phases, one more than it called MPI_Pcontrol, and its times, once all links of all ranks were taken.
    pub fn finish(mut self) -> (Vec<Vec<PhaseTimes>>, Vec<RankReplay>) {
        loop {
            while let Some(rank) = self.ready.pop() {
                self.go_on(rank);
            }
            // After losses, a rank may depend on an event that never happens: drop that dependency and go on.
            let stuck = self.ranks.iter_mut().zip(0..).filter(|(rank, _)| !rank.links.is_empty());
            let earliest = |(rank, _): &(&mut ReplayedRank, u32)| rank.next_busy();
            let Some((rank, number)) = stuck.min_by_key(earliest) else { break };
            // Where no limit was asked for, a send that waits for ever has lost its receive's record.
            if self.lanes.has_eager_limit()
                && let Dependency::Marked(MarkedDependency { way, .. }) = &rank.links[0].to
                && let DependencyWay { kind: WayKind::Posted, from, to, .. } = way
            {
                rank.stuck = rank.stuck.or(Some((*to, *from)));
            }
            rank.links[0].to = Dependency::Nothing;
            self.ready.push(number);
        }
        let times = |ReplayedRank { phases, end, places, dropped, stuck, .. }| {
            (phases.all, RankReplay { end, places, dropped, stuck })
        };
        self.ranks.into_iter().map(times).unzip()
    }

    /// Replays a rank's links up to one that waits for another rank.
    fn go_on(&mut self, rank: u32) {
        let at = rank as usize;
        let mut links = std::mem::take(&mut self.ranks[at].links);
        let before = self.ranks[at].done;
        self.ranks[at].is_waiting = links.iter_mut().any(|link| {
            if let Some(block) = link.block.take() {
                self.ranks[at].block = Some(block);
            }
            if !self.happened(rank, &link.to) {
                return true;
            }
            let of_rank = &mut self.ranks[at];
            if let Some(block) = &of_rank.block {
                put(block.delays(of_rank.done), &of_rank.delay);
            }
            of_rank.done += 1;
            false
        });
        links.drain(..(self.ranks[at].done - before) as usize);
        self.ranks[at].links = links;
        let ReplayedRank { done, waiting, .. } = &mut self.ranks[at];
        let ready = &mut self.ready;
        waiting.retain(|(number, waiter)| {
            if number <= done {
                ready.push(*waiter);
            }
            number > done
        });
    }

    /// Meets a link's dependency; false if the rank must wait until others are replayed.
    fn happened(&mut self, rank: u32, to: &Dependency) -> bool {
        match to {
            Dependency::Message(other, mark) => {
                let other = &mut self.ranks[*other as usize];
                if other.done < mark.number() {
                    other.waiting.push((mark.number(), rank));
                    return false;
                }
            }
            Dependency::Marked(marked) => return self.passed_mark(rank, marked),
            _ => {}
        }
        let own = &mut self.ranks[rank as usize];
        let Some(block) = &own.block else { return true };
        let busy = block.busy(own.done);
        match to {
            Dependency::Open | Dependency::Nothing => {}
            Dependency::Turn(at, event) => {
                if let LinkEvent::End(_) = event {
                    own.end = later(busy, &own.delay).collect();
                }
                // The phases are those of the ideal run.
                if let (Some(busy), Some(delay)) = (busy.first(), own.delay.first()) {
                    let busy = busy.load(Relaxed);
                    own.phases.turn(*at, busy, busy.saturating_add(*delay), *event);
                }
            }
            Dependency::Returns(call) => {
                own.dropped += own.met.returns(call, busy, &self.lanes, &mut own.delay, &mut own.places);
            }
            Dependency::Comes(node, reached) => {
                let times = later(busy, &own.delay).enumerate().map(|(lane, time)| match reached.absent >> lane & 1 {
                    1 => i64::MIN,
                    _ => time.saturating_add(reached.ahead),
                });
                node.come(reached.at, times, &mut self.ready);
            }
            Dependency::Awaits(node, way) => {
                let met = node.reached(rank, |recorded, times| match way {
                    Some(way) => own.met.add(recorded, times.iter().copied(), *way),
                    None => meet(&mut own.delay, busy, times.iter().copied()),
                });
                return met.is_some();
            }
            Dependency::Message(_, mark) => meet(&mut own.delay, busy, mark.passed()),
            Dependency::Marked(_) => {}
        }
        true
    }

    /// Meets a dependency on a position of another rank; false if the rank must wait.
    fn passed_mark(&mut self, rank: u32, marked: &MarkedDependency) -> bool {
        let MarkedDependency { mark: NotedMark { rank: other, number }, way, until, is_last } = *marked;
        let Some(other) = self.ranks.get_mut(other as usize) else { return true };
        let Some(mark) = other.marks.get(number) else {
            other.waiting_for_marks.push(rank);
            return false;
        };
        if other.done < mark.number() {
            other.waiting.push((mark.number(), rank));
            return false;
        }
        let taken = if is_last { other.marks.take(number) } else { Some(mark.clone()) };
        let Some(mark) = taken else { return true };
        // The return of its call tells how long it took.
        if mark.recorded() <= until {
            self.ranks[rank as usize].met.add(mark.recorded(), mark.passed(), way);
        }
        true
    }
}

impl ReplayedRank {
    /// Busy time in the first lane at the next link.
    fn next_busy(&self) -> Option<i64> {
        let block = self.links.front()?.block.as_ref().or(self.block.as_ref())?;
        Some(block.busy(self.done).first()?.load(Relaxed))
    }
}

/// Time in each lane of a rank with this busy time and delay.
fn later(busy: &[AtomicI64], delay: &[i64]) -> impl Iterator<Item = i64> {
    busy.iter().zip(delay).map(|(busy, delay)| busy.load(Relaxed).saturating_add(*delay))
}

/// Delays a rank until what it depends on is met, in each lane.
fn meet(delays: &mut [i64], busy: &[AtomicI64], times: impl Iterator<Item = i64>) {
    for ((delay, busy), met) in delays.iter_mut().zip(busy).zip(times) {
        *delay = (*delay).max(met.saturating_sub(busy.load(Relaxed)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::collective_node::CollectiveNode;
    use super::super::links::Links;
    use super::*;
    use crate::stream::TimedCall;

    const STEPS: i64 = 1000;

    /// Rank 0 computes 100 ns a step and sends; rank 1 computes 10 ns and receives. `hand_on` gets both ranks' links after each step.
    fn run(mut hand_on: impl FnMut(&mut [Links; 2])) -> [Links; 2] {
        let lanes = Arc::new(Lanes::ideal());
        let mut ranks = [0, 1].map(|rank| Links::new(rank, Some(&lanes), true));
        ranks.iter_mut().for_each(|rank| rank.begin(0));
        for step in 1..=STEPS {
            // The real network is slow: the message takes 50 ns.
            ranks[0].call(&TimedCall::at(step * 100, step * 100), 0);
            let mark = ranks[0].mark_at(0, 0);
            ranks[1].call(&TimedCall::at(step * 100 - 40, step * 100 + 50), 0);
            let expected = ranks[1].reserve();
            ranks[1].known(expected, Dependency::Message(0, mark));
            hand_on(&mut ranks);
        }
        ranks
    }

    fn finish(mut replay: Replay, ranks: [Links; 2], order: [usize; 2]) -> Vec<Vec<PhaseTimes>> {
        let mut rest: Vec<Option<Links>> = ranks.into_iter().map(Some).collect();
        for rank in order {
            replay.take(rank as u32, rest[rank].take().unwrap().take_all().0);
        }
        replay.finish().0
    }

    #[test]
    fn a_receiver_is_late_by_its_senders_computation_and_links_are_forgotten_at_once() {
        let mut replay = Replay::new(&Arc::new(Lanes::ideal()), 2);
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
        let at_the_end = |order| finish(Replay::new(&Arc::new(Lanes::ideal()), 2), run(|_| {}), order);
        assert_eq!(at_the_end([0, 1]), at_the_end([1, 0]));
    }

    #[test]
    fn a_rank_that_depends_on_what_never_happens_goes_on_without_it() {
        let mut ranks = run(|_| {});
        let node = CollectiveNode::first(0, [3]);
        for rank in &mut ranks {
            rank.comes(Some(node.clone()), (0, 0));
            rank.awaits(Some(node.clone()), None);
        }
        let phases = finish(Replay::new(&Arc::new(Lanes::ideal()), 2), ranks, [1, 0]);
        assert_eq!(phases[0][0].ideal, 100 * STEPS);
    }
}
