//! What each rank's calls depend on, and how long the run would have taken if that were all: on a network without latency and
//! with infinite bandwidth.
//!
//! In: for each rank in order, its useful time at the calls that receive something, and the same of the calls that gave it. Out:
//! the time of the ideal run, as Dimemas finds it by replay for the POP metrics (Rosas, Giménez, Labarta: "Scalability
//! prediction for fundamental performance factors", 2014). In that run calls take no time but that until what they depend
//! on has happened, so a rank is late by one number, its delay, over the useful time it has had.

use crate::common_clock::ClockLine;
use crate::selection::{LEFT_OUT, Part};
use crate::sums::Grow;

/// One thing that a call depends on, or gives.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Useful time of the rank at the call; when replayed, the delay after it. Nanoseconds.
    time: i64,
    /// Useful time of the other at the call that gave it.
    other: i64,
    /// The other, or one of the numbers below.
    rank: u32,
    /// How many links of the other came before; the number of a node.
    number: u32,
}

/// Nothing is known that it depends on.
const NOTHING: u32 = u32::MAX;
/// It comes to a collective call.
const COMES: u32 = u32::MAX - 1;
/// It waits for a collective call.
const AWAITS: u32 = u32::MAX - 2;

/// Where a rank was in its links when it gave something.
#[derive(Clone, Copy, Default, Debug)]
pub struct Mark {
    /// Useful time, nanoseconds.
    time: i64,
    /// Links before.
    number: u32,
}

/// What a rank comes to in its time.
#[derive(Clone, Copy, Debug)]
struct LinkTurn {
    /// When.
    at: i64,
    mark: Mark,
    to: LinkEvent,
}

#[derive(Clone, Copy, Debug)]
enum LinkEvent {
    /// The next phase.
    NextPhase,
    /// What is asked about, or what is not.
    Selection(bool),
}

/// Where what is asked about of a rank's time begins and ends, on the run's common clock.
#[derive(Debug)]
pub struct SelectionEdges {
    /// Whether it begins with the rank's time.
    pub begins_selected: bool,
    /// Latest first.
    rest: Vec<(i64, bool)>,
}

impl SelectionEdges {
    /// Those of a thread.
    pub fn of(stretches: &[(u64, Part)], line: &ClockLine) -> SelectionEdges {
        let edges = stretches.iter().map(|(at, part)| (line.nanoseconds_at(*at), *part != LEFT_OUT));
        let begins_selected = stretches.first().is_none_or(|first| first.1 != LEFT_OUT);
        SelectionEdges { begins_selected, rest: edges.skip(1).rev().collect() }
    }

    /// Passes those until a time.
    #[inline]
    pub fn until(&mut self, until: i64, mut pass: impl FnMut(i64, bool)) {
        while let Some((at, selected)) = self.rest.pop_if(|(at, _)| *at <= until) {
            pass(at, selected);
        }
    }
}

/// One rank's links, and the time it has had.
#[derive(Default, Debug)]
pub struct Links {
    /// When MPI was initialized, on the run's common clock.
    pub begin: i64,
    /// When MPI_Finalize began, or the last call ended.
    pub end: i64,
    /// Time outside MPI between those, nanoseconds.
    pub useful: i64,
    /// Time that the rank has waited at its end for what has not happened: on no network would it.
    pub in_vain: i64,
    /// Where MPI_Pcontrol was called, and where what is asked about begins and ends.
    turns: Vec<LinkTurn>,
    /// Whether what comes next is asked about.
    selected: bool,
    /// The same of what came first.
    begins_selected: bool,
    wanted: bool,
    links: Vec<Link>,
}

impl Links {
    /// Where links are wanted, they are kept.
    pub fn new(wanted: bool, selected: bool) -> Links {
        Links { wanted, selected, begins_selected: selected, ..Links::default() }
    }

    /// MPI is initialized.
    pub fn begin(&mut self, at: i64) {
        (self.begin, self.end, self.useful) = (at, at, 0);
        self.turns.clear();
        self.begins_selected = self.selected;
    }

    /// What is asked about begins or ends.
    pub fn edge(&mut self, at: i64, selected: bool) {
        if at > self.end {
            self.call(at, at, 0);
        }
        self.selected = selected;
        self.turns.push(LinkTurn { at, mark: self.mark(), to: LinkEvent::Selection(selected) });
    }

    /// A call of the rank's first thread.
    #[inline]
    pub fn call(&mut self, start: i64, end: i64, inside: i64) {
        self.useful.grow((start - self.end).max(0) + (end - start - inside).max(0));
        self.end = end;
    }

    /// A phase ends, and another begins.
    pub fn phase(&mut self, start: i64, end: i64) {
        self.call(start, end, end - start);
        self.turns.push(LinkTurn { at: start, mark: self.mark(), to: LinkEvent::NextPhase });
    }

    /// MPI is being finalized.
    pub fn finalize(&mut self, at: i64) {
        self.useful.grow((at - self.end).max(0));
        self.end = at;
    }

