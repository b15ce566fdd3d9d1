//! Replays all ranks in changed runs, by what their calls were found to depend on.
//!
//! In: the calls of each rank's first thread, and its notes and marks. Out: each rank's time in each changed run. Nothing is matched.

use std::sync::{Arc, Mutex};

use rustc_hash::{FxHashMap, FxHashSet};

use super::collective_node::CollectiveNode;
use super::dependency_bytes::{MarkPlace, Note, NotedMark, NotedMarks, NotedNode, Notes};
use super::dependency_file::Dependencies;
use super::link_times::Mark;
use super::links::{Dependency, Links, MarkedDependency, RankTime, SelectionEdges};
use super::replay::{RankReplay, Replay};
use super::scenario::{DependencyWay, Lanes, WayKind};
use super::schedule::{Schedule, TURN};
use super::stretches::{Around, StretchMeans};
use crate::common_clock::CommonClock;
use crate::objects::Objects;
use crate::parallel::{into_inner, lock};
use crate::roles::Roles;
use crate::stream::Stream;
use crate::{Run, parallel};

/// Replays a run whose dependencies are known; `in_vain` is each rank's time at its end spent waiting for events that never happened.
pub fn replayed(
    run: &Run,
    common_clock: &CommonClock,
    dependencies: &Dependencies,
    lanes: Lanes,
    in_vain: impl Fn(usize) -> i64,
) -> (Vec<RankReplay>, Vec<RankTime>) {
    let (lanes, objects, nodes) = (Arc::new(lanes), Objects::of(run), Nodes::default());
    let ranks: Vec<Mutex<ReplayedCalls>> = (0..run.ranks.len())
        .map(|at| Mutex::new(ReplayedCalls::of(run, common_clock, &objects, dependencies, (at, &lanes))))
        .collect();
    let replay = Mutex::new(Replay::new(&lanes, ranks.len()));
    Schedule::of(ranks.iter().map(|rank| lock(rank).next())).run(|turn| {
        let mut rank = lock(&ranks[turn.rank]);
        rank.go_on(TURN, &nodes);
        let ReplayedCalls { links, marks, unneeded, .. } = &mut *rank;
        lock(&replay).take_marked(turn.rank as u32, links.take_known(), marks.drain(..), unneeded.drain(..));
        turn.next = rank.next();
    });
    let (mut replay, mut times) = (into_inner(replay), Vec::new());
    for (at, rank) in ranks.into_iter().map(into_inner).enumerate() {
        let (links, marks, unneeded) = rank.end(in_vain(at));
        times.push(links.span);
        let (links, places) = links.take_all();
        replay.take_marked(at as u32, links, marks.into_iter(), unneeded.into_iter());
        replay.add_places(at as u32, places);
    }
    (replay.finish().1, times)
}

/// The mean computations between these sites, or of all, as a replay numbers them.
pub fn stretch_means(
    run: &Run,
    common_clock: &CommonClock,
    dependencies: &Dependencies,
    sites: Option<FxHashSet<Around>>,
) -> StretchMeans {
    let (lanes, objects) = (Arc::new(sites.map_or_else(Lanes::counting, Lanes::counting_between)), Objects::of(run));
    let of_ranks = parallel::map(run.ranks.len(), |at| {
        let mut rank = ReplayedCalls::of(run, common_clock, &objects, dependencies, (at, &lanes));
        while let Some(calls) = &mut rank.calls
            && let Some(call) = calls.peek()
        {
            rank.links.read(call, calls.role(call), &mut rank.edges);
            rank.links.forget();
            calls.advance();
        }
        rank.end(0).0.take_stretches()
    });
    let mut all = StretchMeans::default();
    for of_rank in of_ranks {
        all.merge(of_rank);
    }
    all
}

/// Nodes that some ranks have not reached yet, by number, with the parts of ranks that are left.
#[derive(Default)]
struct Nodes(Mutex<FxHashMap<u64, (CollectiveNode, u32)>>);

impl Nodes {
    fn of(&self, noted: NotedNode) -> CollectiveNode {
        let mut nodes = lock(&self.0);
        let made = || (CollectiveNode::first(noted.number, [noted.needed]), noted.parts);
        let (node, left) = nodes.entry(noted.number).or_insert_with(made);
        let node = node.clone();
        *left -= u32::from(noted.is_last).min(*left);
        if *left == 0 {
            nodes.remove(&noted.number);
        }
        node
    }
}

/// One rank's calls and what they depend on.
struct ReplayedCalls<'a> {
    number: u32,
    /// The calls of its first thread.
    calls: Option<Stream<'a>>,
    edges: SelectionEdges,
    notes: Notes<'a>,
    noted_marks: NotedMarks<'a>,
    /// Calls and notes that were read.
    read: (u64, u64),
    lanes: Arc<Lanes>,
    links: Links,
    /// Positions that the replay does not have yet, and those that nobody waits for.
    marks: Vec<Mark>,
    unneeded: Vec<NotedMark>,
    /// Time until which the rank lasted for certain, if it has not finalized MPI.
    lasts_until: Option<i64>,
}

