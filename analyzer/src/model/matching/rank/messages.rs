//! A rank's sends and receives.

use traces::record::Arrived;

use super::{Rank, arrived};
use crate::model::matching::queues::{Envelope, Pattern, Post};
use crate::model::matching::requests::{Partner, Request, Wanted};
use crate::model::matching::{Letter, Message, Token};
use crate::model::roles::{Peer, Role, Spot, What};
use crate::model::stream::{Call, Detail, Stream};

impl<'a> Rank<'a> {
    /// A call that begins sends and receives, by requests or complete at once.
    pub(super) fn begin(
        &mut self,
        stream: &Stream<'a>,
        call: &Call,
        role: &Role,
        token: Option<Token>,
        got: Option<Arrived>,
    ) {
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
    pub(super) fn send_partitioned(&mut self, request: (u32, u64)) {
        if let Some((to, message)) = self.partitioned.remove(&request) {
            self.letters.send(to, Letter::Message(message));
        }
    }

    /// A call that sends and receives, and returns when that is done.
    pub(super) fn message(&mut self, stream: &Stream<'a>, call: &Call, details: &[Detail]) {
        let role = stream.role(call);
        let completion = self.completions.begin(role.place, call, 1);
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
    fn send(&mut self, role: &Role, place: Spot, begin: i64, token: Option<Token>) -> bool {
        let What::Message { sends: true, partitioned, .. } = role.what else { return false };
        let (Peer::Rank(to), Some(object)) = (role.to.0, role.object) else {
            self.elsewhere += u64::from(role.to.0 != Peer::Nobody && place.counts());
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
                self.elsewhere += u64::from(stream.role(call).place.counts());
                return None;
            }
        };
        let tag = (role.from.1 != traces::signature::tag::ANY).then_some(role.from.1);
        let pattern = Pattern { object: role.object?, source, tag, partitioned };
        Some((pattern, Post::new(call.start, stream.role(call).place, role.received)))
    }

    pub(super) fn probe(&mut self, stream: &Stream<'a>, call: &Call, details: &[Detail]) {
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
}

/// What a receive got: the envelope, where that is known, and the bytes, where those are not what was posted.
pub fn got_by(stream: &Stream<'_>, wanted: Wanted, arrived: Option<Arrived>) -> (Option<Envelope>, Option<u64>) {
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
