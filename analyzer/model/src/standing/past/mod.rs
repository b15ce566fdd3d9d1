//! Sums up the state left by a rank's calls: pending requests, messages under way, number of collective calls on each
//! communicator, open windows, and its longest pause.
//!
//! In: the calls of a rank's threads, in the order they began. Messages are counted by (communicator, sender, receiver, tag). MPI
//! keeps order there, so the difference between sent and received messages is made of the last ones.

mod windows;

use rustc_hash::FxHashMap;
use traces::calls::Call;
use traces::record::{Arrived, Fate};

use super::awaited::{Awaited, awaited, kind_of, part_of, probe_takes, takes_probed};
use super::collective_order::Made;
use crate::Rank;
use crate::common_clock::ClockLine;
use crate::dropped_past::{DroppedPast, MessageOrder};
use crate::objects::Objects;
use crate::request_numbers::RequestId;
use crate::roles::{CallPart, Peer, Role, Roles, SpottedSite};
use crate::stream::{Stream, TimedCall};
use crate::thread_calls::{Detail, RequestEvent, earliest, request_events};
pub use windows::{OpenedTo, WindowPast};

/// A request that has begun and that the program has not seen complete.
#[derive(Clone, Debug)]
pub struct PendingRequest {
    /// Events that it awaits.
    pub awaits: Vec<Awaited>,
    /// The call that began it.
    pub place: SpottedSite,
    /// Begin of that call.
    pub begun: i64,
    /// End of that call.
    pub since: i64,
    /// The call started it; another one created it.
    pub is_persistent: bool,
}

/// Attributes by which MPI keeps messages in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Route {
    /// The run's number for the communicator.
    pub object: u32,
    pub from: u32,
    pub to: u32,
    pub tag: i32,
}

impl Route {
    fn of(order: &MessageOrder) -> Route {
        let MessageOrder { object, from, to, tag, .. } = *order;
        Route { object, from, to, tag }
    }
}

/// Messages on a route.
#[derive(Clone, Copy, Default, Debug)]
pub struct Passed {
    /// Messages sent less messages received.
    pub left: i64,
    /// The last send; `None` if its record was dropped.
    pub sent: Option<Sent>,
}

/// The call that sent a message, or began to.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    pub place: SpottedSite,
    /// Its end.
    pub at: i64,
}

/// Recorded successive polls without success.
#[derive(Clone, Default, Debug)]
pub struct Vain {
    /// Begin, in seconds since the rank's recording began.
    pub since: f64,
    /// Distinct signature numbers, latest last.
    pub calls: Vec<u32>,
}

/// Maximum number of distinct polls kept; the oldest goes.
const DIFFERENT: usize = 16;

/// State left by a rank's calls. Times in nanoseconds on the run's common clock.
#[derive(Default, Debug)]
pub struct Past {
    /// By thread and number.
    pub pending: FxHashMap<RequestId, PendingRequest>,
    /// Receives freed by MPI_Request_free: they still take a message, without any record of it.
    pub given_up: Vec<PendingRequest>,
    /// It freed a persistent request that was active.
    pub has_freed_started: bool,
    /// Calls of MPI_Cancel for which no status has shown a cancelled request yet.
    cancels: u64,
    /// Messages that it sent and received.
    pub passed: FxHashMap<Route, Passed>,
    /// Collective calls by the run's number for the object.
    pub made: FxHashMap<u32, Made>,
    /// Starts of persistent collective calls, by object and ordinal of the creating call.
    pub started: FxHashMap<(u32, u64), u64>,
    /// Locks and epochs of windows.
    pub windows: WindowPast,
    /// Polls without success since each thread did anything else.
    pub vain: FxHashMap<u32, Vain>,
    /// Longest time in one call or between two.
    pub longest_pause: i64,
    persistent: FxHashMap<RequestId, (Role, u64)>,
    /// Requests whose completion by one thread was read before their begin by another.
    early: FxHashMap<RequestId, Option<Arrived>>,
    /// Parts of it are unknown: records were dropped that counts cannot replace.
    pub is_partial: bool,
}

impl Past {
    /// The past left by dropped records. Its requests began before the kept records.
    fn behind(dropped: DroppedPast, objects: &Objects, line: &ClockLine) -> Past {
        let begin = line.nanoseconds_at(dropped.from);
        let mut past = Past {
            is_partial: dropped.has_windows || !dropped.untold.is_empty(),
            made: dropped.in_order.iter().map(|(object, count)| (*object, Made::behind(*count))).collect(),
            early: dropped.complete_already.iter().map(|id| (*id, None)).collect(),
            ..Past::default()
        };
        for (order, count) in dropped.sent.iter().filter(|(order, _)| !order.partitioned) {
            past.passed.entry(Route::of(order)).or_default().left += *count as i64;
        }
        for (order, count) in dropped.received.iter().filter(|(order, _)| !order.partitioned) {
            past.passed.entry(Route::of(order)).or_default().left -= *count as i64;
        }
        for (id, role) in dropped.pending {
            // Its place among the collective calls was dropped.
            let awaits = match part_of(&role) {
                Some(_) => vec![Awaited::Other],
                None => awaited(&role, objects, 0),
            };
            past.pending.insert(
                id,
                PendingRequest { awaits, place: role.place, begun: begin, since: begin, is_persistent: false },
            );
        }
        for (id, role) in dropped.persistent {
            // The place of a persistent collective call was dropped, too.
            past.is_partial |= part_of(&role).is_some();
            past.persistent.insert(id, (role, 0));
        }
        past
    }

