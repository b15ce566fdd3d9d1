//! Effect of a rank's dropped records on the kept ones: earlier messages and collective calls, and open requests.
//!
//! In: the recorder's summary of the pages that it dropped ([`traces::dropped`]). Out: [`DroppedPast`]. MPI keeps order for each
//! (communicator, sender, receiver, tag), and for the collective calls of each communicator. So counts of the earlier messages
//! and calls are enough to pair the kept ones, although each rank's records begin at another time.

use rustc_hash::{FxHashMap, FxHashSet};
use traces::dropped::{Dropped, DroppedArrival, DroppedRequest, DroppedTotal, RequestState};
use traces::progress::Polls;
use traces::read::{Contents, ThreadPages, Visitor, Walk};
use traces::record::{Arrived, Fate, RecordKind};
use traces::signature::tag;

use crate::Rank;
use crate::request_numbers::{RequestChange, RequestId, RequestNumbers};
use crate::roles::{CallPart, Flow, Peer, Role, Roles};

/// Attributes by which MPI keeps messages in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MessageOrder {
    /// The run's number for the communicator.
    pub object: u32,
    pub from: u32,
    pub to: u32,
    pub tag: i32,
    pub partitioned: bool,
}

/// The dropped past of a rank.
#[derive(Default, Debug)]
pub struct DroppedPast {
    /// Begin of the rank's recording, ticks.
    pub begin: u64,
    /// The tick from which all threads' records are kept.
    pub from: u64,
    /// Messages that it sent.
    pub sent: FxHashMap<MessageOrder, u64>,
    /// Messages that it received, without those of pending receives.
    pub received: FxHashMap<MessageOrder, u64>,
    /// Communicators with wildcard receives whose senders are unknown.
    pub untold: FxHashSet<u32>,
    /// Collective calls, by object.
    pub collectives: FxHashMap<u32, u64>,
    /// All calls in the collective order of an object, including those that need no other rank.
    pub in_order: FxHashMap<u32, u64>,
    /// Number of communicators made by their own processes alone.
    pub made_alone: u64,
    /// Pending requests, with their roles.
    pub pending: Vec<(RequestId, Role)>,
    /// Creations of persistent requests.
    pub persistent: Vec<(RequestId, Role)>,
    /// Requests that a dropped record of another thread completes.
    pub complete_already: Vec<RequestId>,
    /// The order of its calls is unknown: several threads called MPI, and pages are dropped one by one, or a page is missing.
    pub is_unordered: bool,
    /// It opened or closed windows.
    pub has_windows: bool,
}

impl DroppedPast {
    /// `own` is the rank's place in [`Run::ranks`](crate::Run::ranks). `None` if nothing was dropped.
    pub fn of(own: u32, rank: &Rank, contents: &Contents<'_>, roles: Roles<'_>) -> Option<DroppedPast> {
        let mut past = DroppedPast { begin: rank.header.begin.ticks, from: rank.kept_from?, ..DroppedPast::default() };
        let calls = |thread: &&ThreadPages<'_>| thread.dropped.is_some() || !thread.pages.is_empty();
        past.is_unordered =
            contents.threads.iter().filter(calls).count() > 1 || !contents.threads.iter().all(is_gapless);
        let boundaries: Vec<Boundary> = contents.threads.iter().map(Boundary::of).collect();
        for thread in &contents.threads {
            let known = roles.thread(thread);
            past.add(own, thread, &known, &roles, &boundaries);
        }
        past.pending.sort_unstable_by_key(|(id, _)| *id);
        Some(past)
    }

