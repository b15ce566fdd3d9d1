//! Matches the collective calls of all ranks by object and ordinal, and charges each rank's wait to the rank that came last.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::collective_node::CollectiveNode;
use super::wait_sums::{RankSite, WaitKey, WaitSpan, WaitState, Waits};
use super::{Cause, Delivery, Follow, Token, WaitingCall};
use crate::common_clock::CommonClock;
use crate::objects::Objects;
use crate::parallel::{into_inner, lock};
use crate::roles::Flow;

/// One rank's part in a collective call.
#[derive(Clone, Copy, Debug)]
pub struct CollectiveArrival {
    pub at: RankSite,
    /// The calling thread's place among the rank's threads.
    pub thread: u32,
    pub flow: Flow,
    pub function: u16,
    pub root: bool,
    /// Bytes of the larger of its send and receive side.
    pub bytes: u64,
    pub begin: i64,
    pub end: ArrivalEnd,
}

/// Bytes that libraries store until they are taken: Open MPI and MPICH send 4 KiB and more at once on every network. A call with
/// fewer lasts for another reason.
pub const STORED: u64 = 4096;

impl CollectiveArrival {
    /// True for ranks that only send: they wait for those that receive if the library has no room for the data, and for nobody otherwise.
    fn hands_over(&self) -> bool {
        match self.flow {
            Flow::FromRoot => self.root,
            Flow::ToRoot => !self.root,
            _ => false,
        }
    }

    /// True if a blocking call that hands over more than every library stores had not returned at this time.
    fn lasts_until(&self, time: i64) -> bool {
        self.bytes > STORED && self.end.until().is_some_and(|until| until >= time)
    }
}

/// End of a rank's part in a collective call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrivalEnd {
    /// The call returned at this time.
    Ended(i64),
    /// The call is nonblocking: the cause of its wait goes to its completion, by this token.
    Pending(Token),
    /// The call has not returned; it lasted at least until this time.
    Open(i64),
}

impl ArrivalEnd {
    pub fn ended(self) -> Option<i64> {
        if let ArrivalEnd::Ended(end) = self { Some(end) } else { None }
    }

    /// The token of a nonblocking call.
    pub fn token(self) -> Option<Token> {
        if let ArrivalEnd::Pending(token) = self { Some(token) } else { None }
    }

    /// Time until which the call lasted for certain; `None` for a nonblocking one.
    fn until(self) -> Option<i64> {
        match self {
            ArrivalEnd::Ended(until) | ArrivalEnd::Open(until) => Some(until),
            ArrivalEnd::Pending(_) => None,
        }
    }
}

/// A rank's own part in a collective call.
#[derive(Clone, Copy, Debug)]
pub struct OwnPart {
    pub rank: u32,
    pub flow: Flow,
    pub root: bool,
}

/// Place of a call among an object's collective calls: calls before it, and for a persistent one the earlier starts.
pub type Ordinal = (u64, u64);

/// When a rank arrived, and which of its threads.
type Arrived = (i64, RankSite, u32);

/// A call that some ranks have not reached yet.
struct Instance {
    arrivals: Vec<CollectiveArrival>,
    last: Option<Arrived>,
    root: Option<Arrived>,
    /// For the replay; of a call among neighbors, the node of the first rank.
    node: Option<CollectiveNode>,
}

#[derive(Default)]
struct OfObject {
    open: FxHashMap<Ordinal, Instance>,
    /// Ordinal of the first call where ranks called different functions. Calls from there on cannot be matched.
    confused: Option<u64>,
}

impl OfObject {
    fn is_confused(&self, ordinal: Ordinal) -> bool {
        self.confused.is_some_and(|from| ordinal.0 >= from)
    }
}

/// All collective calls of a run.
pub struct Collectives<'a> {
    pub objects: &'a Objects,
    pub common_clock: &'a CommonClock,
    follow: Follow,
    open: Vec<Mutex<OfObject>>,
    /// Nodes made so far.
    nodes: AtomicU64,
    /// Data handed from or to roots, and the number of parts of nonblocking calls that are missing from it.
    deliveries: Mutex<(Vec<Delivery>, u64)>,
}

