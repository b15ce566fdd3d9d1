//! One rank's dependencies on others, in the order of its calls, until the [replay](super::replay) takes them.
//!
//! In: the rank's calls, and the senders of its messages once they are known. Out: [`Link`]s, with the time that the rank is busy
//! until each: in the ideal run outside MPI, in others in calls that wait for nobody, too.

use std::collections::VecDeque;
use std::sync::Arc;

use super::busy_calls::{BusyCalls, PlaceTimes, Returned};
use super::collective_node::CollectiveNode;
use super::dependency_bytes::NotedMark;
use super::link_times::{EACH, LinkBlock, Mark, MarkMaker, Reached, put};
use super::scenario::{DependencyWay, Lanes, Times};
use super::stretches::StretchMeans;
use crate::common_clock::ClockLine;
use crate::roles::{CallPart, Role};
use crate::selection::{LEFT_OUT, Part};
use crate::stream::TimedCall;
use crate::sums::Grow;

/// One dependency of a call, one contribution to a collective call, or a boundary in the rank's time.
pub struct Link {
    pub to: Dependency,
    /// Block with the times of this link and the next ones; `None` if an earlier link's block holds them.
    pub block: Option<Arc<LinkBlock>>,
}

pub enum Dependency {
    /// Not known yet.
    Open,
    Nothing,
    /// The sender of a message, and its position when it sent, in the ideal run.
    Message(u32, Mark),
    Marked(MarkedDependency),
    /// The rank reaches a collective call.
    Comes(CollectiveNode, Reached),
    /// The rank waits for a collective call.
    Awaits(CollectiveNode, Option<DependencyWay>),
    /// A call returns, whose dependencies are the links before.
    Returns(Returned),
    /// A boundary at this time on the run's common clock.
    Turn(i64, LinkEvent),
}

