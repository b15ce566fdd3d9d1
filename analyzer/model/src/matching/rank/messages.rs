//! Handles a rank's sends and receives.

use std::num::NonZeroU32;

use traces::record::{Arrived, Fate};

use super::{RankMatcher, arrived, count};
use crate::matching::concurrent::CallSpan;
use crate::matching::dependency_log::OpenNote;
use crate::matching::posted_receive::{Envelope, Pattern, Post, Receival};
use crate::matching::queues::Receipt;
use crate::matching::requests::{Partner, Request, Wanted};
use crate::matching::{Letter, Message, RankSite, Token};
use crate::roles::{CallPart, Peer, Role, SpottedSite};
use crate::stream::{Stream, TimedCall};
use crate::thread_calls::Detail;

impl<'a> RankMatcher<'a> {
    /// Handles a call that begins sends and receives, by requests or complete at once.
    pub(super) fn begin(
        &mut self,
        stream: &Stream<'a>,
        call: &TimedCall,
        role: &Role,
        token: Option<Token>,
        got: Option<Arrived>,
    ) {
        let mut request = Request { place: role.place, part: self.part(call), ..Request::default() };
        if self.send(role, stream.role(call).place, (turn(stream, call), false), token) && token.is_some() {
            request.partner = Partner::Awaited;
            request.send = self.noted_send(role, stream);
        }
        if let Some((pattern, post)) = self.post(stream, role, call) {
            let receipt = self.queues.post(pattern, post);
            if role.at_once {
                let completion = self.completions.begin(stream, call, 0);
                self.expect_message(completion);
                self.received(stream, call, receipt, Wanted::by(role), completion, got);
                self.judge_matched();
            } else {
                request.receive = Some((receipt, Wanted::by(role)));
            }
        }
        if let Some(Token::Request(thread, number)) = token {
            self.requests.insert(thread, number, request);
        }
    }

    /// Sends a partitioned message. MPI has sent all of it only when its request is complete.
    pub(super) fn send_partitioned(&mut self, request: (u32, u64)) {
        if let Some((to, message)) = self.partitioned.remove(&request) {
            self.letters.send(to, Letter::Message(message));
        }
    }

    /// Handles a blocking call that sends, receives or both.
    pub(super) fn message(&mut self, stream: &Stream<'a>, call: &TimedCall, details: &[Detail]) {
        let role = stream.role(call);
        let completion = self.completions.begin(stream, call, 1);
        if self.send(role, role.place, (turn(stream, call), false), Some(Token::Completion(completion))) {
            self.completions.await_one(completion);
            self.completions.get(completion).send = self.noted_send(role, stream);
        }
        // The receive is posted before the send waits for another one: two ranks exchange messages by one call of each.
        let receive = self.post(stream, role, call);
        if let Some(bytes) = self.completions.get(completion).send {
            self.expect_note(completion, OpenNote::Send(bytes));
        }
        if let Some((pattern, post)) = receive {
            self.expect_message(completion);
            let got = arrived(details);
            let pattern = got_by(stream, Wanted::by(role), got).map_or(pattern, Pattern::of);
            let receipt = self.queues.post(pattern, post);
            self.received(stream, call, receipt, Wanted::by(role), completion, got);
            self.judge_matched();
        }
        self.tell(completion, None);
    }

    pub(super) fn received(
        &mut self,
        stream: &Stream<'a>,
        call: &TimedCall,
        receipt: Receipt,
        wanted: Wanted,
        completion: u32,
        got: Option<Arrived>,
    ) {
        let envelope = got_by(stream, wanted, got);
        let truncated = got.is_some_and(|got| got.fate == Fate::Truncated);
        let number = envelope
            .zip(self.passed_over.as_mut())
            .map(|(envelope, passed)| (envelope.source, passed.receive(envelope.source)));
        let got = Receival { completion, end: call.end, number, bytes: got.map(|got| got.bytes), truncated };
        if envelope.is_none_or(|envelope| envelope.source == Envelope::UNRECORDED) {
            // No record tells when the message was sent.
            self.depends_on_nothing(completion);
        }
        match self.threaded {
            // A receive of another thread may be complete earlier.
            true => self.completing.push((receipt, envelope, got)),
            false => self.queues.complete(receipt, envelope, Some(got), &mut self.matched),
        }
    }

