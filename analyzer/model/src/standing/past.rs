//! What a rank's calls so far have left behind: requests that are pending, messages that are under way, how many collective calls it
//! has made on each communicator, and its longest pause.
//!
//! In: a rank's calls in the order they ended. Messages are counted by (communicator, sender, receiver, tag), since MPI keeps order
//! there: what is left when the received ones are taken off are the last ones.

use rustc_hash::FxHashMap;
use traces::record::{Arrived, Fate};

use super::awaited::{Awaited, awaited};
use super::reach::Made;
use crate::roles::{CallPart, Peer, Role, Roles, SpottedSite};
use crate::stream::{Detail, Stream, TimedCall};

/// A request that has begun and is not complete, as far as the program was told.
#[derive(Clone, Debug)]
pub struct PendingRequest {
    /// What it waits for.
    pub awaits: Vec<Awaited>,
    /// The call that began it.
    pub place: SpottedSite,
    /// When that ended.
    pub since: i64,
}

/// By what MPI keeps messages in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Route {
    /// The run's number of the communicator.
    pub object: u32,
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The tag.
    pub tag: i32,
}

/// Messages through a channel.
#[derive(Clone, Copy, Default, Debug)]
pub struct Passed {
    /// Sent less received.
    pub left: i64,
    /// Where the last one was sent.
    pub place: SpottedSite,
    /// Its bytes.
    pub bytes: u64,
}

/// See the module. Times in nanoseconds on the run's time line.
#[derive(Default, Debug)]
pub struct Past {
    /// By thread and number.
    pub pending: FxHashMap<(u32, u64), PendingRequest>,
    /// Messages that it sent and received.
    pub passed: FxHashMap<Route, Passed>,
    /// By the run's number of the object.
    pub made: FxHashMap<u32, Made>,
    /// The longest time in one call, or between two.
    pub longest_pause: i64,
    /// When its last call ended.
    pub last_end: i64,
    persistent: FxHashMap<(u32, u64), Role>,
    /// What one thread completed and another began.
    completed: Vec<((u32, u64), Option<Arrived>)>,
}

impl Past {
    /// How many collective calls it has made on an object.
    pub fn made(&self, object: u32) -> u64 {
        self.made.get(&object).map_or(0, |made| made.count)
    }

    /// Goes through a rank's threads. `own` is its place in [`Run::ranks`](crate::Run::ranks).
    pub fn of(own: u32, streams: Vec<Stream<'_>>) -> Past {
        let mut past = Past::default();
        for mut stream in streams {
            let mut last = None;
            while let Some(call) = stream.peek() {
                let idle = last.map_or(0, |last| call.start - last);
                past.longest_pause = past.longest_pause.max(idle).max(call.end - call.start);
                past.last_end = past.last_end.max(call.end);
                last = Some(call.end);
                Reader { own, thread: stream.thread, roles: stream.roles(), past: &mut past }.call(&stream, call);
                stream.advance();
            }
        }
        for (request, got) in std::mem::take(&mut past.completed) {
            past.complete(own, None, request, got);
        }
        past
    }

    fn complete(&mut self, own: u32, roles: Option<&Roles<'_>>, request: (u32, u64), got: Option<Arrived>) {
        let Some(pending) = self.pending.remove(&request) else { return };
        for awaits in pending.awaits {
            if let Awaited::Message { object, from, tag } = awaits {
                self.receive(own, roles, (object, from, tag), got);
            }
        }
    }

    /// A message has come: from whom it was asked of, or as was said when it came.
    fn receive(
        &mut self,
        own: u32,
        roles: Option<&Roles<'_>>,
        (object, from, tag): (Option<u32>, Peer, i32),
        got: Option<Arrived>,
    ) {
        if got.is_some_and(|got| got.fate == Fate::Cancelled) {
            return;
        }
        let from = got.zip(roles).map_or(from, |(got, roles)| roles.peer(object, got.source));
        let tag = got.map_or(tag, |got| got.tag);
        if let (Some(object), Peer::Rank(from)) = (object, from) {
            self.passed.entry(Route { object, from, to: own, tag }).or_default().left -= 1;
        }
    }

