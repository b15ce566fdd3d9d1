//! Walks one rank's calls in order: sends, receives, and the causes of waits.

mod collective_calls;
mod completing;
mod dropped;
mod left;
mod messages;
mod open_calls;

use std::collections::HashSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use traces::record::Arrived;

use super::blocked_sends::BlockedSendsOf;
use super::collectives::{ArrivalEnd, Ordinal};
use super::completions::Completions;
use super::concurrent::Outbox;
use super::dependency_log::DependencyLog;
use super::followed::ReceivedMessage;
use super::handed_on::HandedOn;
use super::left_over::LeftOver;
use super::letters::Letters;
use super::links::{Links, SelectionEdges};
use super::order::Order;
use super::overlong::Overlong;
use super::passed_over::PassedOver;
use super::posted_receive::{Envelope, Receival};
use super::queues::{MatchedMessage, Queues, Receipt};
use super::requests::{Partner, Requests};
use super::transfers::Transfers;
use super::untaken::Untaken;
use super::wait_sums::{RankSite, Waits};
use super::windows::{Called, OwnSteps};
use super::{Account, Cause, Delivery, Follow, Letter, Message, RankPair, Shared, Token};
use crate::common_clock::CommonClock;
use crate::roles::{CallPart, Role};
use crate::stream::{Stream, TimedCall};
use crate::thread_calls::{Detail, earliest};
use open_calls::OpenWait;

/// One rank's state while its calls are matched.
pub struct RankMatcher<'a> {
    number: u32,
    streams: Vec<Stream<'a>>,
    /// The rank has several threads, whose calls may overlap.
    threaded: bool,
    /// Requests that were cancelled, by thread and number.
    cancelled: &'a HashSet<(u32, u64)>,
    shared: Shared<'a>,
    common_clock: &'a CommonClock,
    queues: Queues,
    /// Requests that are pending or that expect news from another rank.
    requests: Requests,
    /// Persistent requests, by thread and number of their creation.
    persistent: FxHashMap<(u32, u64), Persistent>,
    /// Partitioned messages whose request is not complete, with their receiver, by thread and number of the request.
    partitioned: FxHashMap<(u32, u64), (u32, Message)>,
    completions: Completions,
    /// Operations of nonblocking collective calls, by thread and number of the request; empty unless operations are followed.
    under_way: FxHashMap<(u32, u64), (u32, Ordinal)>,
    /// Collective calls so far, by object.
    ordinals: FxHashMap<u32, u64>,
    /// Communicators made so far by their own processes alone (MPI_Comm_create_group and the like).
    made: u64,
    /// Messages that it has sent so far.
    sent: u32,
    order: Order,
    links: Links,
    /// What its calls depend on, for replays.
    log: DependencyLog,
    edges: SelectionEdges,
    waits: Waits,
    transfers: Option<Transfers>,
    pairs: FxHashMap<u32, RankPair>,
    deliveries: Option<Vec<Delivery>>,
    messages: Option<Vec<ReceivedMessage>>,
    passed_over: Option<PassedOver>,
    blocked: Option<BlockedSendsOf>,
    left_over: Option<LeftOver<'a>>,
    untaken: Option<Untaken>,
    complete: u64,
    elsewhere: u64,
    unrecorded: u64,
    /// Messages whose other side was dropped.
    before: u64,
    odd: Odd,
    outbox: Outbox,
    /// Completed receives of a multithreaded rank, until their call has ended.
    completing: Vec<(Receipt, Option<Envelope>, Receival)>,
    open: Vec<OpenWait>,
    /// Time until which the rank lasted for certain, if it has not finalized MPI.
    lasts_until: Option<i64>,
    pub letters: Letters,
    matched: Vec<MatchedMessage>,
    told: Vec<(u32, Token, Option<Cause>)>,
}