    /// Sends the message of a call, returned or not. Returns false if the call sends none.
    pub(super) fn send(
        &mut self,
        role: &Role,
        place: SpottedSite,
        (turn, open): (CallSpan, bool),
        token: Option<Token>,
    ) -> bool {
        let CallPart::Message { sends: true, partitioned, .. } = role.what else { return false };
        let (Peer::Rank(to), Some(object)) = (role.to.0, role.object) else {
            self.count_elsewhere(role.to.0, place);
            return false;
        };
        if let Some(Token::Request(thread, number)) = token
            && self.cancelled.contains(&(thread, number))
        {
            count(&mut self.odd.cancelled, RankSite { rank: self.number, place });
            return false;
        }
        self.sent = self.sent.saturating_add(1);
        let envelope = Envelope { object, source: self.number, tag: role.to.1, partitioned };
        let (begin, site) = (turn.begin, place.number() as u32);
        let (mark, noted) = (self.links.mark_at(begin, site), self.log.mark(begin, site));
        let message = Message { envelope, place, begin, number: 0, turn, bytes: role.sent, token, open, mark, noted };
        match (partitioned, token) {
            (true, Some(Token::Request(thread, number))) => {
                self.partitioned.insert((thread, number), (to, message));
            }
            _ if self.threaded => self.outbox.add(to, message),
            _ => self.letters.send(to, Letter::Message(message)),
        }
        true
    }

    /// Bytes of a message whose send may wait for its receive, if dependencies are noted.
    fn noted_send(&self, role: &Role, stream: &Stream<'a>) -> Option<u64> {
        (self.log.is_wanted() && stream.thread == 0).then_some(role.sent)
    }

    /// Counts a message whose sender or receiver has no file here.
    fn count_elsewhere(&mut self, peer: Peer, place: SpottedSite) {
        let counts = u64::from(place.counts());
        match peer {
            Peer::Nobody => {}
            Peer::Unrecorded => self.unrecorded += counts,
            _ => self.elsewhere += counts,
        }
    }

    pub(super) fn post(&mut self, stream: &Stream<'a>, role: &Role, call: &TimedCall) -> Option<(Pattern, Post)> {
        let CallPart::Message { receives: true, .. } = role.what else { return None };
        let place = stream.role(call).place;
        if let peer @ (Peer::Unknown | Peer::Unrecorded) = role.from.0 {
            self.count_elsewhere(peer, place);
        }
        let mut post = Post::new(turn(stream, call), place, role.received);
        if self.log.is_wanted() {
            post.noted = Some(self.log.mark(call.start, place.number() as u32));
            post.of_any = NonZeroU32::new(self.sent.saturating_add(1)).filter(|_| matches!(role.from.0, Peer::Any));
        }
        Some((pattern_of(role)?, post))
    }

    pub(super) fn probe(&mut self, stream: &Stream<'a>, call: &TimedCall, details: &[Detail]) {
        let role = stream.role(call);
        let from = stream.roles().came_from(role.object, role.from, arrived(details));
        if let (Peer::Rank(source), Some(object)) = (from.0, role.object) {
            let envelope = Envelope { object, source, tag: from.1, partitioned: false };
            // Of several threads, it is not certain which receive gets the message.
            let note = (self.log.is_wanted() && !self.threaded).then(|| self.log.add(OpenNote::Receive));
            self.queues.probe(envelope, role.place, (call.start, call.end), note);
        }
    }
}

/// The pattern of a receive or probe; `None` if its source is unknown.
pub(super) fn pattern_of(role: &Role) -> Option<Pattern> {
    let source = match role.from.0 {
        Peer::Any => None,
        Peer::Rank(source) => Some(source),
        Peer::Nobody | Peer::Unknown | Peer::Unrecorded => return None,
    };
    let tag = (role.from.1 != traces::signature::tag::ANY).then_some(role.from.1);
    Some(Pattern { object: role.object?, source, tag, partitioned: role.what.is_partitioned() })
}

pub(super) fn turn(stream: &Stream<'_>, call: &TimedCall) -> CallSpan {
    CallSpan { thread: stream.thread, begin: call.start, end: call.end, uncertain: false }
}

/// Envelope of the message that a receive got, if known.
pub fn got_by(stream: &Stream<'_>, wanted: Wanted, arrived: Option<Arrived>) -> Option<Envelope> {
    let Wanted { object, partitioned, .. } = wanted;
    let from = stream.roles().came_from(object, wanted.from, arrived);
    match (from.0, object) {
        (Peer::Rank(source), Some(object)) if from.1 != traces::signature::tag::ANY => {
            Some(Envelope { object, source, tag: from.1, partitioned })
        }
        (Peer::Unrecorded, Some(object)) => {
            Some(Envelope { object, source: Envelope::UNRECORDED, tag: from.1, partitioned })
        }
        _ => None,
    }
}
