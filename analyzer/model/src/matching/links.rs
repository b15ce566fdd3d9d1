//! Replays the dependencies between ranks on an ideal network, without latency and with infinite bandwidth.
//!
//! In: for each rank in order, its useful time at the calls that receive something, and the same of the calls that gave it. Out:
//! the time of the ideal run, as Dimemas finds it by replay for the POP metrics (Rosas, Giménez, Labarta: "Scalability
//! prediction for fundamental performance factors", 2014). In that run calls take no time but that until what they depend
//! on has happened, so a rank is late by one number, its delay, over the useful time it has had.

use crate::common_clock::ClockLine;
use crate::selection::{LEFT_OUT, Part};
use crate::sums::Grow;

/// One dependency of a call, or one contribution to a collective call.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Useful time of this rank at the call, nanoseconds; the replay overwrites it with the delay after the call.
    time: i64,
    /// Useful time of the other rank at the call that is depended on.
    other: i64,
    /// The other rank, or NOTHING, COMES or AWAITS.
    rank: u32,
    /// Links of the other rank before that call; for COMES and AWAITS, the node's number.
    number: u32,
}

/// No dependency is known.
const NOTHING: u32 = u32::MAX;
/// The rank reaches a collective call.
const COMES: u32 = u32::MAX - 1;
/// The rank waits for a collective call.
const AWAITS: u32 = u32::MAX - 2;

/// Position of a rank in its links.
#[derive(Clone, Copy, Default, Debug)]
pub struct Mark {
    time: i64,
    /// Links so far.
    number: u32,
}

/// A phase boundary or selection boundary of a rank.
#[derive(Clone, Copy, Debug)]
struct LinkTurn {
    at: i64,
    mark: Mark,
    to: LinkEvent,
}

#[derive(Clone, Copy, Debug)]
enum LinkEvent {
    NextPhase,
    /// The selection begins (true) or ends.
    Selection(bool),
}

/// Boundaries of the selection in a rank's time, on the run's common clock.
#[derive(Debug)]
pub struct SelectionEdges {
    /// True if the rank's time begins inside the selection.
    pub begins_selected: bool,
    /// Latest first.
    rest: Vec<(i64, bool)>,
}

impl SelectionEdges {
    pub fn of(stretches: &[(u64, Part)], line: &ClockLine) -> SelectionEdges {
        let edges = stretches.iter().map(|(at, part)| (line.nanoseconds_at(*at), *part != LEFT_OUT));
        let begins_selected = stretches.first().is_none_or(|first| first.1 != LEFT_OUT);
        SelectionEdges { begins_selected, rest: edges.skip(1).rev().collect() }
    }

    /// Passes on every edge up to a time.
    #[inline]
    pub fn until(&mut self, until: i64, mut pass: impl FnMut(i64, bool)) {
        while let Some((at, selected)) = self.rest.pop_if(|(at, _)| *at <= until) {
            pass(at, selected);
        }
    }
}

/// One rank's links and useful time.
#[derive(Default, Debug)]
pub struct Links {
    /// When MPI was initialized, on the run's common clock.
    pub begin: i64,
    /// When MPI_Finalize began, or the last call ended.
    pub end: i64,
    /// Time outside MPI between those, nanoseconds.
    pub useful: i64,
    /// Time at the rank's end spent waiting for events that never happened, nanoseconds; an ideal network has no such wait.
    pub in_vain: i64,
    /// MPI_Pcontrol calls and selection boundaries.
    turns: Vec<LinkTurn>,
    /// The time from here on is selected.
    selected: bool,
    /// The time after MPI_Init is selected.
    begins_selected: bool,
    wanted: bool,
    links: Vec<Link>,
}

impl Links {
    pub fn new(wanted: bool, selected: bool) -> Links {
        Links { wanted, selected, begins_selected: selected, ..Links::default() }
    }

    pub fn begin(&mut self, at: i64) {
        (self.begin, self.end, self.useful) = (at, at, 0);
        self.turns.clear();
        self.begins_selected = self.selected;
    }

    pub fn edge(&mut self, at: i64, selected: bool) {
        if at > self.end {
            self.call(at, at, 0);
        }
        self.selected = selected;
        self.turns.push(LinkTurn { at, mark: self.mark(), to: LinkEvent::Selection(selected) });
    }

    /// Adds a call of the rank's first thread; `inside` is the part of it in MPI, nanoseconds.
    #[inline]
    pub fn call(&mut self, start: i64, end: i64, inside: i64) {
        self.useful.grow((start - self.end).max(0) + (end - start - inside).max(0));
        self.end = end;
    }

    /// Ends a phase at an MPI_Pcontrol call and begins the next.
    pub fn phase(&mut self, start: i64, end: i64) {
        self.call(start, end, end - start);
        self.turns.push(LinkTurn { at: start, mark: self.mark(), to: LinkEvent::NextPhase });
    }

    pub fn finalize(&mut self, at: i64) {
        self.useful.grow((at - self.end).max(0));
        self.end = at;
    }

    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { time: self.useful, number: self.links.len() as u32 }
    }

    /// Adds a link whose source is not known yet. Returns the index by which [`Links::known`] fills it.
    #[inline]
    pub fn reserve(&mut self) -> u32 {
        if self.wanted {
            self.links.push(Link { time: self.useful, other: 0, rank: NOTHING, number: 0 });
        }
        self.links.len() as u32
    }

    /// Fills the first open link at or after `expected`. Returns the index to pass for the next message of the same call.
    #[inline]
    pub fn known(&mut self, expected: u32, rank: u32, mark: Mark) -> u32 {
        let first = (expected as usize).saturating_sub(1);
        let open = self.links.iter_mut().enumerate().skip(first).find(|(_, link)| link.rank == NOTHING);
        let Some((at, link)) = open else { return expected };
        (link.rank, link.other, link.number) = (rank, mark.time, mark.number);
        at as u32 + 2
    }

    /// Delay of the rank after its first `links` links; valid after the replay.
    fn delay(&self, links: usize) -> i64 {
        links.checked_sub(1).and_then(|last| self.links.get(last)).map_or(0, |link| link.time)
    }

    /// Phases of the selected time; valid after the replay.
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

    /// Records that the rank reaches a collective call (`comes`), waits for it (`awaits`), or both.
    #[inline]
    pub fn collective(&mut self, node: u32, comes: bool, awaits: bool) {
        if self.wanted {
            let link = Link { time: self.useful, other: 0, rank: COMES, number: node };
            self.links.extend(comes.then_some(link));
            self.links.extend(awaits.then_some(Link { rank: AWAITS, ..link }));
        }
    }
}

/// A collective call in the replay.
struct Node {
    /// Ranks that have not reached it yet.
    needed: u32,
    /// Time at which the last rank reached it.
    last: i64,
    waiting: Vec<u32>,
}

struct Replay {
    ranks: Vec<Links>,
    /// Links replayed so far, by rank.
    done: Vec<usize>,
    delays: Vec<i64>,
    /// For each rank, the ranks that wait for its link of a given number.
    waiting: Vec<Vec<(usize, u32)>>,
    nodes: Vec<Node>,
    ready: Vec<u32>,
}

/// Real, ideal and useful time of one phase, nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PhaseTimes {
    pub time: i64,
    pub ideal: i64,
    /// The part of `time` outside MPI.
    pub useful: i64,
}

/// Replays a run; `nodes` holds how many ranks must reach each collective call. Returns each rank's phases, one more than it
/// called MPI_Pcontrol.
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
        // After losses, a rank may depend on what never happens: drop that dependency and go on.
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
                    // Delay of the other rank before the call that is depended on.
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
