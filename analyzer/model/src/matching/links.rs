//! One rank's dependencies on others, in the order of its calls, until the [replay](super::replay) takes them.
//!
//! In: the rank's calls, and the senders of its messages once they are known. Out: [`Link`]s, and the rank's useful time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::collective_node::CollectiveNode;
use crate::common_clock::ClockLine;
use crate::selection::{LEFT_OUT, Part};
use crate::sums::Grow;

/// One dependency of a call, one contribution to a collective call, or a boundary in the rank's time.
pub struct Link {
    /// Useful time of the rank at the call, nanoseconds.
    pub time: i64,
    pub to: Dependency,
    /// Array for the delays after this link and the next ones; `None` if an earlier link's array holds them.
    pub delays: Option<Arc<Delays>>,
}

pub enum Dependency {
    /// Not known yet.
    Open,
    Nothing,
    /// The sender of a message, and its position when it sent.
    Message(u32, Mark),
    /// The rank reaches a collective call.
    Comes(CollectiveNode),
    /// The rank waits for a collective call.
    Awaits(CollectiveNode),
    /// A boundary at this time on the run's common clock.
    Turn(i64, LinkEvent),
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

/// Position of a rank in its links. Shares the array of the delay there, so the delay lives as long as the mark.
#[derive(Clone, Default, Debug)]
pub struct Mark {
    /// Useful time, nanoseconds.
    pub time: i64,
    /// Links so far.
    pub number: u64,
    delays: Option<Arc<Delays>>,
}

/// Delays of a rank after each of [`EACH`] successive links, nanoseconds. The replay fills them in under its lock.
#[derive(Debug)]
pub struct Delays([AtomicI64; EACH as usize]);

const EACH: u64 = 64;

impl Default for Delays {
    fn default() -> Delays {
        Delays([const { AtomicI64::new(0) }; EACH as usize])
    }
}

impl Delays {
    /// Stores the delay after a link, by the link's number.
    pub fn put(&self, link: u64, delay: i64) {
        self.0[(link % EACH) as usize].store(delay, Relaxed);
    }
}

impl Mark {
    /// The rank's delay at this position, once the links before it are replayed.
    pub fn delay(&self) -> i64 {
        let last = self.number.checked_sub(1).zip(self.delays.as_ref());
        last.map_or(0, |(link, delays)| delays.0[(link % EACH) as usize].load(Relaxed))
    }
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

/// One rank's useful time, and the links that the replay does not have yet.
#[derive(Default)]
pub struct Links {
    pub span: RankTime,
    /// Time outside MPI so far, nanoseconds.
    useful: i64,
    /// The time from here on is selected.
    selected: bool,
    wanted: bool,
    links: VecDeque<Link>,
    /// Number of the first link in `links`.
    first: u64,
    /// Array that will hold the delay after the last link.
    delays: Option<Arc<Delays>>,
}

impl Links {
    pub fn new(wanted: bool, selected: bool) -> Links {
        let mut links = Links { wanted, selected, ..Links::default() };
        links.turn(0, LinkEvent::Begin(selected));
        links
    }

    pub fn begin(&mut self, at: i64) {
        (self.span.begin, self.span.end, self.useful) = (at, at, 0);
        self.turn(at, LinkEvent::Begin(self.selected));
    }

    pub fn edge(&mut self, at: i64, selected: bool) {
        if at > self.span.end {
            self.call(at, at, 0);
        }
        self.selected = selected;
        self.turn(at, LinkEvent::Selection(selected));
    }

    /// Adds a call of the rank's first thread; `inside` is the part of it in MPI, nanoseconds.
    #[inline]
    pub fn call(&mut self, start: i64, end: i64, inside: i64) {
        self.useful.grow((start - self.span.end).max(0) + (end - start - inside).max(0));
        self.span.end = end;
    }

    /// Ends a phase at an MPI_Pcontrol call and begins the next.
    pub fn phase(&mut self, start: i64, end: i64) {
        self.call(start, end, end - start);
        self.turn(start, LinkEvent::NextPhase);
    }

    pub fn finalize(&mut self, at: i64) {
        self.useful.grow((at - self.span.end).max(0));
        self.span.end = at;
    }

    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { time: self.useful, number: self.first + self.links.len() as u64, delays: self.delays.clone() }
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

    /// Records that the rank reaches a collective call (`comes`), waits for it (`awaits`), or both.
    #[inline]
    pub fn collective(&mut self, node: Option<CollectiveNode>, comes: bool, awaits: bool) {
        let Some(node) = node else { return };
        if comes {
            self.push(Dependency::Comes(node.clone()));
        }
        if awaits {
            self.push(Dependency::Awaits(node));
        }
    }

    /// Takes out the links before the first one that is open.
    pub fn take_known(&mut self) -> impl Iterator<Item = Link> {
        let known = self.links.iter().take_while(|link| !matches!(link.to, Dependency::Open)).count();
        self.first += known as u64;
        self.links.drain(..known)
    }

    /// Takes out all links, followed by the rank's end. A link that is still open depends on nothing that was recorded.
    pub fn take_all(mut self) -> impl Iterator<Item = Link> {
        self.turn(self.span.end, LinkEvent::End(self.span.in_vain));
        for link in &mut self.links {
            if let Dependency::Open = link.to {
                link.to = Dependency::Nothing;
            }
        }
        self.links.into_iter()
    }

    fn turn(&mut self, at: i64, event: LinkEvent) {
        self.push(Dependency::Turn(at, event));
    }

    /// Adds a link if links are wanted. Returns its number.
    #[inline]
    fn push(&mut self, to: Dependency) -> u64 {
        let number = self.first + self.links.len() as u64;
        if self.wanted {
            let delays = number.is_multiple_of(EACH).then(Arc::<Delays>::default);
            if delays.is_some() {
                self.delays.clone_from(&delays);
            }
            self.links.push_back(Link { time: self.useful, to, delays });
        }
        number
    }
}