/// Collective calls that could not be matched.
#[derive(Default, Debug)]
pub struct UnmatchedCollectives {
    /// Calls in which a rank waited for ranks that never arrived, by rank and call site.
    pub waiting: FxHashMap<RankSite, u64>,
    /// Objects on which ranks called different functions at the same ordinal.
    pub confused: Vec<u32>,
}

impl<'a> Collectives<'a> {
    pub fn new(objects: &'a Objects, common_clock: &'a CommonClock, follow: Follow) -> Collectives<'a> {
        let open = objects.groups.iter().map(|_| Mutex::default()).collect();
        Collectives { objects, common_clock, follow, open, nodes: AtomicU64::new(0), deliveries: Mutex::default() }
    }

    /// Enters a rank's arrival. The last arrival adds everyone's waits to `waits` and the causes for nonblocking parts to `told`.
    /// Returns the call's node and whether the call is complete and selected.
    pub fn arrive(
        &self,
        object: u32,
        ordinal: Ordinal,
        arrival: CollectiveArrival,
        waits: &mut Waits,
        told: &mut Vec<(u32, Token, Option<Cause>)>,
    ) -> (Option<CollectiveNode>, bool) {
        let size = self.objects.groups[object as usize].size();
        let mut of_object = lock(&self.open[object as usize]);
        if of_object.is_confused(ordinal) {
            told.extend(arrival.end.token().map(|token| (arrival.at.rank, token, None)));
            if let Some(instance) = of_object.open.get_mut(&ordinal) {
                instance.arrivals.push(arrival);
            }
            return (None, false);
        }
        let nobody = || Instance {
            arrivals: Vec::new(),
            last: None,
            root: None,
            node: match arrival.flow {
                // The root comes to the first node, the others to the second.
                Flow::FromRoot => self.nodes([1, (size as u32).saturating_sub(1)]),
                Flow::Neighbors => self.neighbors(object),
                _ => self.node(size as u32),
            },
        };
        let instance = of_object.open.entry(ordinal).or_insert_with(nobody);
        if instance.arrivals.first().is_some_and(|first| first.function != arrival.function) {
            instance.arrivals.push(arrival);
            of_object.confused = Some(ordinal.0);
            // Nothing completes these calls any more; requests that complete together with them must not wait for causes.
            let under_way = of_object.open.iter().filter(|(other, _)| other.0 >= ordinal.0);
            let under_way = under_way.flat_map(|(_, instance)| &instance.arrivals);
            told.extend(under_way.filter_map(|other| Some((other.at.rank, other.end.token()?, None))));
            of_object.open.retain(|other, _| other.0 <= ordinal.0);
            return (None, false);
        }
        instance.come(arrival);
        let node = instance.node.clone();
        if (instance.arrivals.len() as u64) < size {
            return (node, false);
        }
        let Some(instance) = of_object.open.remove(&ordinal) else { return (node, false) };
        drop(of_object);
        // Any rank may be read last, so the answer must not depend on which one was.
        let counts = instance.arrivals.iter().any(|arrival| arrival.at.place.counts());
        self.resolve(object, instance, waits, told);
        (node, counts)
    }

    /// Makes a node that `needed` ranks must reach, if dependencies are followed.
    pub fn node(&self, needed: u32) -> Option<CollectiveNode> {
        self.nodes([needed])
    }

    /// Makes a node for each local process of a communicator, which the process's sources must reach. Returns the first.
    fn neighbors(&self, object: u32) -> Option<CollectiveNode> {
        let sources = |rank| self.objects.neighbors(rank, object).map_or(0, |neighbors| neighbors.sources.len() as u32);
        self.nodes(self.objects.groups[object as usize].here().map(sources))
    }

    fn nodes(&self, needed: impl IntoIterator<Item = u32>) -> Option<CollectiveNode> {
        if !self.follow.intersects(Follow::DEPENDENCIES | Follow::REPLAYS) {
            return None;
        }
        let needed: SmallVec<[u32; 1]> = needed.into_iter().collect();
        Some(CollectiveNode::first(self.nodes.fetch_add(needed.len() as u64, Relaxed), needed))
    }

    fn resolve(
        &self,
        object: u32,
        mut instance: Instance,
        waits: &mut Waits,
        told: &mut Vec<(u32, Token, Option<Cause>)>,
    ) {
        let flow = instance.arrivals[0].flow;
        if flow == Flow::Prefix {
            let group = &self.objects.groups[object as usize];
            instance.arrivals.sort_by_cached_key(|arrival| group.own(arrival.at.rank as usize));
        }
        let sources = if flow == Flow::Neighbors { self.sources(object, &instance.arrivals) } else { Vec::new() };
        // The latest of the lower ranks, for MPI_Scan.
        let mut below = None;
        for (at, arrival) in instance.arrivals.iter().enumerate() {
            let late = match flow {
                Flow::FromRoot if !arrival.root => instance.root,
                Flow::FromRoot => instance.last.filter(|last| arrival.lasts_until(last.0)),
                Flow::ToRoot if arrival.root => instance.last,
                // Inside a tree, a rank waits for others than the root.
                Flow::ToRoot => {
                    instance.last.filter(|last| arrival.lasts_until(last.0) && instance.root == Some(*last))
                }
                Flow::Prefix => below,
                Flow::Neighbors => sources[at],
                _ => instance.last,
            };
            below = below.max(Some((arrival.begin, arrival.at, arrival.thread)));
            let late = late.filter(|late| late.0 > arrival.begin);
            let state = if arrival.hands_over() { WaitState::WaitToHandOver } else { state(flow) };
            let cause = late.map(|(at, who, thread)| Cause { at, who, thread, state });
            match arrival.end {
                ArrivalEnd::Ended(until) | ArrivalEnd::Open(until) => {
                    if let Some(cause) = cause {
                        let CollectiveArrival { at, thread, begin, .. } = *arrival;
                        cause.charge(WaitingCall { at, thread, begin, end: until }, self.common_clock, waits);
                    }
                }
                ArrivalEnd::Pending(token) => told.push((arrival.at.rank, token, cause)),
            }
        }
        self.completion(flow, &instance.arrivals, waits);
        if self.follow.contains(Follow::HANDED_OVER) {
            self.deliver(flow, &instance.arrivals);
        }
    }

    /// Records the data that the root sends to the others, or receives from them.
    fn deliver(&self, flow: Flow, arrivals: &[CollectiveArrival]) {
        let Some(root) = arrivals.iter().find(|arrival| arrival.root) else { return };
        let mut deliveries = lock(&self.deliveries);
        for other in arrivals.iter().filter(|arrival| !arrival.root) {
            let (from, to) = if flow == Flow::FromRoot { (root, other) } else { (other, root) };
            match to.end {
                ArrivalEnd::Ended(end) => {
                    let (begin, bytes) = (from.begin, other.bytes);
                    deliveries.0.push(Delivery { begin, end, from: from.at, to: to.at, bytes });
                }
                ArrivalEnd::Pending(_) => deliveries.1 += u64::from(from.at.place.counts() && to.at.place.counts()),
                ArrivalEnd::Open(_) => {}
            }
        }
    }

    /// Takes the recorded deliveries and the number of parts of nonblocking calls that are missing from them.
    pub fn take_deliveries(&self) -> (Vec<Delivery>, u64) {
        std::mem::take(&mut lock(&self.deliveries))
    }

    /// For each arrival, the latest of the ranks that it receives from.
    fn sources(&self, object: u32, arrivals: &[CollectiveArrival]) -> Vec<Option<Arrived>> {
        let neighbors = |arrival: &CollectiveArrival| self.objects.neighbors(arrival.at.rank, object);
        let came = |arrival| Some((neighbors(arrival)?.own, (arrival.begin, arrival.at, arrival.thread)));
        let came: FxHashMap<u32, Arrived> = arrivals.iter().filter_map(came).collect();
        let last = |arrival| neighbors(arrival)?.sources.iter().filter_map(|source| came.get(source).copied()).max();
        arrivals.iter().map(last).collect()
    }

    /// Charges the time between the first rank's exit and each other rank's exit.
    fn completion(&self, flow: Flow, arrivals: &[CollectiveArrival], waits: &mut Waits) {
        let state = match flow {
            Flow::Barrier => WaitState::BarrierCompletion,
            Flow::All => WaitState::NxnCompletion,
            _ => return,
        };
        if !waits.are_wanted() {
            return;
        }
        let Some(first) = arrivals.iter().filter_map(|arrival| arrival.end.ended()).min() else { return };
        for arrival in arrivals {
            let Some(end) = arrival.end.until() else { continue };
            let time = end - first.max(arrival.begin);
            if time > 0 {
                let error = self.common_clock.lines[arrival.at.rank as usize].error(end);
                let key = WaitKey { state, waiter: arrival.at, cause: arrival.at };
                if waits.add(key, time, error) {
                    waits
                        .span(WaitSpan { call: arrival.begin, from: end - time, until: end, key }, arrival.thread == 0);
                }
            }
        }
    }

    /// Wait state of a rank in an incomplete call, and the first missing rank. `None` if the rank does not wait.
    pub fn waits_for_others(&self, object: u32, ordinal: Ordinal, own: OwnPart) -> Option<(WaitState, Option<u32>)> {
        let OwnPart { rank, flow, root } = own;
        let group = &self.objects.groups[object as usize];
        if !group.is_here() {
            return None;
        }
        let of_object = lock(&self.open[object as usize]);
        let is_confused = of_object.is_confused(ordinal);
        let arrivals = match of_object.open.get(&ordinal) {
            _ if is_confused => &[],
            Some(instance) => instance.arrivals.as_slice(),
            None => return None,
        };
        if flow == Flow::FromRoot && (root || arrivals.iter().any(|arrival| arrival.root))
            || flow == Flow::ToRoot && !root
        {
            return None;
        }
        let came: FxHashSet<u32> = arrivals.iter().map(|arrival| arrival.at.rank).chain([rank]).collect();
        let missing = match flow {
            Flow::Prefix => {
                let below = group.own(rank as usize)?;
                let is_below = |other: &u32| group.own(*other as usize).is_some_and(|place| place < below);
                group.everybody().filter(is_below).find(|other| !came.contains(other))
            }
            Flow::Neighbors => {
                let sources = &self.objects.neighbors(rank, object)?.sources;
                let own = |other: u32| self.objects.neighbors(other, object).map(|neighbors| neighbors.own);
                let is_source = |other: &u32| own(*other).is_some_and(|own| sources.contains(&own));
                group.everybody().filter(is_source).find(|other| !came.contains(other))
            }
            _ => group.everybody().find(|other| !came.contains(other)),
        };
        // A rank that called another function has not come here, and its number is unknown.
        (missing.is_some() || is_confused).then(|| (state(flow), missing.filter(|_| !is_confused)))
    }

    /// Returns the unmatched calls, once all calls of all ranks were seen.
    pub fn rest(self) -> UnmatchedCollectives {
        let mut rest = UnmatchedCollectives::default();
        for (object, state) in self.open.into_iter().enumerate() {
            let state = into_inner(state);
            if state.confused.is_some() {
                rest.confused.push(object as u32);
            }
            // Without all files, it is unknown if the others came.
            if !self.objects.groups[object].is_here() {
                continue;
            }
            let arrivals = state.open.values().flat_map(|instance| &instance.arrivals);
            // The others may still join a rank that is inside the call.
            let is_over = |arrival: &&CollectiveArrival| !matches!(arrival.end, ArrivalEnd::Open(_));
            for arrival in arrivals.filter(is_over).filter(|arrival| arrival.at.place.counts()) {
                *rest.waiting.entry(arrival.at).or_default() += 1;
            }
        }
        rest
    }
}

impl Instance {
    fn come(&mut self, arrival: CollectiveArrival) {
        let who = Some((arrival.begin, arrival.at, arrival.thread));
        self.last = self.last.max(who);
        if arrival.root {
            self.root = who;
        }
        self.arrivals.push(arrival);
    }
}

fn state(flow: Flow) -> WaitState {
    match flow {
        Flow::Barrier => WaitState::WaitAtBarrier,
        Flow::All => WaitState::WaitAtNxn,
        Flow::FromRoot => WaitState::LateBroadcast,
        Flow::ToRoot => WaitState::EarlyReduce,
        Flow::Prefix => WaitState::EarlyScan,
        Flow::Fence => WaitState::WaitAtFence,
        Flow::Create => WaitState::WaitAtCreate,
        Flow::Neighbors => WaitState::WaitAtNeighbors,
    }
}
