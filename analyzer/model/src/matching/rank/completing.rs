//! Completes a rank's requests, and finds the causes of their waits.

use std::sync::atomic::Ordering::Relaxed;

use traces::record::{Arrived, Fate};

use super::{Persistent, RankMatcher, count};
use crate::matching::collectives::ArrivalEnd;
use crate::matching::completions::{Completion, Receiving};
use crate::matching::dependency_bytes::{Note, NotedMark};
use crate::matching::dependency_log::OpenNote;
use crate::matching::followed::ReceivedMessage;
use crate::matching::links::Dependency;
use crate::matching::order::Received;
use crate::matching::overlong::Overlong;
use crate::matching::posted_receive::Post;
use crate::matching::queues::{MatchedMessage, Probe};
use crate::matching::requests::{AwaitedNode, Partner};
use crate::matching::wait_sums::{RankSite, WaitState};
use crate::matching::{Cause, Delivery, Letter, Message, RankPair, Token, WaitingCall};
use crate::request_numbers::RequestId;
use crate::roles::{CallPart, Role};
use crate::stream::{Stream, TimedCall};
use crate::sums::Grow;
use crate::thread_calls::{Detail, RequestEvent, request_events};

impl<'a> RankMatcher<'a> {
    /// Handles a call that completes, starts or frees requests.
    pub(super) fn complete(&mut self, stream: &Stream<'a>, call: &TimedCall, details: &[Detail]) {
        // One cause is held open until all details are read.
        let completion = self.completions.begin(stream, call, 1);
        for event in request_events(details) {
            match event {
                RequestEvent::Completed(request, got) => self.completed(stream, call, request, completion, got),
                RequestEvent::Started(created, number) => self.started(stream, call, created, number),
                RequestEvent::Freed(request) => self.freed(request),
                RequestEvent::Ready(request) => {
                    if let Some((_, message)) = self.partitioned.get_mut(&request) {
                        (message.begin, message.place) = (call.start, stream.role(call).place);
                        let site = message.place.number() as u32;
                        message.mark = self.links.mark_at(call.start, site);
                        self.log.forget(Some(NotedMark { rank: self.number, number: message.noted }));
                        message.noted = self.log.mark(call.start, site);
                    }
                }
            }
        }
        self.judge_matched();
        self.tell(completion, None);
    }

    fn completed(
        &mut self,
        stream: &Stream<'a>,
        call: &TimedCall,
        (thread, number): RequestId,
        completion: u32,
        got: Option<Arrived>,
    ) {
        if let (Some(operations), Some((object, ordinal))) =
            (self.shared.operations, self.under_way.remove(&(thread, number)))
        {
            operations.end(object, ordinal, self.number, call.end);
        }
        let Some(request) = self.requests.get(thread, number) else { return };
        if let Some(left_over) = &mut self.left_over {
            left_over.request(request.place, request.part, Some(call.end));
        }
        let (receive, partner) = (request.receive, request.partner);
        let node = request.collective.as_mut().and_then(|collective| collective.node.take());
        let (send, posted) = (request.send, request.posted.take());
        match partner {
            Partner::Awaited => (request.completion, request.receive) = (Some(completion), None),
            _ => self.requests.remove(thread, number),
        }
        self.send_partitioned((thread, number));
        if let Some(AwaitedNode { node, noted, needs }) = node {
            if needs {
                self.links.awaits(Some(node), None);
            }
            if stream.thread == 0 {
                self.log.awaits(noted);
            }
        }
        match send.filter(|_| stream.thread == 0) {
            Some(bytes) => {
                self.expect_note(completion, OpenNote::Send(bytes));
                if let Partner::Told(cause) = partner {
                    self.posted(completion, bytes, cause, posted);
                }
            }
            None => self.log.forget(posted),
        }
        if let Some((receipt, wanted)) = receive {
            if got.is_some_and(|got| got.fate == Fate::Cancelled) {
                self.queues.complete(receipt, None, None, &mut self.matched);
            } else {
                self.expect_message(completion);
                self.received(stream, call, receipt, wanted, completion, got);
            }
        }
        match partner {
            Partner::Nothing => {}
            Partner::Told(cause) => self.completions.late(completion, cause),
            Partner::Awaited => self.completions.await_one(completion),
        }
    }

