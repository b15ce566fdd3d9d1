//! One rank's calls, in order: what they send and receive, and what their completion waited for.

use rustc_hash::FxHashMap;
use traces::record::Arrived;

use super::collectives::{Arrival, Collectives, NO_NODE, Ordinal};
use super::completions::Completions;
use super::links::Links;
use super::order::{Late, Order, Received};
use super::queues::{Envelope, Pair as Matched, Pattern, Post, Probe, Queues};
use super::requests::{Partner, Request, Requests, Wanted};
use super::waits::{At, Key, WaitState, Waits};
use super::windows::{Called, Windows};
use super::{Account, Cause, Follow, Letter, Letters, Message, Pair, Token, error};
use crate::model::roles::{Flow, Peer, Role, What};
use crate::model::stream::{Call, Detail, Stream};
use crate::model::timeline::Timeline;

/// See the module.
pub struct Rank<'a> {
    number: u32,
    streams: Vec<Stream<'a>>,
    collectives: &'a Collectives<'a>,
    windows: &'a Windows<'a>,
    timeline: &'a Timeline,
    queues: Queues,
    /// Those that are pending, or of which another rank has something to tell.
    requests: Requests,
    /// Persistent requests, by thread and number of their creation.
    persistent: FxHashMap<(u32, u64), Persistent>,
    /// Partitioned messages that are sent when their last part is given out, by thread and number of the request.
    partitioned: FxHashMap<(u32, u64), (u32, Message)>,
    completions: Completions,
    /// Collective calls so far, by object.
    ordinals: FxHashMap<u32, u64>,
    /// Communicators made by their own processes alone.
    made: u64,
    order: Order,
    links: Links,
    waits: Waits,
    pairs: FxHashMap<u32, Pair>,
    complete: u64,
    elsewhere: u64,
    /// To other ranks.
    pub letters: Letters,
    matched: Vec<Matched>,
    told: Vec<(u32, Token, Option<Cause>)>,
}

#[derive(Clone, Copy, Debug)]
struct Persistent {
    role: Role,
    /// Of a collective call, which.
    ordinal: u64,
    starts: u64,
}

/// The making of a communicator by its own processes alone comes before all calls on it.
const MAKING: Ordinal = (u64::MAX, 0);