    fn add(&mut self, own: u32, thread: &ThreadPages<'_>, known: &[Role], roles: &Roles<'_>, boundaries: &[Boundary]) {
        let Some(dropped) = &thread.dropped else { return };
        let role = |signature: u32| known.get(signature as usize);
        let number = thread.number;
        let Some(boundary) = boundaries.iter().find(|boundary| boundary.numbers.thread() == number) else { return };
        let mut pending: FxHashMap<u32, u64> = FxHashMap::default();
        let open = boundary.open(dropped.requests, boundaries);
        let first = thread.pages.first().map_or(u64::MAX, |first| first.requests);
        let later =
            boundaries.iter().flat_map(|boundary| boundary.completed(number)).filter(|request| *request >= first);
        self.complete_already.extend(later.map(|request| (number, request)));
        for request in open {
            let id = (thread.number, request.number);
            match (role(request.signature), request.state) {
                (_, state) if state == RequestState::CompleteAlready as u32 => self.complete_already.push(id),
                (Some(role), state) if state == RequestState::Persistent as u32 => self.persistent.push((id, *role)),
                (Some(role), _) => {
                    *pending.entry(request.signature).or_default() += 1;
                    self.pending.push((id, *role));
                }
                (None, _) => {}
            }
        }
        let (started, cancelled) = (boundary.started(dropped.requests), boundary.cancelled(dropped));
        let mut arrived: FxHashMap<u32, u64> = FxHashMap::default();
        for arrival in dropped.arrivals.iter().copied().chain(boundary.arrivals(dropped)) {
            *arrived.entry(arrival.signature).or_default() += arrival.count;
            let Some(role) = role(arrival.signature).filter(|role| receives(role) && is_wild(role)) else { continue };
            let from = (roles.peer(role.object, arrival.source), arrival.tag);
            self.receive(own, role, from, arrival.count);
        }
        for total in dropped.totals {
            let Some(role) = role(total.entry.signature).filter(|role| !role.nested) else { continue };
            let of = |signatures: &[u32]| {
                signatures.iter().filter(|signature| **signature == total.entry.signature).count() as u64
            };
            let (starts, void) = (total.starts + of(&started), total.void + of(&cancelled));
            let times = times(&DroppedTotal { starts, void, ..*total }, role);
            let open = pending.get(&total.entry.signature).copied().unwrap_or(0);
            let told = arrived.get(&total.entry.signature).copied().unwrap_or(0);
            self.calls(own, role, times, (open, told));
        }
    }

    /// Adds `times` calls of a role. Of their receives, `open` are pending; the status of `told` named the sender.
    fn calls(&mut self, own: u32, role: &Role, times: u64, (open, told): (u64, u64)) {
        let is_in_order = || role.call().is_some_and(|call| Flow::in_order(call).is_some());
        if let Some(object) = role.object
            && (matches!(role.what, CallPart::Collective { .. }) || is_in_order())
        {
            *self.in_order.entry(object).or_default() += times;
        }
        match role.what {
            CallPart::Message { sends, receives, partitioned } => {
                if let (true, Peer::Rank(to), Some(object)) = (sends, role.to.0, role.object) {
                    let order = MessageOrder { object, from: own, to, tag: role.to.1, partitioned };
                    *self.sent.entry(order).or_default() += times;
                }
                let complete = times.saturating_sub(open);
                if receives && !is_wild(role) {
                    self.receive(own, role, role.from, complete);
                } else if receives && told < complete {
                    self.untold.extend(role.object);
                }
            }
            CallPart::Collective { .. } => {
                if let Some(object) = role.object {
                    *self.collectives.entry(object).or_default() += times;
                }
            }
            CallPart::Make => self.made_alone += times,
            CallPart::Window(_) => self.has_windows = true,
            _ => {}
        }
    }

    fn receive(&mut self, own: u32, role: &Role, (from, tag): (Peer, i32), count: u64) {
        let partitioned = matches!(role.what, CallPart::Message { partitioned: true, .. });
        if let (Peer::Rank(from), Some(object)) = (from, role.object) {
            let order = MessageOrder { object, from, to: own, tag, partitioned };
            *self.received.entry(order).or_default() += count;
        }
    }
}

fn receives(role: &Role) -> bool {
    matches!(role.what, CallPart::Message { receives: true, .. })
}

/// True if it receives from any source or with any tag.
fn is_wild(role: &Role) -> bool {
    role.from.0 == Peer::Any || role.from.1 == tag::ANY
}

/// Number of times that calls of a signature took part in their operation.
fn times(total: &DroppedTotal, role: &Role) -> u64 {
    let is_collective = matches!(role.what, CallPart::Collective { .. });
    // A persistent collective call takes its place in the order when it is created, even if it is never started.
    let all = if role.creates && !is_collective { total.starts } else { total.entry.count };
    all.saturating_sub(total.void)
}

/// True if no page is missing between those that were dropped and the last one.
fn is_gapless(thread: &ThreadPages<'_>) -> bool {
    let first = thread.dropped.map_or(0, |dropped| dropped.pages);
    (first..).zip(&thread.pages).all(|(sequence, page)| sequence == page.sequence)
}

/// Records of the last dropped call that were kept, since its page was full.
struct Boundary {
    numbers: RequestNumbers,
    /// Request change of each record, with the message that the last of its requests got.
    changes: Vec<(RequestChange, Option<Arrived>)>,
    /// Message that the call itself got.
    arrived: Option<Arrived>,
    is_over: bool,
}

