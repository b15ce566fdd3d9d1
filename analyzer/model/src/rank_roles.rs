//! Reads the roles that a rank takes towards others from its own file: all that matching needs of the rank.
//!
//! In: a rank's calls, of all threads in the order the calls began. Out: a [`TakenRole`] for each message it sends or is to receive,
//! each probe, and each part in a collective operation, with the call that completed it. Roles leave once they are complete, so
//! memory holds the pending ones; `number` is their order.

use std::collections::HashSet;

use rustc_hash::FxHashMap;
use traces::read::Contents;
use traces::record::{Arrived, Fate};
use traces::signature::tag;

use super::Run;
use super::objects::Objects;
use super::request_numbers::RequestId;
use super::roles::{CallPart, Flow, Peer, Role, Roles, SpottedSite};
use super::selection::{Cursor, LEFT_OUT};
use super::thread_calls::{Detail, Extras, RequestEvent, ThreadCall, ThreadCalls, earliest, request_events};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoleKind {
    Send,
    Receive,
    /// A receive from a process that is unknown, was not recorded, or has no file here.
    Elsewhere,
    Probe,
    Collective(Flow),
    /// Opens or closes a window to some ranks.
    Epoch,
    /// No role: the first entry of each rank, which shows that its file was read.
    Recorded,
}

/// One role of a rank. Times in ticks of the rank's counter.
#[derive(Clone, Copy, Debug)]
pub struct TakenRole {
    pub kind: RoleKind,
    /// Its place among the rank's roles: sends and receives by it are in the order that MPI keeps.
    pub number: u64,
    /// The call that began it, counted over all threads in the order the calls began.
    pub call: u64,
    pub thread: u32,
    pub place: SpottedSite,
    pub object: Option<u32>,
    /// Destination, or the source that the message came from if that is known.
    pub peer: Peer,
    pub tag: Option<i32>,
    pub partitioned: bool,
    /// Id of the function of a collective operation; 0 for calls that make a communicator by its own processes alone.
    pub function: u16,
    /// Place among the object's collective calls, from 1; 0 for the call that made it by its own processes alone.
    pub ordinal: u64,
    /// Of a persistent operation, its start, from 1.
    pub start_number: u64,
    pub root: bool,
    pub bytes: u64,
    pub start: u64,
    pub end: u64,
    /// It has a request, so its call did not wait for it.
    pub has_request: bool,
    pub done: Option<CompletingCall>,
    pub cancelled: bool,
    /// Its call has not returned.
    pub open: bool,
}

/// The call in which a role was complete.
#[derive(Clone, Copy, Debug)]
pub struct CompletingCall {
    pub call: u64,
    pub place: SpottedSite,
    pub start: u64,
    pub end: u64,
}

#[derive(Clone, Copy)]
struct Persistent {
    role: Role,
    ordinal: u64,
    starts: u64,
}

struct ThreadRoles<'a> {
    number: u32,
    calls: ThreadCalls<'a>,
    cursor: Cursor<'a>,
    /// By signature number.
    roles: Vec<Role>,
}

/// Reads the roles of one rank.
pub struct RankRoles<'a> {
    at: usize,
    threads: Vec<ThreadRoles<'a>>,
    roles: Roles<'a>,
    /// Requests that were cancelled.
    cancelled: &'a HashSet<RequestId>,
    persistent: FxHashMap<RequestId, Persistent>,
    /// Roles whose request is not complete.
    pending: FxHashMap<RequestId, Vec<TakenRole>>,
    ordinals: FxHashMap<u32, u64>,
    /// Communicators made so far by their own processes alone.
    made: usize,
    calls: u64,
    next: u64,
    complete: Vec<TakenRole>,
    is_over: bool,
}

/// Attributes that all roles of a call share.
#[derive(Clone, Copy)]
struct Taking {
    call: u64,
    thread: u32,
    place: SpottedSite,
    start: u64,
    end: u64,
    open: bool,
}

impl Taking {
    fn done(self) -> CompletingCall {
        CompletingCall { call: self.call, place: self.place, start: self.start, end: self.end }
    }
}