    /// True if some pending request may have been cancelled.
    pub fn may_be_cancelled(&self) -> bool {
        self.cancels > 0
    }

    pub fn made(&self, object: u32) -> u64 {
        self.made.get(&object).map_or(0, |made| made.count)
    }

    /// Reads all calls of a rank's threads. `own` is its place in [`Run::ranks`](crate::Run::ranks).
    pub fn of(
        own: u32,
        rank: &Rank,
        line: &ClockLine,
        streams: &mut [Stream<'_>],
        dropped: Option<(DroppedPast, &Objects)>,
    ) -> Past {
        let mut past = dropped.map_or_else(Past::default, |(dropped, objects)| Past::behind(dropped, objects, line));
        let begin = line.nanoseconds_at(rank.header.begin.ticks);
        let mut last_ends: Vec<Option<i64>> = vec![None; streams.len()];
        loop {
            let Some(at) = earliest(streams.iter().map(Stream::start)) else { return past };
            let stream = &mut streams[at];
            if let Some(call) = stream.peek() {
                let idle = last_ends[at].map_or(0, |last| call.start - last);
                past.longest_pause = past.longest_pause.max(idle).max(call.end - call.start);
                last_ends[at] = Some(call.end);
                let signature = stream.signature(call) as u32;
                past.ask(stream.thread, call, signature, (call.start - begin) as f64 / 1e9);
                Reader { own, thread: stream.thread, roles: stream.roles(), past: &mut past }.call(stream, call);
            }
            stream.advance();
        }
    }

    /// Handles the end of a call: a poll without success is kept, any other call clears the polls before it.
    fn ask(&mut self, thread: u32, call: &TimedCall, signature: u32, since: f64) {
        if !call.in_vain {
            self.vain.remove(&thread);
            return;
        }
        let vain = self.vain.entry(thread).or_insert_with(|| Vain { since, calls: Vec::new() });
        vain.calls.retain(|other| *other != signature);
        if vain.calls.len() == DIFFERENT {
            vain.calls.remove(0);
        }
        vain.calls.push(signature);
    }

    /// Counts a received message; the sender follows from the receive, or from the status if there is one.
    fn receive(&mut self, own: u32, roles: &Roles<'_>, object: Option<u32>, from: (Peer, i32), got: Option<Arrived>) {
        if got.is_some_and(|got| got.fate == Fate::Cancelled) {
            self.cancels = self.cancels.saturating_sub(1);
            return;
        }
        if let (Some(object), (Peer::Rank(from), tag)) = (object, roles.came_from(object, from, got)) {
            self.passed.entry(Route { object, from, to: own, tag }).or_default().left -= 1;
        }
    }

    fn send(&mut self, own: u32, role: &Role, sent: Sent) {
        if let (Some(object), (Peer::Rank(to), tag)) = (role.object, role.to) {
            let passed = self.passed.entry(Route { object, from: own, to, tag }).or_default();
            *passed = Passed { left: passed.left + 1, sent: Some(sent) };
        }
    }

    /// Takes back a send that was cancelled before it was received.
    fn take_back(&mut self, own: u32, object: Option<u32>, to: Peer, tag: i32) {
        self.cancels = self.cancels.saturating_sub(1);
        if let (Some(object), Peer::Rank(to)) = (object, to) {
            self.passed.entry(Route { object, from: own, to, tag }).or_default().left -= 1;
        }
    }
}

/// Reads one thread's calls.
struct Reader<'p, 's> {
    own: u32,
    thread: u32,
    roles: &'s Roles<'s>,
    past: &'p mut Past,
}

impl Reader<'_, '_> {
    fn call(&mut self, stream: &Stream<'_>, call: &TimedCall) {
        let (role, details) = (stream.role(call), stream.details(call));
        if call.in_vain || (call.failed && details.is_empty()) {
            return;
        }
        let part = part_of(role);
        if role.creates {
            let ordinal = part.map_or(0, |_| self.make(role));
            self.past.persistent.insert((self.thread, call.request), (*role, ordinal));
            return;
        }
        let pends = role.takes && !role.at_once;
        match role.what {
            _ if part.is_some() && !pends => drop(self.make(role)),
            _ if pends => {
                let ordinal = part.map_or(0, |_| self.make(role));
                self.begin(role, ordinal, role.place, call, call.request);
                self.requests(details, role.place, call);
            }
            CallPart::Message { sends, receives, .. } => {
                if sends {
                    self.past.send(self.own, role, Sent { place: role.place, at: call.end });
                }
                if receives && !takes_probed(role) {
                    self.receive(role, details);
                }
            }
            CallPart::Probe if probe_takes(role) => self.receive(role, details),
            CallPart::Window(epoch) => self.past.windows.epoch(self.own, self.roles.objects(), epoch, role),
            _ => {
                match role.call() {
                    Some(Call::Cancel) => self.past.cancels += 1,
                    Some(call) => self.past.windows.call(call, role),
                    None => {}
                }
                self.requests(details, role.place, call);
            }
        }
    }