impl<'a> ReplayedCalls<'a> {
    fn of(
        run: &'a Run,
        common_clock: &'a CommonClock,
        objects: &'a Objects,
        dependencies: &'a Dependencies,
        (at, lanes): (usize, &Arc<Lanes>),
    ) -> ReplayedCalls<'a> {
        let (rank, line) = (&run.ranks[at], &common_clock.lines[at]);
        let contents = rank.contents();
        let first = contents.threads.first().map_or(0, |thread| thread.number);
        let edges = SelectionEdges::of(rank.stretches(first), line);
        // The replay knows the first thread's computations alone.
        let thread = contents.threads.iter().find(|thread| thread.number == 0);
        let calls =
            thread.map(|thread| Stream::whole(thread, rank, line, Roles::of(run, objects, run.call_sites(), at)));
        let mut links = Links::new(at as u32, Some(lanes), edges.begins_selected);
        if let Some(begin) = dependencies.begin(at) {
            links.begin(begin);
        }
        ReplayedCalls {
            number: at as u32,
            calls,
            edges,
            notes: dependencies.notes(at),
            noted_marks: dependencies.marks(at),
            read: (0, 0),
            lanes: Arc::clone(lanes),
            links,
            marks: Vec::new(),
            unneeded: Vec::new(),
            lasts_until: (!rank.is_finalized()).then(|| line.nanoseconds_at(rank.until)),
        }
    }

    fn next(&self) -> Option<i64> {
        self.calls.as_ref()?.start()
    }

    /// Processes up to `calls` of the rank's calls.
    fn go_on(&mut self, calls: usize, nodes: &Nodes) {
        if self.read.0 == 0 {
            self.depend((0, 0, 0), nodes);
        }
        let Some(mut stream) = self.calls.take() else { return };
        for _ in 0..calls {
            let Some(call) = stream.peek() else { break };
            let role = stream.role(call);
            self.links.read(call, role, &mut self.edges);
            self.read.0 += 1;
            self.depend((call.start, call.end, role.place.number() as u32), nodes);
            stream.advance();
        }
        self.calls = Some(stream);
    }

    /// Adds the marks and dependencies of the call that was read last, by its begin, end and site.
    fn depend(&mut self, (start, end, site): (i64, i64, u32), nodes: &Nodes) {
        loop {
            if let Some(MarkPlace { calls, notes, elsewhere }) = self.noted_marks.next
                && calls == self.read.0
                && notes <= self.read.1
            {
                let (at, site) = elsewhere.unwrap_or((start, site));
                self.marks.push(self.links.mark_at(at, site));
                self.noted_marks.advance();
                continue;
            }
            let Some((call, note)) = self.notes.next else { return };
            if call != self.read.0 {
                return;
            }
            self.notes.advance();
            self.read.1 += 1;
            self.add(note, (start, end, site), nodes);
        }
    }

    fn add(&mut self, note: Note, (start, end, site): (i64, i64, u32), nodes: &Nodes) {
        let to = self.number;
        match note {
            Note::Nothing => self.links.depends(Dependency::Nothing),
            Note::Message { sent, bytes, of_any, is_last } => {
                let way = DependencyWay { kind: WayKind::Message(of_any), from: sent.rank, to, bytes };
                let marked = MarkedDependency { mark: sent, way, until: i64::MAX, is_last };
                self.links.depends(Dependency::Marked(marked));
            }
            Note::Posted { posted, bytes, is_late } => {
                let network = &self.lanes.network;
                let may_wait = self.lanes.may_hold_up(bytes);
                // A send that is known to leave at once depends on nobody.
                let is_kept = network.at_once().is_some_and(|most| bytes <= most) && !may_wait;
                let waits = network.waits_for_receive(bytes) || is_late || may_wait;
                let until = if may_wait { i64::MAX } else { end.saturating_add(self.lanes.tolerance) };
                match posted {
                    Some(mark) if waits && !is_kept => {
                        let way = DependencyWay { kind: WayKind::Posted, from: mark.rank, to, bytes };
                        let marked = MarkedDependency { mark, way, until, is_last: true };
                        self.links.depends(Dependency::Marked(marked));
                    }
                    posted => {
                        self.unneeded.extend(posted);
                        if !is_kept {
                            self.links.depends(Dependency::Nothing);
                        }
                    }
                }
            }
            Note::Comes(node, elsewhere) => {
                self.links.comes(Some(nodes.of(node)), elsewhere.unwrap_or((start, site)));
            }
            Note::Awaits(node, kind, bytes) => {
                let way = DependencyWay { kind, from: to, to, bytes };
                self.links.awaits(Some(nodes.of(node)), Some(way));
            }
            Note::Unneeded(mark) => self.unneeded.push(mark),
        }
    }

    /// Ends the rank's time.
    fn end(mut self, in_vain: i64) -> (Links, Vec<Mark>, Vec<NotedMark>) {
        if let Some(until) = self.lasts_until.filter(|until| *until > self.links.span.end) {
            let links = &mut self.links;
            self.edges.until(until, |at, selected| links.edge(at, selected));
            links.last(until);
        }
        self.links.span.in_vain = in_vain;
        (self.links, self.marks, self.unneeded)
    }
}