/// A message from its sender, or a send that waits for its receive, where calls take time.
#[derive(Clone, Copy, Debug)]
pub struct MarkedDependency {
    pub mark: NotedMark,
    pub way: DependencyWay,
    /// The call does not depend on a position that its rank reached later in the recorded run.
    pub until: i64,
    /// Nobody else depends on this position.
    pub is_last: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum LinkEvent {
    /// MPI_Init; true if the time after it is selected.
    Begin(bool),
    NextPhase,
    /// The selection begins (true) or ends.
    Selection(bool),
    /// The end of the rank, with the time before it that an ideal network would not have, nanoseconds.
    End(i64),
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

/// A rank's time in the run, on the run's common clock.
#[derive(Clone, Copy, Default, Debug)]
pub struct RankTime {
    /// Time at which MPI was initialized.
    pub begin: i64,
    /// Begin of MPI_Finalize, or end of the last call.
    pub end: i64,
    /// Time at the rank's end spent waiting for events that never happened, nanoseconds; an ideal network has no such wait.
    pub in_vain: i64,
}

/// One rank's busy time, and the links that the replay does not have yet.
pub struct Links {
    pub span: RankTime,
    lanes: Arc<Lanes>,
    /// Busy time so far.
    busy: Times,
    /// `None` in the ideal run, where calls take no time.
    calls: Option<Box<BusyCalls>>,
    /// The time from here on is selected.
    selected: bool,
    wanted: bool,
    links: VecDeque<Link>,
    /// Number of the first link in `links`.
    first: u64,
    /// Block with the times of the last link.
    block: Option<Arc<LinkBlock>>,
    marks: MarkMaker,
}

impl Links {
    /// `wanted`: the runs to replay, if any.
    pub fn new(rank: u32, wanted: Option<&Arc<Lanes>>, selected: bool) -> Links {
        let lanes = wanted.map_or_else(|| Arc::new(Lanes::ideal()), Arc::clone);
        let calls = (!lanes.is_ideal).then(|| Box::new(BusyCalls::new(rank, Arc::clone(&lanes))));
        let mut links = Links {
            span: RankTime::default(),
            busy: lanes.times(0),
            lanes,
            calls,
            selected,
            wanted: wanted.is_some(),
            links: VecDeque::new(),
            first: 0,
            block: None,
            marks: MarkMaker::default(),
        };
        links.turn(0, LinkEvent::Begin(selected));
        links
    }

    /// True if calls take time.
    fn is_timed(&self) -> bool {
        self.calls.is_some()
    }

    /// Adds the next call of the rank's first thread, and the boundaries of the selection before it.
    #[inline]
    pub fn read(&mut self, call: &TimedCall, role: &Role, edges: &mut SelectionEdges) {
        let site = role.place.number() as u32;
        edges.until(call.start, |at, selected| self.edge(at, selected));
        match role.what {
            CallPart::Begin => self.begin(call.end),
            CallPart::End => self.finalize(call.start, site),
            CallPart::Phase => self.phase(call, site),
            _ => self.call(call, site),
        }
    }

    pub fn begin(&mut self, at: i64) {
        self.close();
        (self.span.begin, self.span.end) = (at, at);
        self.busy = self.lanes.times(if self.is_timed() { at } else { 0 });
        self.turn(at, LinkEvent::Begin(self.selected));
    }

    pub fn edge(&mut self, at: i64, selected: bool) {
        match &self.calls {
            None if at > self.span.end => self.pass(at),
            // The rank's time begins when the program goes on after MPI_Init.
            Some(calls) if selected && !calls.has_begun() && at > self.span.end => return self.begin_selected(at),
            _ => {}
        }
        self.selected = selected;
        self.turn(at, LinkEvent::Selection(selected));
    }

    fn begin_selected(&mut self, at: i64) {
        self.selected = true;
        self.begin(at);
    }

    /// Adds a call of the rank's first thread.
    #[inline]
    pub fn call(&mut self, call: &TimedCall, site: u32) {
        if self.calls.is_some() {
            return self.busy_call(call, site);
        }
        let outside = (call.start - self.span.end).max(0) + (call.end - call.start - call.inside).max(0);
        self.busy[0].grow(outside);
        self.span.end = call.end;
    }

    fn busy_call(&mut self, call: &TimedCall, site: u32) {
        let closed = self.calls.as_mut().and_then(|calls| calls.next(call, site, &mut self.busy));
        if let Some(returned) = closed {
            self.push(Dependency::Returns(returned));
        }
        if let Some(calls) = &mut self.calls {
            calls.open(call, site, self.span.end, &mut self.busy);
        }
        self.span.end = call.end;
    }

    /// Ends a phase at an MPI_Pcontrol call and begins the next.
    fn phase(&mut self, call: &TimedCall, site: u32) {
        self.call(call, site);
        if self.calls.is_none() {
            self.turn(call.start, LinkEvent::NextPhase);
        }
    }

    /// Ends the rank's time, in computation.
    pub fn finalize(&mut self, at: i64, site: u32) {
        self.close();
        match &mut self.calls {
            Some(calls) => calls.compute(site, self.span.end, at.saturating_sub(self.span.end), &mut self.busy),
            None => self.busy[0].grow((at - self.span.end).max(0)),
        }
        self.span.end = at;
    }

    /// Lets the time of an ideal run pass outside calls.
    fn pass(&mut self, until: i64) {
        self.busy[0].grow((until - self.span.end).max(0));
        self.span.end = until;
    }

    /// Ends the rank at a time until which it lasted for certain.
    pub fn last(&mut self, until: i64) {
        self.finalize(until, BusyCalls::THE_END);
    }

    /// Ends the last call.
    fn close(&mut self) {
        let returned = self.calls.as_mut().and_then(|calls| calls.close(&mut self.busy));
        if let Some(returned) = returned {
            self.push(Dependency::Returns(returned));
        }
    }

    /// The position of a call that others wait for, which begins at `at` at a site.
    #[inline]
    pub fn mark_at(&mut self, at: i64, site: u32) -> Mark {
        if !self.wanted {
            return Mark::default();
        }
        let (reached, number) = (self.reached(at, site), self.first + self.links.len() as u64);
        self.marks.mark((number, &self.block), &self.busy, reached)
    }

    fn reached(&self, at: i64, site: u32) -> Reached {
        let Some(calls) = &self.calls else { return Reached::default() };
        Reached { at, ahead: at.saturating_sub(calls.position(self.span.end)), absent: self.lanes.absent(site) }
    }

    /// Adds a dependency that is known.
    #[inline]
    pub fn depends(&mut self, to: Dependency) {
        self.push(to);
    }

    /// Adds a link whose source is not known yet. Returns the number by which [`Links::known`] fills it.
    #[inline]
    pub fn reserve(&mut self) -> u64 {
        self.push(Dependency::Open)
    }

    /// Fills the first open link at or after `expected`. Returns the number to pass for the next message of the same call.
    #[inline]
    pub fn known(&mut self, expected: u64, to: Dependency) -> u64 {
        let from = (expected.saturating_sub(self.first) as usize).min(self.links.len());
        for (link, at) in self.links.range_mut(from..).zip(from..) {
            if let Dependency::Open = link.to {
                link.to = to;
                return self.first + at as u64 + 1;
            }
        }
        expected
    }

    /// Records that the rank reaches a collective call, at a time and a site.
    #[inline]
    pub fn comes(&mut self, node: Option<CollectiveNode>, (at, site): (i64, u32)) {
        if let Some(node) = node {
            let reached = self.reached(at, site);
            self.push(Dependency::Comes(node, reached));
        }
    }

    /// Records that the rank waits for a collective call.
    #[inline]
    pub fn awaits(&mut self, node: Option<CollectiveNode>, way: Option<DependencyWay>) {
        if let Some(node) = node {
            self.push(Dependency::Awaits(node, way));
        }
    }

    /// Takes out the links before the first one that is open.
    pub fn take_known(&mut self) -> impl Iterator<Item = Link> {
        let known = self.links.iter().take_while(|link| !matches!(link.to, Dependency::Open)).count();
        self.first += known as u64;
        self.links.drain(..known)
    }

    /// Forgets the links so far: nothing is replayed.
    pub fn forget(&mut self) {
        self.first += self.links.len() as u64;
        self.links.clear();
    }

    /// Forgets the links so far, and keeps no more.
    pub fn stop(&mut self) {
        self.forget();
        (self.wanted, self.block) = (false, None);
    }

    /// Takes out all links, followed by the rank's end, and the times of computation and of calls that waited for nobody.
    /// A link that is still open depends on nothing that was recorded.
    pub fn take_all(mut self) -> (impl Iterator<Item = Link>, PlaceTimes) {
        self.close();
        self.turn(self.span.end, LinkEvent::End(self.span.in_vain));
        for link in &mut self.links {
            if let Dependency::Open = link.to {
                link.to = Dependency::Nothing;
            }
        }
        (self.links.into_iter(), self.calls.map(|calls| calls.times).unwrap_or_default())
    }

    /// Takes out the computations that were counted.
    pub fn take_stretches(&mut self) -> StretchMeans {
        self.calls.as_mut().map(|calls| std::mem::take(&mut calls.stretches)).unwrap_or_default()
    }

    fn turn(&mut self, at: i64, event: LinkEvent) {
        self.push(Dependency::Turn(at, event));
    }

    /// Adds a link if links are wanted. Returns its number.
    #[inline]
    fn push(&mut self, to: Dependency) -> u64 {
        let number = self.first + self.links.len() as u64;
        if self.wanted {
            if let (Some(calls), Dependency::Nothing | Dependency::Marked(_) | Dependency::Awaits(..)) =
                (&mut self.calls, &to)
            {
                calls.depends();
            }
            let block = number.is_multiple_of(EACH).then(|| Arc::new(LinkBlock::new(self.busy.len())));
            if block.is_some() {
                self.block.clone_from(&block);
                self.marks.turn();
            }
            if let Some(block) = &self.block {
                put(block.busy(number), &self.busy);
            }
            self.links.push_back(Link { to, block });
        }
        number
    }
}