    fn started(&mut self, stream: &Stream<'a>, call: &TimedCall, created: RequestId, number: u64) {
        let Some(persistent) = self.persistent.get_mut(&created) else { return };
        let starts = persistent.starts;
        persistent.starts += 1;
        let Persistent { role, ordinal, .. } = *persistent;
        let token = Token::Request(stream.thread, number);
        match role.what {
            CallPart::Collective { flow, root } => {
                // The rank waits in the completing call; the other ranks wait for the starting call.
                let role = Role { place: stream.role(call).place, ..role };
                let end = ArrivalEnd::Pending(token);
                self.collective(&role, (flow, root), (ordinal, starts + 1), (stream.thread, call), end);
            }
            _ => self.begin(stream, call, &role, Some(token), None),
        }
    }

    fn freed(&mut self, (thread, number): RequestId) {
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

    /// Accounts for messages that have found their receives.
    pub(super) fn judge_matched(&mut self) {
        let mut all = std::mem::take(&mut self.matched);
        for matched in all.drain(..) {
            self.judge(matched);
        }
        self.matched = all;
    }

    /// Accounts for a message that has found its receive.
    pub(super) fn judge(&mut self, MatchedMessage { message, post, completion, probes, uncertain }: MatchedMessage) {
        let Some(message) = message else { return self.without_send(&post, completion) };
        let (source, own, common_clock) = (message.envelope.source, self.number, self.common_clock);
        let Completion { place, thread, end, .. } = *self.completions.get(completion);
        let sender = RankSite { rank: source, place: message.place };
        let receiver = RankSite { rank: own, place: post.place };
        let to = RankSite { rank: own, place };
        let error = || common_clock.error_between(source, own, message.begin);
        self.count_pair(&message, &post, end);
        if let Some(messages) = &mut self.messages {
            messages.push(ReceivedMessage {
                communicator: message.envelope.object,
                tag: message.envelope.tag,
                from: sender,
                posted_by: receiver,
                to,
                begin: message.begin,
                posted: post.at,
                end,
                sent: message.bytes,
                received: post.bytes,
                truncated: post.truncated,
                uncertain,
            });
        }
        if let Some(passed_over) = &mut self.passed_over {
            let lay = post.at - message.begin;
            // The sender of a wildcard receive may be unknown until now.
            let received = post.received.map_or_else(|| passed_over.receive(source), |(_, received)| received);
            passed_over.add(source, post.place, (message.number, received), lay, place);
        }
        if post.truncated {
            count(&mut self.odd.truncated, receiver);
            self.odd.overlong(receiver, Overlong::new(&message, post.at, post.room, false));
        }
        if let Some(untaken) = self.untaken.as_mut().filter(|_| message.place.counts()) {
            untaken.take(&message, &post);
        }
        let sent = NotedMark { rank: source, number: message.noted };
        let posted = post.noted.map(|number| NotedMark { rank: own, number });
        if uncertain {
            self.log.forget(Some(sent));
            self.log.forget(posted);
            return self.tell_uncertain(&message, sender, completion);
        }
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.push(Delivery { begin: message.begin, end, from: sender, to, bytes: message.bytes });
        }
        if let Some(blocked) = &mut self.blocked {
            blocked.add(&message, post.at, error());
        }
        if let Some(token) = message.token {
            let cause = Cause { at: post.at, who: receiver, thread: post.turn.thread, state: WaitState::LateReceiver };
            let late = (post.at > message.begin).then_some(cause);
            self.letters.send(source, Letter::Told(token, late, posted));
        } else {
            self.log.forget(posted);
        }
        if let Some(transfers) = &mut self.transfers
            && !post.truncated
        {
            transfers.add(own, &message, &post, self.completions.get(completion), error());
        }
        let cause = Cause { at: message.begin, who: sender, thread: message.turn.thread, state: WaitState::LateSender };
        let (bytes, of_any) = (message.bytes, post.of_any);
        for Probe { place, start: begin, end, note, .. } in probes {
            if let Some(note) = note {
                self.log.known(note, Note::Message { sent, bytes, of_any, is_last: false });
            }
            let call = WaitingCall { at: RankSite { rank: own, place }, thread, begin, end };
            cause.charge(call, common_clock, &mut self.waits);
        }
        self.depends(completion, Dependency::Message(source, message.mark));
        self.note(completion, Note::Message { sent, bytes, of_any, is_last: true });
        if let Some(Receiving { earliest, source: first, .. }) = &mut self.completions.get(completion).received
            && message.begin < *earliest
        {
            (*earliest, *first) = (message.begin, source);
        }
        self.tell(completion, Some(cause));
    }