    /// Where the rank is.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { time: self.useful, number: self.links.len() as u32 }
    }

    /// The call depends on something that will be known later. Returns what to say that by.
    #[inline]
    pub fn reserve(&mut self) -> u32 {
        if self.wanted {
            self.links.push(Link { time: self.useful, other: 0, rank: NOTHING, number: 0 });
        }
        self.links.len() as u32
    }

    /// What a call depends on, of the things it expects from this one on: something a rank gave. Returns by what to say the
    /// next.
    #[inline]
    pub fn known(&mut self, expected: u32, rank: u32, mark: Mark) -> u32 {
        let first = (expected as usize).saturating_sub(1);
        let open = self.links.iter_mut().enumerate().skip(first).find(|(_, link)| link.rank == NOTHING);
        let Some((at, link)) = open else { return expected };
        (link.rank, link.other, link.number) = (rank, mark.time, mark.number);
        at as u32 + 2
    }

    /// The delay that a rank has after so many links, when they were replayed.
    fn delay(&self, links: usize) -> i64 {
        links.checked_sub(1).and_then(|last| self.links.get(last)).map_or(0, |link| link.time)
    }

    /// What is asked about of its phases, when its links were replayed.
    fn phases(&self) -> Vec<PhaseTimes> {
        let ideal = |mark: Mark| mark.time.saturating_add(self.delay(mark.number as usize));
        let (mut last, mut selected) = ((self.begin, Mark::default()), self.begins_selected);
        let (mut phases, mut phase) = (Vec::new(), PhaseTimes::default());
        let end = LinkTurn { at: self.end, mark: self.mark(), to: LinkEvent::NextPhase };
        for turn in self.turns.iter().chain(&[end]) {
            if selected {
                phase.time.grow(turn.at.saturating_sub(last.0));
                phase.useful.grow(turn.mark.time.saturating_sub(last.1.time));
                phase.ideal.grow(ideal(turn.mark).saturating_sub(ideal(last.1)));
            }
            match turn.to {
                LinkEvent::Selection(begins) => selected = begins,
                LinkEvent::NextPhase => phases.push(std::mem::take(&mut phase)),
            }
            last = (turn.at, turn.mark);
        }
        if let Some(last) = phases.last_mut().filter(|_| selected) {
            last.ideal.grow(self.in_vain);
        }
        phases
    }

    /// The rank comes to a collective call, or waits for one.
    #[inline]
    pub fn collective(&mut self, node: u32, comes: bool, awaits: bool) {
        if self.wanted {
            let link = Link { time: self.useful, other: 0, rank: COMES, number: node };
            self.links.extend(comes.then_some(link));
            self.links.extend(awaits.then_some(Link { rank: AWAITS, ..link }));
        }
    }
}

/// A collective call in the ideal run.
struct Node {
    /// How many have to come yet.
    needed: u32,
    /// When the last of them came.
    last: i64,
    waiting: Vec<u32>,
}

struct Replay {
    ranks: Vec<Links>,
    /// Links that each rank has behind it.
    done: Vec<usize>,
    delays: Vec<i64>,
    /// Who waits for a rank to have so many behind it.
    waiting: Vec<Vec<(usize, u32)>>,
    nodes: Vec<Node>,
    ready: Vec<u32>,
}

/// A stretch of a rank's time, nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PhaseTimes {
    /// How long it took.
    pub time: i64,
    /// How long it would have taken.
    pub ideal: i64,
    /// What of it was outside MPI.
    pub useful: i64,
}

/// Replays a run; `nodes` says how many come to each collective call. Returns each rank's phases, one more than it has called
/// MPI_Pcontrol.
pub fn replay(ranks: Vec<Links>, nodes: &[u32]) -> Vec<Vec<PhaseTimes>> {
    let count = ranks.len();
    let node = |needed: &u32| Node { needed: *needed, last: i64::MIN, waiting: Vec::new() };
    let mut replay = Replay {
        done: vec![0; count],
        delays: vec![0; count],
        waiting: vec![Vec::new(); count],
        nodes: nodes.iter().map(node).collect(),
        ready: (0..count as u32).collect(),
        ranks,
    };
    loop {
        while let Some(rank) = replay.ready.pop() {
            replay.go_on(rank as usize);
        }
        // Where something was lost, a rank may depend on what never happens: it goes on without.
        let stuck = (0..count).filter(|rank| replay.done[*rank] < replay.ranks[*rank].links.len());
        let Some(rank) = stuck.min_by_key(|rank| replay.ranks[*rank].links[replay.done[*rank]].time) else { break };
        let at = replay.done[rank];
        replay.ranks[rank].links[at].rank = NOTHING;
        replay.ready.push(rank as u32);
    }
    replay.ranks.iter().map(Links::phases).collect()
}

impl Replay {
    fn go_on(&mut self, rank: usize) {
        while let Some(link) = self.ranks[rank].links.get(self.done[rank]).copied() {
            let delay = self.delays[rank];
            let when = match link.rank {
                NOTHING => i64::MIN,
                COMES => {
                    self.come(link.number as usize, link.time.saturating_add(delay));
                    i64::MIN
                }
                AWAITS => {
                    let node = &mut self.nodes[link.number as usize];
                    if node.needed > 0 {
                        node.waiting.push(rank as u32);
                        break;
                    }
                    node.last
                }
                other => {
                    let (other, number) = (other as usize, link.number as usize);
                    if self.done[other] < number {
                        self.waiting[other].push((number, rank as u32));
                        break;
                    }
                    // The delay after the links that came before the one who gave it did.
                    let delay = number.checked_sub(1).map_or(0, |last| self.ranks[other].links[last].time);
                    link.other.saturating_add(delay)
                }
            };
            self.delays[rank] = delay.max(when.saturating_sub(link.time));
            let at = self.done[rank];
            self.ranks[rank].links[at].time = self.delays[rank];
            self.done[rank] += 1;
        }
        let done = self.done[rank];
        let ready = &mut self.ready;
        self.waiting[rank].retain(|(number, waiter)| {
            if *number <= done {
                ready.push(*waiter);
            }
            *number > done
        });
    }

    fn come(&mut self, node: usize, when: i64) {
        let node = &mut self.nodes[node];
        node.last = node.last.max(when);
        node.needed = node.needed.saturating_sub(1);
        if node.needed == 0 {
            self.ready.append(&mut node.waiting);
        }
    }
}