impl<'a> Rank<'a> {
    /// Before its first call.
    pub fn new(
        number: u32,
        streams: Vec<Stream<'a>>,
        collectives: &'a Collectives<'a>,
        windows: &'a Windows<'a>,
        timeline: &'a Timeline,
        follow: Follow,
    ) -> Rank<'a> {
        let rank = Rank {
            number,
            streams,
            collectives,
            windows,
            timeline,
            queues: Queues::default(),
            requests: Requests::default(),
            persistent: FxHashMap::default(),
            partitioned: FxHashMap::default(),
            completions: Completions::default(),
            ordinals: FxHashMap::default(),
            made: 0,
            order: Order::default(),
            links: Links::new(follow == Follow::Dependencies),
            waits: Waits::new(follow == Follow::Waits),
            pairs: FxHashMap::default(),
            complete: 0,
            elsewhere: 0,
            letters: Letters::default(),
            matched: Vec::new(),
            told: Vec::new(),
        };
        windows.reached(number, rank.next());
        rank
    }

    /// When its next call begins, if there is one.
    pub fn next(&self) -> Option<i64> {
        self.streams.iter().filter_map(Stream::peek).map(|call| call.start).min()
    }

    /// Goes through so many of its calls.
    pub fn go_on(&mut self, calls: usize) {
        let mut streams = std::mem::take(&mut self.streams);
        for _ in 0..calls {
            let starts = streams.iter().enumerate().filter_map(|(at, stream)| Some((stream.peek()?.start, at)));
            let Some((_, at)) = starts.min() else { break };
            let stream = &mut streams[at];
            if let Some(call) = stream.peek() {
                self.call(stream, call);
            }
            stream.advance();
        }
        self.streams = streams;
        self.windows.reached(self.number, self.next());
    }

    /// Reads what another rank has to say.
    pub fn read(&mut self, letter: Letter) {
        match letter {
            Letter::Message(message) => {
                self.queues.message(message, &mut self.matched);
                self.settle();
            }
            Letter::Told(Token::Completion(completion), cause) => self.tell(completion, cause),
            Letter::Told(Token::Request(thread, number), cause) => {
                let Some(request) = self.requests.get(thread, number) else { return };
                request.partner = Partner::Told(cause);
                let (completion, freed) = (request.completion, request.freed);
                if completion.is_some() || freed {
                    self.requests.remove(thread, number);
                }
                if let Some(completion) = completion {
                    self.tell(completion, cause);
                }
            }
        }
    }

    fn call(&mut self, stream: &Stream<'a>, call: &Call) {
        let role = stream.role(call);
        let details = stream.details(call);
        // What other threads do is not on the way of the first one.
        let first = stream.thread == 0;
        if first {
            match role.what {
                What::Begin => self.links.begin(call.end),
                What::End => self.links.finalize(call.start),
                What::Phase => self.links.phase(call.start, call.end),
                _ => self.links.call(call.start, call.end, call.inside),
            }
        }
        if role.creates {
            let ordinal = if matches!(role.what, What::Collective { .. }) { self.ordinal(role) } else { 0 };
            let persistent = Persistent { role: *role, ordinal, starts: 0 };
            self.persistent.insert((stream.thread, call.request), persistent);
            return;
        }
        if call.failed && details.is_empty() {
            return;
        }
        let token = (role.takes && !role.at_once).then_some(Token::Request(stream.thread, call.request));
        match role.what {
            What::Begin | What::End | What::Phase => {}
            What::Nothing if details.is_empty() => {}
            What::Message { .. } if role.takes => {
                let got = role.at_once.then(|| arrived(details)).flatten();
                self.begin(stream, call, role, token, got);
                // Without a place in the dictionary, a request that is complete at once is said to be completed by the call.
                if !role.at_once && !details.is_empty() {
                    self.complete(stream, call, details);
                }
            }
            What::Message { .. } => self.message(stream, call, details),
            What::Probe => self.probe(stream, call, details),
            What::Collective { flow, root } => {
                let ordinal = (self.ordinal(role), 0);
                // A call that was complete at once waited for nobody, and still had to be made by all.
                let end = token.map_or(Ok(call.end), Err);
                self.collective(role, flow, root, ordinal, call.start, end);
            }
            What::Make => {
                let object = self.collectives.objects.made_alone(self.number as usize, self.made as usize);
                self.made += 1;
                let role = Role { object, ..*role };
                self.collective(&role, Flow::Create, false, MAKING, call.start, Ok(call.end));
            }
            What::Window(epoch) => {
                let at = At { rank: self.number, place: role.place };
                let called = Called { at, begin: call.start, end: call.end };
                self.windows.call(role, epoch, called, &mut self.links, &mut self.waits);
            }
            What::Nothing => self.complete(stream, call, details),
        }
    }

    /// A call that begins sends and receives, by requests or complete at once.
    fn begin(&mut self, stream: &Stream<'a>, call: &Call, role: &Role, token: Option<Token>, got: Option<Arrived>) {
        let mut request = Request::default();
        if self.send(role, stream.role(call).place, call.start, token) && token.is_some() {
            request.partner = Partner::Awaited;
        }
        if let Some((pattern, post)) = self.post(stream, role, call) {
            let receipt = self.queues.post(pattern, post);
            if role.at_once {
                let completion = self.completions.begin(stream.role(call).place, call, 0);
                self.expect_message(completion);
                let (envelope, bytes) = got_by(stream, Wanted::by(role), got);
                self.queues.complete(receipt, envelope, Some(completion), bytes, &mut self.matched);
                self.settle();
            } else {
                request.receive = Some((receipt, Wanted::by(role)));
            }
        }
        if let Some(Token::Request(thread, number)) = token {
            self.requests.insert(thread, number, request);
        }
    }

    /// A partitioned message is not sent before its last part is, which is known when its request is complete.
    fn send_partitioned(&mut self, request: (u32, u64)) {
        if let Some((to, message)) = self.partitioned.remove(&request) {
            self.letters.send(to, Letter::Message(message));
        }
    }

    /// A call that sends and receives, and returns when that is done.
    fn message(&mut self, stream: &Stream<'a>, call: &Call, details: &[Detail]) {
        let role = stream.role(call);
        let completion = self.completions.begin(stream.role(call).place, call, 1);
        if self.send(role, role.place, call.start, Some(Token::Completion(completion))) {
            self.completions.expect(completion);
        }
        if let Some((pattern, post)) = self.post(stream, role, call) {
            self.expect_message(completion);
            let (envelope, bytes) = got_by(stream, Wanted::by(role), arrived(details));
            let pattern = envelope.map_or(pattern, Pattern::of);
            let receipt = self.queues.post(pattern, post);
            self.queues.complete(receipt, envelope, Some(completion), bytes, &mut self.matched);
            self.settle();
        }
        self.tell(completion, None);
    }

    /// Sends a message. Whether there was one to send.
    fn send(&mut self, role: &Role, place: u32, begin: i64, token: Option<Token>) -> bool {
        let What::Message { sends: true, partitioned, .. } = role.what else { return false };
        let (Peer::Rank(to), Some(object)) = (role.to.0, role.object) else {
            self.elsewhere += u64::from(role.to.0 != Peer::Nobody);
            return false;
        };
        let envelope = Envelope { object, source: self.number, tag: role.to.1, partitioned };
        let message = Message { envelope, place, begin, bytes: role.sent, token, mark: self.links.mark() };
        match (partitioned, token) {
            (true, Some(Token::Request(thread, number))) => {
                self.partitioned.insert((thread, number), (to, message));
            }
            _ => self.letters.send(to, Letter::Message(message)),
        }
        true
    }

    /// The receive that a call posts.
    fn post(&mut self, stream: &Stream<'a>, role: &Role, call: &Call) -> Option<(Pattern, Post)> {
        let What::Message { receives: true, partitioned, .. } = role.what else { return None };
        let source = match role.from.0 {
            Peer::Nobody => return None,
            Peer::Any => None,
            Peer::Rank(source) => Some(source),
            Peer::Unknown => {
                self.elsewhere += 1;
                return None;
            }
        };
        let tag = (role.from.1 != traces::signature::tag::ANY).then_some(role.from.1);
        let pattern = Pattern { object: role.object?, source, tag, partitioned };
        Some((pattern, Post::new(call.start, stream.role(call).place, role.received)))
    }

    fn probe(&mut self, stream: &Stream<'a>, call: &Call, details: &[Detail]) {
        let role = stream.role(call);
        let from = match arrived(details) {
            Some(arrived) => (stream.roles().peer(role.object, arrived.source), arrived.tag),
            None => role.from,
        };
        if let (Peer::Rank(source), Some(object)) = (from.0, role.object) {
            let envelope = Envelope { object, source, tag: from.1, partitioned: false };
            self.queues.probe(envelope, role.place, call.start, call.end);
        }
    }

    fn ordinal(&mut self, role: &Role) -> u64 {
        let Some(object) = role.object else { return 0 };
        let next = self.ordinals.entry(object).or_default();
        *next += 1;
        *next - 1
    }

    fn collective(
        &mut self,
        role: &Role,
        flow: Flow,
        root: bool,
        ordinal: Ordinal,
        begin: i64,
        end: Result<i64, Token>,
    ) {
        let Some(object) = role.object else { return };
        if let Err(Token::Request(thread, number)) = end {
            self.requests.insert(thread, number, Request { partner: Partner::Awaited, ..Request::default() });
        }
        let at = At { rank: self.number, place: role.place };
        let arrival = Arrival { at, flow, function: role.function, root, begin, end };
        let (node, complete) = self.collectives.arrive(object, ordinal, arrival, &mut self.waits, &mut self.told);
        self.complete += u64::from(complete);
        let node = if flow == Flow::Neighbors { self.come_to_neighbors(object, node) } else { node };
        let comes = flow != Flow::Neighbors && (flow != Flow::FromRoot || root);
        let awaits = flow != Flow::ToRoot || root;
        self.links.collective(node, comes, awaits && end.is_ok() && !(flow == Flow::FromRoot && root));
        if let (Err(Token::Request(thread, number)), true) = (end, awaits) {
            self.requests.get(thread, number).into_iter().for_each(|request| request.node = Some(node));
        }
        self.told.drain(..).for_each(|(to, token, cause)| self.letters.send(to, Letter::Told(token, cause)));
    }

    /// The rank comes to a neighborhood collective call, of which each rank has a node of its own from this one on. Returns its
    /// own.
    fn come_to_neighbors(&mut self, object: u32, first: u32) -> u32 {
        match self.collectives.objects.neighbors(self.number, object) {
            Some(neighbors) if first != NO_NODE => {
                neighbors.destinations.iter().for_each(|whom| self.links.collective(first + whom, true, false));
                first + neighbors.own
            }
            _ => NO_NODE,
        }
    }

    /// A call that completes, starts or gives up requests.
    fn complete(&mut self, stream: &Stream<'a>, call: &Call, details: &[Detail]) {
        // One more, until all is said.
        let completion = self.completions.begin(stream.role(call).place, call, 1);
        let mut details = details.iter().peekable();
        while let Some(detail) = details.next() {
            match *detail {
                Detail::Completed(thread, first, count) => {
                    let thread = thread.unwrap_or(stream.thread);
                    let got = details.next_if(|next| matches!(next, Detail::Arrived(_))).copied();
                    for number in first..first + u64::from(count) {
                        let last = number + 1 == first + u64::from(count);
                        let got = got.filter(|_| last);
                        let got =
                            got.and_then(|got| if let Detail::Arrived(arrived) = got { Some(arrived) } else { None });
                        self.completed(stream, thread, number, completion, got);
                    }
                }
                Detail::Started(thread, created, number) => {
                    self.started(stream, call, (thread.unwrap_or(stream.thread), created), number);
                }
                Detail::Freed(thread, first, count) => {
                    let thread = thread.unwrap_or(stream.thread);
                    (first..first + u64::from(count)).for_each(|number| self.freed(thread, number));
                }
                Detail::Ready(thread, first, count) => {
                    let thread = thread.unwrap_or(stream.thread);
                    for number in first..first + u64::from(count) {
                        if let Some((_, message)) = self.partitioned.get_mut(&(thread, number)) {
                            (message.begin, message.place) = (call.start, stream.role(call).place);
                            message.mark = self.links.mark();
                        }
                    }
                }
                Detail::Arrived(_) => {}
            }
        }
        self.settle();
        self.tell(completion, None);
    }

    fn completed(&mut self, stream: &Stream<'a>, thread: u32, number: u64, completion: u32, got: Option<Arrived>) {
        let Some(request) = self.requests.get(thread, number) else { return };
        let Request { receive, partner, node, .. } = *request;
        match partner {
            Partner::Awaited => (request.completion, request.receive) = (Some(completion), None),
            _ => self.requests.remove(thread, number),
        }
        self.send_partitioned((thread, number));
        node.into_iter().for_each(|node| self.links.collective(node, false, true));
        if let Some((receipt, wanted)) = receive {
            let cancelled = got.is_some_and(|got| got.cancelled);
            let (envelope, bytes) = got_by(stream, wanted, got);
            let done = (!cancelled).then_some(completion);
            if !cancelled {
                self.expect_message(completion);
            }
            self.queues.complete(receipt, envelope, done, bytes, &mut self.matched);
        }
        match partner {
            Partner::Nothing => {}
            Partner::Told(cause) => self.completions.late(completion, cause),
            Partner::Awaited => self.completions.expect(completion),
        }
    }

    fn started(&mut self, stream: &Stream<'a>, call: &Call, created: (u32, u64), number: u64) {
        let Some(persistent) = self.persistent.get_mut(&created) else { return };
        let starts = persistent.starts;
        persistent.starts += 1;
        let Persistent { role, ordinal, .. } = *persistent;
        let token = Token::Request(stream.thread, number);
        match role.what {
            What::Collective { flow, root } => {
                // It waits where it is completed, and others wait for where it was started.
                let role = Role { place: stream.role(call).place, ..role };
                self.collective(&role, flow, root, (ordinal, starts + 1), call.start, Err(token));
            }
            _ => self.begin(stream, call, &role, Some(token), None),
        }
    }

    fn freed(&mut self, thread: u32, number: u64) {
        if self.persistent.remove(&(thread, number)).is_some() {
            return;
        }
        if let Some(request) = self.requests.get(thread, number) {
            request.freed = true;
            if !matches!(request.partner, Partner::Awaited) {
                self.requests.remove(thread, number);
            }
        }
    }

    /// Sees to messages that have found their receives.
    fn settle(&mut self) {
        let mut matched = std::mem::take(&mut self.matched);
        for Matched { message, post, completion, probes } in matched.drain(..) {
            let source = message.envelope.source;
            let end = self.completions.get(completion).end;
            let pair = self.pairs.entry(source).or_insert(Pair { least: i64::MAX, ..Pair::default() });
            pair.messages += 1;
            pair.sent += message.bytes;
            pair.received += post.bytes;
            pair.backwards += u64::from(end < message.begin);
            pair.least = pair.least.min(end - message.begin);
            let sender = At { rank: source, place: message.place };
            if let Some(token) = message.token {
                let receiver = At { rank: self.number, place: post.place };
                let cause = Cause { at: post.at, who: receiver, state: WaitState::LateReceiver };
                let late = (post.at > message.begin).then_some(cause);
                self.letters.send(source, Letter::Told(token, late));
            }
            let cause = Cause { at: message.begin, who: sender, state: WaitState::LateSender };
            for Probe { place, start, end, .. } in probes {
                let waiter = At { rank: self.number, place };
                cause.charge(waiter, start, end, self.timeline, &mut self.waits);
            }
            let link = &mut self.completions.get(completion).link;
            *link = self.links.known(*link, source, message.mark);
            if let Some((_, earliest, first)) = &mut self.completions.get(completion).received
                && message.begin < *earliest
            {
                (*earliest, *first) = (message.begin, source);
            }
            self.tell(completion, Some(cause));
        }
        self.matched = matched;
    }

    /// A completion is told one of the things it may have waited for.
    fn tell(&mut self, completion: u32, cause: Option<Cause>) {
        self.completions.late(completion, cause);
        let Some(whole) = self.completions.told(completion) else { return };
        let waiter = At { rank: self.number, place: whole.place };
        let cause = whole.latest.filter(|cause| cause.at > whole.start);
        let late = cause.and_then(|cause| {
            let wait = cause.charge(waiter, whole.start, whole.end, self.timeline, &mut self.waits)?;
            let key = Key { state: cause.state, waiter, cause: cause.who };
            let (begin, end) = (whole.start, whole.end);
            (cause.state == WaitState::LateSender).then_some(Late { key, begin, end, wait })
        });
        if let Some((number, earliest, source)) = whole.received {
            let received = Received { start: whole.start, earliest, source, late };
            let (own, timeline, waits) = (self.number, self.timeline, &mut self.waits);
            let margin = |received: &Received| error(timeline, own, received.source, received.earliest);
            let wrong = |late: &Late| waits.call_it(late.key, WaitState::WrongOrder, late.wait);
            self.order.known(number, received, margin, wrong);
        }
    }

    /// A completion has received something: one thing more is to be told.
    fn expect_message(&mut self, completion: u32) {
        self.completions.expect(completion);
        let received = &mut self.completions.get(completion).received;
        if received.is_none() {
            *received = Some((self.order.begin(), i64::MAX, self.number));
        }
        let expected = self.links.expect();
        let first = &mut self.completions.get(completion).link;
        *first = (*first).min(expected);
    }

    /// Adds what it has found to the account of the run.
    pub fn report(self, account: &mut Account) {
        let (messages, posts) = self.queues.rest();
        for message in messages {
            let at = At { rank: message.envelope.source, place: message.place };
            *account.unreceived.entry(at).or_default() += 1;
        }
        for post in posts {
            *account.unsent.entry(At { rank: self.number, place: post.place }).or_default() += 1;
        }
        account.pairs.extend(self.pairs.into_iter().map(|(source, pair)| ((source, self.number), pair)));
        account.collectives += self.complete;
        account.elsewhere += self.elsewhere;
        account.waits.merge(self.waits);
        account.links.push(self.links);
    }
}

/// What a receive got: the envelope, where that is known, and the bytes, where those are not what was posted.
fn got_by(stream: &Stream<'_>, wanted: Wanted, arrived: Option<Arrived>) -> (Option<Envelope>, Option<u64>) {
    let Wanted { object, partitioned, .. } = wanted;
    let from = match arrived {
        Some(arrived) => (stream.roles().peer(object, arrived.source), arrived.tag),
        None => wanted.from,
    };
    let envelope = match (from.0, object) {
        (Peer::Rank(source), Some(object)) if from.1 != traces::signature::tag::ANY => {
            Some(Envelope { object, source, tag: from.1, partitioned })
        }
        _ => None,
    };
    (envelope, arrived.map(|arrived| arrived.bytes))
}

/// What the call itself, or the request completed last, got.
fn arrived(details: &[Detail]) -> Option<Arrived> {
    details.iter().find_map(|detail| if let Detail::Arrived(arrived) = detail { Some(*arrived) } else { None })
}