impl Boundary {
    fn of(thread: &ThreadPages<'_>) -> Boundary {
        let first = thread.pages.first();
        let numbers = RequestNumbers::new(thread.number, first.map_or(0, |first| first.requests));
        let mut boundary = Boundary { numbers, changes: Vec::new(), arrived: None, is_over: false };
        if let Some(first) = first {
            let mut walk = Walk::new(first);
            // Damage is reported when the calls are counted.
            while !boundary.is_over && walk.step(&mut boundary, 1).unwrap_or(false) {}
        }
        boundary
    }

    /// Requests of a thread that it completes or gives up.
    fn completed(&self, thread: u32) -> impl Iterator<Item = u64> {
        let runs = self.changes.iter().filter_map(|(change, _)| match change {
            RequestChange::Completed(run) | RequestChange::Freed(run) => Some(*run),
            RequestChange::Started { .. } | RequestChange::Ready(_) => None,
        });
        runs.filter(move |run| run.thread == thread).flat_map(|run| run.numbers())
    }

    /// Signatures of the calls that created the persistent requests it starts.
    fn started(&self, before: &[DroppedRequest]) -> Vec<u32> {
        let runs = self.changes.iter().filter_map(|(change, _)| match change {
            RequestChange::Started { created, .. } => Some(created.numbers()),
            _ => None,
        });
        let created = |number: u64| before.iter().find(|request| request.number == number);
        runs.flatten().filter_map(|number| Some(created(number)?.signature)).collect()
    }

    /// The requests of its thread that are still open after all threads' boundaries.
    fn open(&self, before: &[DroppedRequest], all: &[Boundary]) -> Vec<DroppedRequest> {
        let mut open = before.to_vec();
        for (change, _) in &self.changes {
            if let RequestChange::Started { created, first } = change {
                for (created, number) in created.numbers().zip(*first..) {
                    let state = RequestState::Pending as u32;
                    let begun = open.iter().find(|request| request.number == created).copied();
                    open.extend(begun.map(|begun| DroppedRequest { number, state, ..begun }));
                }
            }
        }
        let over: FxHashSet<u64> = all.iter().flat_map(|boundary| boundary.completed(self.numbers.thread())).collect();
        open.retain(|request| !over.contains(&request.number));
        open
    }

    /// Messages that receives got.
    fn arrivals(&self, dropped: &Dropped<'_>) -> Vec<DroppedArrival> {
        let of = |(signature, arrived): (u32, Arrived)| DroppedArrival {
            signature,
            source: arrived.source,
            tag: arrived.tag,
            reserved: 0,
            count: u64::from(arrived.fate != Fate::Cancelled),
        };
        self.messages(dropped).map(of).collect()
    }

    /// Signatures of the calls that posted cancelled requests.
    fn cancelled(&self, dropped: &Dropped<'_>) -> Vec<u32> {
        let cancelled = self.messages(dropped).filter(|(_, arrived)| arrived.fate == Fate::Cancelled);
        cancelled.map(|(signature, _)| signature).collect()
    }

    /// Messages of the call and of the requests that it completes, each with the signature of the call that posted it.
    fn messages(&self, dropped: &Dropped<'_>) -> impl Iterator<Item = (u32, Arrived)> {
        let posted = |number: u64| dropped.requests.iter().find(|request| request.number == number);
        let of_requests = self.changes.iter().filter_map(move |(change, arrived)| {
            let RequestChange::Completed(run) = change else { return None };
            Some((posted(run.last().1)?.signature, (*arrived)?))
        });
        let last = dropped.head.last_request().map_or(dropped.head.last, |(_, posted)| posted);
        self.arrived.iter().map(move |arrived| (last, *arrived)).chain(of_requests)
    }
}

impl Visitor for Boundary {
    fn call(&mut self, _: u32, _: u64, _: u64) {
        self.is_over = true;
    }

    fn polls(&mut self, _: &Polls) {
        self.is_over = true;
    }

    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        self.changes.push((self.numbers.own(kind, count, age), None));
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, thread: u32, number: u64) {
        self.changes.push((self.numbers.foreign(kind, count, thread, number), None));
    }

    fn arrived(&mut self, arrived: Arrived) {
        match self.changes.last_mut() {
            Some(last) => last.1 = Some(arrived),
            None => self.arrived = Some(arrived),
        }
    }
}