    fn send(&mut self, own: u32, role: &Role, place: SpottedSite) {
        if let (Some(object), (Peer::Rank(to), tag)) = (role.object, role.to) {
            let passed = self.passed.entry(Route { object, from: own, to, tag }).or_default();
            *passed = Passed { left: passed.left + 1, place, bytes: role.sent };
        }
    }
}

/// One thread's calls.
struct Reader<'p, 's> {
    own: u32,
    thread: u32,
    roles: &'s Roles<'s>,
    past: &'p mut Past,
}

impl Reader<'_, '_> {
    fn call(&mut self, stream: &Stream<'_>, call: &TimedCall) {
        let (role, details) = (stream.role(call), stream.details(call));
        if role.creates {
            self.past.persistent.insert((self.thread, call.request), *role);
            return;
        }
        if call.failed && details.is_empty() {
            return;
        }
        let pends = role.takes && !role.at_once;
        match role.what {
            CallPart::Message { .. } | CallPart::Collective { .. } if pends => {
                self.begin(role, role.place, call, call.request);
                self.requests(details, role.place, call);
            }
            CallPart::Message { sends, receives, .. } => {
                if sends {
                    self.past.send(self.own, role, role.place);
                }
                if receives {
                    let got = details.iter().find_map(Detail::arrived);
                    self.past.receive(self.own, Some(self.roles), (role.object, role.from.0, role.from.1), got);
                }
            }
            CallPart::Collective { .. } => drop(self.make(role)),
            _ => self.requests(details, role.place, call),
        }
    }

    /// The ordinal of a collective call that the rank makes now.
    fn make(&mut self, role: &Role) -> u64 {
        let Some(object) = role.object else { return 0 };
        let made = self.past.made.entry(object).or_default();
        made.make(role.function);
        made.count - 1
    }

    /// A request has begun.
    fn begin(&mut self, role: &Role, place: SpottedSite, call: &TimedCall, number: u64) {
        let is_collective = matches!(role.what, CallPart::Collective { .. });
        let ordinal = if is_collective { self.make(role) } else { 0 };
        // Partitioned sends match partitioned receives alone, which are not followed.
        if matches!(role.what, CallPart::Message { sends: true, partitioned: false, .. }) {
            self.past.send(self.own, role, place);
        }
        let pending = PendingRequest { awaits: awaited(role, ordinal), place, since: call.end };
        self.past.pending.insert((self.thread, number), pending);
    }

    fn requests(&mut self, details: &[Detail], place: SpottedSite, call: &TimedCall) {
        let mut details = details.iter().peekable();
        while let Some(detail) = details.next() {
            match *detail {
                Detail::Completed(thread, first, count) => {
                    // What came belongs to the last of them.
                    let got = details.peek().and_then(|next| next.arrived());
                    let end = first.saturating_add(count.into());
                    for number in first..end {
                        self.complete(thread, number, got.filter(|_| number + 1 == end));
                    }
                }
                Detail::Started(thread, first, number, count) => {
                    for (created, number) in (first..first.saturating_add(count.into())).zip(number..) {
                        self.start((thread.unwrap_or(self.thread), created), place, call, number);
                    }
                }
                Detail::Freed(thread, first, count) => {
                    for number in first..first.saturating_add(count.into()) {
                        self.past.pending.remove(&(thread.unwrap_or(self.thread), number));
                    }
                }
                Detail::Ready(..) | Detail::Arrived(_) => {}
            }
        }
    }

    fn complete(&mut self, thread: Option<u32>, number: u64, got: Option<Arrived>) {
        match thread {
            Some(thread) if thread != self.thread => self.past.completed.push(((thread, number), got)),
            _ => self.past.complete(self.own, Some(self.roles), (self.thread, number), got),
        }
    }

    /// A persistent request has begun once more. Which collective call that makes is not followed.
    fn start(&mut self, created: (u32, u64), place: SpottedSite, call: &TimedCall, number: u64) {
        let Some(role) = self.past.persistent.get(&created).copied() else { return };
        match role.what {
            CallPart::Message { .. } => self.begin(&role, place, call, number),
            _ => {
                let pending = PendingRequest { awaits: vec![Awaited::Other], place, since: call.end };
                self.past.pending.insert((self.thread, number), pending);
            }
        }
    }
}