    fn receive(&mut self, role: &Role, details: &[Detail]) {
        let got = details.iter().find_map(Detail::arrived);
        self.past.receive(self.own, self.roles, role.object, role.from, got);
    }

    /// Counts a collective call; returns its ordinal.
    fn make(&mut self, role: &Role) -> u64 {
        let Some(object) = role.object else { return 0 };
        let made = self.past.made.entry(object).or_default();
        made.make(kind_of(role, self.roles.objects()));
        made.count - 1
    }

    fn begin(&mut self, role: &Role, ordinal: u64, place: SpottedSite, call: &TimedCall, number: u64) {
        // Partitioned sends match only partitioned receives, which are not followed.
        if matches!(role.what, CallPart::Message { sends: true, partitioned: false, .. }) {
            self.past.send(self.own, role, Sent { place, at: call.end });
        }
        let awaits = awaited(role, self.roles.objects(), ordinal);
        let is_persistent = role.creates;
        self.pend(PendingRequest { awaits, place, begun: call.start, since: call.end, is_persistent }, number);
    }

    fn pend(&mut self, request: PendingRequest, number: u64) {
        let id = (self.thread, number);
        match self.past.early.remove(&id) {
            Some(got) => self.completed(request, got),
            None => drop(self.past.pending.insert(id, request)),
        }
    }

    fn requests(&mut self, details: &[Detail], place: SpottedSite, call: &TimedCall) {
        for event in request_events(details) {
            match event {
                RequestEvent::Completed(request, got) => self.complete(request, got),
                RequestEvent::Started(created, number) => self.start(created, place, call, number),
                RequestEvent::Freed(request) => self.give_up(request),
                RequestEvent::Ready(_) => {}
            }
        }
    }

    fn give_up(&mut self, id: RequestId) {
        let Some(request) = self.past.pending.remove(&id) else { return };
        self.past.has_freed_started |= request.is_persistent;
        if request.awaits.iter().any(|awaits| matches!(awaits, Awaited::Message { .. })) {
            self.past.given_up.push(request);
        }
    }

    fn complete(&mut self, id: RequestId, got: Option<Arrived>) {
        match self.past.pending.remove(&id) {
            Some(request) => self.completed(request, got),
            None if id.0 != self.thread => drop(self.past.early.insert(id, got)),
            None => {}
        }
    }

    fn completed(&mut self, request: PendingRequest, got: Option<Arrived>) {
        let is_cancelled = got.is_some_and(|got| got.fate == Fate::Cancelled);
        for awaits in request.awaits {
            match awaits {
                Awaited::Message { object, from, tag, .. } => {
                    self.past.receive(self.own, self.roles, object, (from, tag), got);
                }
                Awaited::Delivery { object, to, tag, .. } if is_cancelled => {
                    self.past.take_back(self.own, object, to, tag);
                }
                _ => {}
            }
        }
        // A cancelled request stays pending until it is completed or freed.
        if self.past.pending.is_empty() && self.past.early.is_empty() && self.past.given_up.is_empty() {
            self.past.cancels = 0;
        }
    }

    /// Starts a persistent request.
    fn start(&mut self, created: RequestId, place: SpottedSite, call: &TimedCall, number: u64) {
        let Some((role, ordinal)) = self.past.persistent.get(&created).copied() else { return };
        if part_of(&role).is_none() {
            return self.begin(&role, ordinal, place, call, number);
        }
        let mut awaits = awaited(&role, self.roles.objects(), ordinal);
        for part in &mut awaits {
            if let Awaited::Collective(part) = part {
                let starts = self.past.started.entry((part.object, ordinal)).or_default();
                part.starts = Some(*starts);
                *starts += 1;
            }
        }
        let (begun, since) = (call.start, call.end);
        self.pend(PendingRequest { awaits, place, begun, since, is_persistent: true }, number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_different_polls_the_latest_are_kept() {
        let (mut past, mut poll) = (Past::default(), TimedCall::at(0, 10));
        poll.in_vain = true;
        for signature in 0..=DIFFERENT as u32 {
            past.ask(0, &poll, signature, 0.0);
        }
        assert_eq!(past.vain[&0].calls, (1..=DIFFERENT as u32).collect::<Vec<u32>>());
    }
}