/// Calls that take part in no wait, by call site.
#[derive(Default)]
struct Odd {
    uncertain: FxHashMap<RankSite, u64>,
    cancelled: FxHashMap<RankSite, u64>,
    truncated: FxHashMap<RankSite, u64>,
    /// The first message too long for a receive.
    overlong: FxHashMap<RankSite, Overlong>,
    left: FxHashMap<RankSite, u64>,
}

#[derive(Clone, Copy, Debug)]
struct Persistent {
    role: Role,
    /// Ordinal of a collective call.
    ordinal: u64,
    starts: u64,
    /// The part of the run in which it was created.
    part: u8,
}

impl<'a> RankMatcher<'a> {
    pub fn new(
        number: u32,
        streams: Vec<Stream<'a>>,
        cancelled: &'a HashSet<(u32, u64)>,
        edges: SelectionEdges,
        shared: Shared<'a>,
        common_clock: &'a CommonClock,
        follow: Follow,
    ) -> RankMatcher<'a> {
        let rank = RankMatcher {
            number,
            threaded: streams.len() > 1,
            // The order of receives of threads that call at once is unknown.
            passed_over: (follow.contains(Follow::QUEUES) && streams.len() <= 1).then(PassedOver::default),
            blocked: follow.contains(Follow::QUEUES).then(BlockedSendsOf::default),
            left_over: None,
            untaken: None,
            streams,
            cancelled,
            shared,
            common_clock,
            queues: Queues::of(number, Arc::clone(shared.dropped)),
            requests: Requests::default(),
            persistent: FxHashMap::default(),
            partitioned: FxHashMap::default(),
            completions: Completions::default(),
            under_way: FxHashMap::default(),
            ordinals: FxHashMap::default(),
            made: 0,
            sent: 0,
            order: Order::default(),
            links: Links::new(number, shared.lanes, edges.begins_selected),
            log: DependencyLog::new(follow.contains(Follow::REPLAYS)),
            edges,
            waits: Waits::new(follow),
            transfers: follow.contains(Follow::TRANSFERS).then(Transfers::default),
            pairs: FxHashMap::default(),
            deliveries: follow.contains(Follow::DELIVERIES).then(Vec::new),
            messages: follow.contains(Follow::MESSAGES).then(Vec::new),
            complete: 0,
            elsewhere: 0,
            unrecorded: 0,
            before: 0,
            odd: Odd::default(),
            outbox: Outbox::default(),
            completing: Vec::new(),
            open: Vec::new(),
            lasts_until: None,
            letters: Letters::default(),
            matched: Vec::new(),
            told: Vec::new(),
        };
        shared.windows.reached(number, rank.next());
        rank
    }

    /// Sets the time until which a rank lasted that has not finalized MPI.
    pub fn lasts_until(&mut self, until: i64) {
        self.lasts_until = Some(until);
    }

    pub fn next(&self) -> Option<i64> {
        self.streams.iter().filter_map(Stream::start).min()
    }

    /// Processes up to `calls` of the rank's calls.
    pub fn go_on(&mut self, calls: usize) {
        if self.waits.are_wanted() && self.shared.has_given_up() {
            self.keep_pairs_alone();
        }
        let mut streams = std::mem::take(&mut self.streams);
        for _ in 0..calls {
            let Some(at) = earliest(streams.iter().map(Stream::start)) else { break };
            let stream = &mut streams[at];
            if let Some(call) = stream.peek() {
                self.call(stream, call);
            }
            stream.advance();
        }
        self.streams = streams;
        let next = self.next();
        if self.threaded {
            self.pass(next.unwrap_or(i64::MAX));
        }
        self.shared.windows.reached(self.number, next);
    }

    /// Forgets all but the pairs of ranks, since the run is matched again.
    fn keep_pairs_alone(&mut self) {
        self.waits = Waits::new(Follow::NO_WAITS);
        self.links.stop();
        self.log.stop();
        (self.transfers, self.deliveries, self.messages) = (None, None, None);
        (self.passed_over, self.blocked, self.left_over, self.untaken) = (None, None, None, None);
    }

    /// Releases messages and completions that no call from `now` on can precede.
    fn pass(&mut self, now: i64) {
        let letters = &mut self.letters;
        self.outbox.pass(now, |to, message| letters.send(to, Letter::Message(message)));
        if self.completing.iter().all(|completing| completing.2.end > now) {
            return;
        }
        self.completing.sort_by_key(|completing| completing.2.end);
        let over = self.completing.partition_point(|completing| completing.2.end <= now);
        for (receipt, envelope, got) in self.completing.drain(..over) {
            self.queues.complete(receipt, envelope, Some(got), &mut self.matched);
        }
        self.judge_matched();
    }

    pub fn read(&mut self, letter: Letter) {
        match letter {
            Letter::Message(mut message) => {
                if let Some(passed_over) = &mut self.passed_over {
                    message.number = passed_over.send(message.envelope.source);
                }
                let Some(queue) = self.queues.of_next(message.envelope) else {
                    return self.without_receive(&message);
                };
                self.queues.message(queue, message);
                while let Some(pair) = self.queues.next_pair(queue) {
                    self.judge(pair);
                }
            }
            Letter::Told(Token::Completion(completion), cause, posted) => {
                match self.completions.get(completion).send.take() {
                    Some(bytes) => self.posted(completion, bytes, cause, posted),
                    None => self.log.forget(posted),
                }
                self.tell(completion, cause);
            }
            Letter::Told(Token::Request(thread, number), cause, posted) => {
                let Some(request) = self.requests.get(thread, number) else { return self.log.forget(posted) };
                request.partner = Partner::Told(cause);
                let (completion, freed) = (request.completion, request.freed);
                match (request.send, completion) {
                    (Some(bytes), Some(completion)) => self.posted(completion, bytes, cause, posted),
                    (Some(_), None) => request.posted = posted,
                    _ => self.log.forget(posted),
                }
                if completion.is_some() || freed {
                    self.requests.remove(thread, number);
                }
                if let Some(completion) = completion {
                    self.tell(completion, cause);
                }
            }
        }
    }

    fn call(&mut self, stream: &Stream<'a>, call: &TimedCall) {
        if self.threaded {
            self.pass(call.start);
        }
        let role = stream.role(call);
        let details = stream.details(call);
        // Only the first thread's calls count for the rank's dependencies.
        let first = stream.thread == 0;
        if first {
            self.links.read(call, role, &mut self.edges);
            self.log.call(call.start, role.place.number() as u32);
        }
        if call.open {
            return self.open_call(stream, call);
        }
        if let Some(left_over) = &mut self.left_over {
            left_over.call(role, call.end, call.failed);
        }
        if role.creates {
            let ordinal = if matches!(role.what, CallPart::Collective { .. }) { self.ordinal(role) } else { 0 };
            let persistent = Persistent { role: *role, ordinal, starts: 0, part: self.part(call) };
            self.persistent.insert((stream.thread, call.request), persistent);
            return;
        }
        if call.left {
            count(&mut self.odd.left, RankSite { rank: self.number, place: role.place });
        }
        if call.now_and_then || call.failed && details.is_empty() {
            return;
        }
        let token = (role.takes && !role.at_once).then_some(Token::Request(stream.thread, call.request));
        match role.what {
            CallPart::Begin | CallPart::End | CallPart::Phase => {}
            CallPart::Nothing if details.is_empty() => {}
            CallPart::Message { .. } if role.takes => {
                let got = role.at_once.then(|| arrived(details)).flatten();
                self.begin(stream, call, role, token, got);
                // Without a dictionary entry, the call itself completes a request that is complete at once.
                if !role.at_once && !details.is_empty() {
                    self.complete(stream, call, details);
                }
            }
            CallPart::Message { .. } => self.message(stream, call, details),
            CallPart::Probe => self.probe(stream, call, details),
            CallPart::Collective { flow, root } => {
                let ordinal = (self.ordinal(role), 0);
                // A call that was complete at once waited for no rank, but all ranks had to make it.
                let end = token.map_or(ArrivalEnd::Ended(call.end), ArrivalEnd::Pending);
                self.collective(role, (flow, root), ordinal, (stream.thread, call), end);
                // As for messages: the call itself may complete the request.
                if token.is_some() && !details.is_empty() {
                    self.complete(stream, call, details);
                }
            }
            CallPart::Make => drop(self.make(role, (stream.thread, call), ArrivalEnd::Ended(call.end))),
            // Epochs are told apart by the calls before them.
            CallPart::Window(_) if self.shared.dropped.is_any => {}
            CallPart::Window(epoch) => {
                let at = RankSite { rank: self.number, place: role.place };
                let called = Called { at, begin: call.start, end: call.end, open: false };
                let mut own = OwnSteps { links: &mut self.links, log: &mut self.log };
                self.shared.windows.call(role, epoch, called, &mut own, &mut self.waits);
            }
            CallPart::Nothing => self.complete(stream, call, details),
        }
    }

    /// Hands on finished links and waits, so that the rank need not keep them.
    pub fn hand_on(&mut self, handed_on: &HandedOn) {
        handed_on.links(self.number, self.links.take_known());
        self.log.write_known();
        handed_on.dependencies(self.number, &mut self.log, false);
        handed_on.waits(&mut self.waits);
    }

    pub fn report_pairs(&mut self, account: &mut Account) {
        account.pairs.extend(self.pairs.drain().map(|(source, pair)| ((source, self.number), pair)));
    }

    pub fn report(mut self, account: &mut Account, handed_on: &HandedOn) {
        if let Some(until) = self.lasts_until.filter(|until| *until > self.links.span.end) {
            let links = &mut self.links;
            self.edges.until(until, |at, selected| links.edge(at, selected));
            links.last(until);
        }
        self.report_left(account);
        self.report_pairs(account);
        for (at, messages) in self.odd.uncertain {
            *account.uncertain.entry(at).or_default() += messages;
        }
        account.cancelled.extend(self.odd.cancelled);
        account.truncated.extend(self.odd.truncated);
        account.overlong.extend(self.odd.overlong);
        account.left.extend(self.odd.left);
        account.deliveries.extend(self.deliveries.into_iter().flatten());
        account.messages.extend(self.messages.into_iter().flatten());
        let mut passed_over = self.passed_over.unwrap_or_default();
        passed_over.finish();
        for (place, queued) in passed_over.by_site {
            account.queued.insert(RankSite { rank: self.number, place }, queued);
        }
        for (site, sends) in self.blocked.unwrap_or_default().0 {
            account.blocked.insert((site, self.number), sends);
        }
        account.collectives += self.complete;
        account.elsewhere += self.elsewhere;
        account.unrecorded += self.unrecorded;
        account.before += self.before;
        for late in self.order.rest() {
            self.waits.judge(&late, false);
        }
        handed_on.waits(&mut self.waits);
        account.add(self.waits);
        account.transfers.merge(self.transfers.unwrap_or_default());
        account.times.push(self.links.span);
        handed_on.links(self.number, self.links.take_all().0);
        self.log.write_all();
        handed_on.dependencies(self.number, &mut self.log, true);
    }
}

/// Counts a call at its site if it is selected.
fn count(places: &mut FxHashMap<RankSite, u64>, at: RankSite) {
    if at.place.counts() {
        *places.entry(at).or_default() += 1;
    }
}

impl Odd {
    fn overlong(&mut self, at: RankSite, message: Overlong) {
        if at.place.counts() {
            let first = self.overlong.entry(at).or_insert(message);
            *first = message.min(*first);
        }
    }
}

/// Status of the call itself, or of the request completed last.
fn arrived(details: &[Detail]) -> Option<Arrived> {
    details.iter().find_map(Detail::arrived)
}