impl<'a> RankRoles<'a> {
    /// `at`: the rank's place in [`Run::ranks`].
    pub fn of(run: &'a Run, objects: &'a Objects, at: usize, contents: &Contents<'a>) -> RankRoles<'a> {
        let rank = &run.ranks[at];
        let roles = Roles::of(run, objects, run.call_sites(), at);
        let thread = |thread: &_| {
            let roles = roles.thread(thread);
            let calls = ThreadCalls::whole(thread, Extras::empty());
            ThreadRoles { number: thread.number, calls, cursor: Cursor::new(rank.stretches(thread.number)), roles }
        };
        let threads = contents.threads.iter().map(thread).collect();
        let mut roles = RankRoles {
            at,
            threads,
            roles,
            cancelled: &rank.cancelled,
            persistent: FxHashMap::default(),
            pending: FxHashMap::default(),
            ordinals: FxHashMap::default(),
            made: 0,
            calls: 0,
            next: 0,
            complete: Vec::new(),
            is_over: false,
        };
        let ticks = rank.header.begin.ticks;
        let begin = Taking { call: 0, thread: 0, place: SpottedSite::default(), start: ticks, end: ticks, open: false };
        let recorded = roles.taken(begin, &Role::NONE, RoleKind::Recorded);
        roles.complete.push(recorded);
        roles
    }

    /// Replaces `roles` by at least `least` more, or by the last ones; returns false if there are none.
    pub fn read(&mut self, least: usize, roles: &mut Vec<TakenRole>) -> bool {
        while !self.is_over && self.complete.len() < least {
            self.step();
        }
        roles.clear();
        roles.append(&mut self.complete);
        !roles.is_empty()
    }

    /// Takes the roles of the next call or, after the last call, the roles that are still pending.
    fn step(&mut self) {
        let starts = self.threads.iter().map(|thread| thread.calls.peek().map(|call| call.start));
        let Some(at) = earliest(starts) else {
            self.complete.extend(self.pending.drain().flat_map(|(_, roles)| roles));
            self.complete.sort_unstable_by_key(|role| role.number);
            self.is_over = true;
            return;
        };
        // The rank's other fields change while the call is read.
        let mut threads = std::mem::take(&mut self.threads);
        let thread = &mut threads[at];
        if let Some(call) = thread.calls.peek()
            && let Some(role) = thread.roles.get(call.signature as usize)
        {
            let mut role = *role;
            if thread.cursor.part_at(call.start) == LEFT_OUT {
                role.place = role.place.left_out();
            }
            self.call(thread.number, call, role, thread.calls.details(call));
        }
        thread.calls.advance();
        self.threads = threads;
    }

    fn call(&mut self, thread: u32, call: &ThreadCall, role: Role, details: &[Detail]) {
        let number = self.calls;
        self.calls += 1;
        let (start, end) = (call.start, call.end);
        let taking = Taking { call: number, thread, place: role.place, start, end, open: call.open };
        if call.open {
            return self.open_call(taking, &role);
        }
        if role.creates {
            let ordinal = if matches!(role.what, CallPart::Collective { .. }) { self.ordinal(&role) } else { 0 };
            self.persistent.insert((thread, call.request), Persistent { role, ordinal, starts: 0 });
            return;
        }
        if call.polls_now_and_then() || call.failed && details.is_empty() {
            return;
        }
        let request = (role.takes && !role.at_once).then_some((thread, call.request));
        let arrived = details.iter().find_map(Detail::arrived);
        match role.what {
            CallPart::Begin | CallPart::End | CallPart::Phase => {}
            CallPart::Message { .. } if role.takes => {
                self.message(taking, &role, request, None, arrived.filter(|_| role.at_once));
                if !role.at_once {
                    self.complete(taking, details);
                }
            }
            CallPart::Message { .. } => self.message(taking, &role, None, Some(taking.done()), arrived),
            CallPart::Probe => self.probe(taking, &role, arrived),
            CallPart::Collective { flow, root } => {
                let ordinal = self.ordinal(&role);
                self.collective(taking, &role, flow, root, (ordinal, 0), request);
                if request.is_some() {
                    self.complete(taking, details);
                }
            }
            CallPart::Make => self.make(taking, &role),
            CallPart::Window(_) => {
                let epoch = TakenRole { done: Some(taking.done()), ..self.taken(taking, &role, RoleKind::Epoch) };
                self.complete.push(epoch);
            }
            CallPart::Nothing => self.complete(taking, details),
        }
    }

    fn open_call(&mut self, taking: Taking, role: &Role) {
        match role.what {
            // A call that begins a request waits for nothing.
            _ if role.takes => {}
            CallPart::Message { .. } => self.message(taking, role, None, None, None),
            CallPart::Collective { flow, root } => {
                let ordinal = self.ordinal(role);
                self.collective(taking, role, flow, root, (ordinal, 0), None);
            }
            CallPart::Make => self.make(taking, role),
            _ => {}
        }
    }

    fn taken(&mut self, taking: Taking, role: &Role, kind: RoleKind) -> TakenRole {
        let number = self.next;
        self.next += 1;
        let Taking { call, thread, place, start, end, open } = taking;
        TakenRole {
            kind,
            number,
            call,
            thread,
            place,
            object: role.object,
            peer: Peer::Nobody,
            tag: None,
            partitioned: role.what.is_partitioned(),
            function: role.function,
            ordinal: 0,
            start_number: 0,
            root: false,
            bytes: 0,
            start,
            end,
            has_request: false,
            done: None,
            cancelled: false,
            open,
        }
    }

    /// Takes the roles of a call that sends, receives or both. `done` is the call itself if it waits for them.
    fn message(
        &mut self,
        taking: Taking,
        role: &Role,
        request: Option<RequestId>,
        done: Option<CompletingCall>,
        arrived: Option<Arrived>,
    ) {
        let CallPart::Message { sends, receives, .. } = role.what else { return };
        if sends && role.to.0 != Peer::Nobody {
            let send = self.taken(taking, role, RoleKind::Send);
            let cancelled = request.is_some_and(|request| self.cancelled.contains(&request));
            let (peer, tag, bytes) = (role.to.0, Some(role.to.1), role.sent);
            self.take(request, TakenRole { peer, tag, bytes, cancelled, done, ..send });
        }
        if receives && matches!(role.from.0, Peer::Unknown | Peer::Unrecorded) {
            let elsewhere = self.taken(taking, role, RoleKind::Elsewhere);
            self.complete.push(TakenRole { peer: role.from.0, ..elsewhere });
        }
        let is_known = matches!(role.from.0, Peer::Any | Peer::Rank(_)) && role.object.is_some();
        if receives && is_known {
            let receive = self.taken(taking, role, RoleKind::Receive);
            let done = if role.at_once { Some(taking.done()) } else { done };
            let mut receive = TakenRole {
                peer: role.from.0,
                tag: Some(role.from.1).filter(|tag| *tag != tag::ANY),
                bytes: role.received,
                done,
                ..receive
            };
            self.arrive(&mut receive, arrived);
            self.take(request, receive);
        }
    }

    /// Fills in the message that a receive got.
    fn arrive(&self, receive: &mut TakenRole, arrived: Option<Arrived>) {
        if let Some(arrived) = arrived {
            receive.peer = self.roles.peer(receive.object, arrived.source);
            receive.tag = Some(arrived.tag).filter(|tag| *tag != tag::ANY);
            receive.bytes = arrived.bytes;
            receive.cancelled = arrived.fate == Fate::Cancelled;
        }
    }

    fn take(&mut self, request: Option<RequestId>, role: TakenRole) {
        match request {
            Some(request) => {
                self.pending.entry(request).or_default().push(TakenRole { has_request: true, ..role });
            }
            None => self.complete.push(role),
        }
    }

    fn probe(&mut self, taking: Taking, role: &Role, arrived: Option<Arrived>) {
        let from = self.roles.came_from(role.object, role.from, arrived);
        if matches!(from.0, Peer::Rank(_)) && role.object.is_some() {
            let probe = self.taken(taking, role, RoleKind::Probe);
            let tag = Some(from.1).filter(|tag| *tag != tag::ANY);
            self.complete.push(TakenRole { peer: from.0, tag, done: Some(taking.done()), ..probe });
        }
    }

    fn ordinal(&mut self, role: &Role) -> u64 {
        let Some(object) = role.object else { return 0 };
        let ordinal = self.ordinals.entry(object).or_default();
        *ordinal += 1;
        *ordinal
    }

    fn collective(
        &mut self,
        taking: Taking,
        role: &Role,
        flow: Flow,
        root: bool,
        (ordinal, start_number): (u64, u64),
        request: Option<RequestId>,
    ) {
        if role.object.is_none() {
            return;
        }
        let part = self.taken(taking, role, RoleKind::Collective(flow));
        let done = (request.is_none() && !taking.open).then(|| taking.done());
        let bytes = role.sent.max(role.received);
        self.take(request, TakenRole { ordinal, start_number, root, bytes, done, ..part });
    }

    /// Handles a call that makes a communicator by its own processes alone.
    fn make(&mut self, taking: Taking, role: &Role) {
        let object = self.roles.objects().made_alone(self.at, self.made);
        self.made += 1;
        // One side accepts and the other connects, by different functions.
        let role = Role { object, function: 0, ..*role };
        self.collective(taking, &role, Flow::Create, false, (0, 0), None);
    }

    /// Handles a call that completes, starts or marks requests.
    fn complete(&mut self, taking: Taking, details: &[Detail]) {
        for event in request_events(details) {
            match event {
                RequestEvent::Completed(request, arrived) => self.completed(taking, request, arrived),
                RequestEvent::Started(created, number) => self.started(taking, created, number),
                RequestEvent::Ready(request) => {
                    for send in self.pending.get_mut(&request).into_iter().flatten() {
                        (send.start, send.place) = (taking.start, taking.place);
                    }
                }
                RequestEvent::Freed(request) => drop(self.persistent.remove(&request)),
            }
        }
    }

    fn completed(&mut self, taking: Taking, request: RequestId, arrived: Option<Arrived>) {
        for mut role in self.pending.remove(&request).into_iter().flatten() {
            role.done = Some(taking.done());
            if role.kind == RoleKind::Receive {
                self.arrive(&mut role, arrived);
            }
            if role.kind == RoleKind::Send && role.partitioned {
                // MPI has sent all of a partitioned message only when its request is complete.
                role.number = self.next;
                self.next += 1;
            }
            self.complete.push(role);
        }
    }

    fn started(&mut self, taking: Taking, created: RequestId, number: u64) {
        let Some(persistent) = self.persistent.get_mut(&created) else { return };
        persistent.starts += 1;
        let Persistent { role, ordinal, starts } = *persistent;
        let request = Some((taking.thread, number));
        match role.what {
            CallPart::Collective { flow, root } => {
                self.collective(taking, &role, flow, root, (ordinal, starts), request);
            }
            _ => self.message(taking, &role, request, None, None),
        }
    }
}