    fn count_pair(&mut self, message: &Message, post: &Post, end: i64) {
        let source = message.envelope.source;
        if end < message.begin
            && let Some(gives_up) = self.shared.gives_up.filter(|_| !self.common_clock.is_of_both(source, self.number))
        {
            gives_up.store(true, Relaxed);
        }
        let pair = match self.pairs.get_mut(&source) {
            Some(pair) => pair,
            None => self.pairs.entry(source).or_insert(RankPair { least: i64::MAX, ..RankPair::default() }),
        };
        if message.place.counts() {
            pair.messages += 1;
            pair.sent.grow(message.bytes);
            pair.received.grow(post.bytes);
        }
        pair.backwards += u64::from(end < message.begin);
        pair.least = pair.least.min(end - message.begin);
    }

    /// Counts a message that several threads could own, and charges no wait.
    fn tell_uncertain(&mut self, message: &Message, sender: RankSite, completion: u32) {
        count(&mut self.odd.uncertain, sender);
        self.depends_on_nothing(completion);
        if let Some(token) = message.token {
            self.letters.send(sender.rank, Letter::Told(token, None, None));
        }
        self.tell(completion, None);
    }

    /// Fills the next open link of a completion.
    fn depends(&mut self, completion: u32, to: Dependency) {
        let link = &mut self.completions.get(completion).link;
        *link = self.links.known(*link, to);
    }

    /// Fills the next open note of a completion.
    fn note(&mut self, completion: u32, note: Note) {
        let expected = &mut self.completions.get(completion).notes[usize::from(note.is_of_send())];
        *expected = self.log.known(*expected, note);
    }

    pub(super) fn depends_on_nothing(&mut self, completion: u32) {
        self.depends(completion, Dependency::Nothing);
        self.note(completion, Note::Nothing);
    }

    /// Gives a completion one cause, and charges its wait when that was the last one expected.
    pub(super) fn tell(&mut self, completion: u32, cause: Option<Cause>) {
        self.completions.late(completion, cause);
        let Some(whole) = self.completions.told(completion) else { return };
        let at = RankSite { rank: self.number, place: whole.place };
        let call = WaitingCall { at, thread: whole.thread, begin: whole.start, end: whole.end };
        let cause = whole.latest.filter(|cause| cause.at > whole.start);
        let late = cause.and_then(|cause| {
            if cause.state == WaitState::LateSender && whole.received.is_some() {
                return cause.charge_later(call, self.common_clock, &mut self.waits);
            }
            cause.charge(call, self.common_clock, &mut self.waits);
            None
        });
        if let Some(Receiving { number, sent, earliest, source }) = whole.received {
            let (thread, place, start) = (whole.thread, whole.place, whole.start);
            let received = Received { thread, place, sent, start, earliest, source, late };
            let (own, common_clock, waits) = (self.number, self.common_clock, &mut self.waits);
            let margin = |received: &Received| common_clock.error_between(own, received.source, received.earliest);
            self.order.known(number, received, margin, |late, is_wrong| waits.judge(late, is_wrong));
        }
    }

    /// Makes a completion expect one more received message.
    pub(super) fn expect_message(&mut self, completion: u32) {
        self.completions.await_one(completion);
        let received = &mut self.completions.get(completion).received;
        if received.is_none() && self.waits.are_wanted() {
            let (number, sent) = (self.order.begin(), self.sent);
            *received = Some(Receiving { number, sent, earliest: i64::MAX, source: self.number });
        }
        let expected = self.links.reserve();
        let first = &mut self.completions.get(completion).link;
        *first = (*first).min(expected);
        self.expect_note(completion, OpenNote::Receive);
    }

    /// Makes a completion expect one more dependency for replays, which time the first thread's calls alone.
    pub(super) fn expect_note(&mut self, completion: u32, open: OpenNote) {
        if self.completions.get(completion).thread == 0 {
            let expected = self.log.add(open);
            let first = &mut self.completions.get(completion).notes[usize::from(open != OpenNote::Receive)];
            *first = (*first).min(expected);
        }
    }

    /// Notes the receive of a send.
    pub(super) fn posted(&mut self, completion: u32, bytes: u64, cause: Option<Cause>, posted: Option<NotedMark>) {
        self.note(completion, Note::Posted { posted, bytes, is_late: cause.is_some() });
    }
}
