//! Finds the causes of calls that have not returned.
//!
//! Once all calls of all ranks were seen, such a call waits for a message that was not sent, a receive that was not posted
//! or a rank that has not reached the collective call. Then its whole time is a wait without a known cause. If the event
//! did happen meanwhile, the call waited until then, as a call does that has returned.

use traces::calls::Call;

use super::RankMatcher;
use super::messages::{pattern_of, turn};
use crate::matching::collectives::{ArrivalEnd, Ordinal, OwnPart};
use crate::matching::overlong::Overlong;
use crate::matching::posted_receive::{Envelope, Pattern};
use crate::matching::requests::{Partner, Request};
use crate::matching::wait_sums::{RankSite, WaitState};
use crate::matching::windows::{Called, OwnSteps};
use crate::matching::{Cause, Letter, Message, Token, WaitingCall};
use crate::roles::{CallPart, Flow, Peer};
use crate::stream::{Stream, TimedCall};

pub struct OpenWait {
    thread: u32,
    at: RankSite,
    start: i64,
    until: i64,
    /// Bytes that it has posted, if it receives.
    room: Option<u64>,
    what: Awaited,
}

enum Awaited {
    /// Messages: for a send, the completion that is told of its receive, and the receiver; for a receive, its pattern.
    Messages(Option<(u32, u32)>, Option<Pattern>),
    /// All ranks of a collective call.
    Others(u32, Ordinal, OwnPart),
    /// Requests of the call's thread.
    Requests,
}

/// State of one event that a call waits for.
enum Known {
    /// It has not happened. The rank, if given, is the only one that can bring it about.
    Unmet(WaitState, Option<u32>),
    /// It happened. The cause is given if the event came after the call's begin.
    Met(Option<Cause>),
}

impl<'a> RankMatcher<'a> {
    pub(super) fn open_call(&mut self, stream: &Stream<'a>, call: &TimedCall) {
        let role = stream.role(call);
        // A call that begins a request waits for nothing.
        if role.takes {
            return;
        }
        let what = match role.what {
            CallPart::Message { .. } => {
                let completion = self.completions.begin(stream, call, 1);
                let token = Token::Completion(completion);
                let sends = self.send(role, role.place, (turn(stream, call), true), Some(token));
                if sends {
                    self.completions.await_one(completion);
                }
                let pattern = self.post(stream, role, call).map(|(pattern, _)| pattern);
                let sent = if let (true, Peer::Rank(to)) = (sends, role.to.0) { Some((completion, to)) } else { None };
                Awaited::Messages(sent, pattern)
            }
            CallPart::Probe if !role.call().is_some_and(Call::polls) => Awaited::Messages(None, pattern_of(role)),
            CallPart::Collective { flow, root } => {
                let Some(object) = role.object else { return };
                let ordinal = (self.ordinal(role), 0);
                self.collective(role, (flow, root), ordinal, (stream.thread, call), ArrivalEnd::Open(call.end));
                Awaited::Others(object, ordinal, OwnPart { rank: self.number, flow, root })
            }
            CallPart::Make => {
                let end = ArrivalEnd::Open(call.end);
                let Some((object, ordinal)) = self.make(role, (stream.thread, call), end) else { return };
                Awaited::Others(object, ordinal, OwnPart { rank: self.number, flow: Flow::Create, root: false })
            }
            CallPart::Window(epoch) => {
                let at = RankSite { rank: self.number, place: role.place };
                let called = Called { at, begin: call.start, end: call.end, open: true };
                let mut own = OwnSteps { links: &mut self.links, log: &mut self.log };
                self.shared.windows.call(role, epoch, called, &mut own, &mut self.waits);
                return;
            }
            CallPart::Nothing if role.call().is_some_and(Call::waits_for_requests) => Awaited::Requests,
            _ => return,
        };
        let at = RankSite { rank: self.number, place: role.place };
        let room = matches!(role.what, CallPart::Message { receives: true, .. }).then_some(role.received);
        self.open.push(OpenWait { thread: stream.thread, at, start: call.start, until: call.end, room, what });
    }

    /// True if some call of the rank has not returned.
    pub fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Tells senders about receives that are posted but not complete.
    pub fn tell_posted(&mut self) {
        let own = |place| RankSite { rank: self.number, place };
        let posted = self.queues.posted();
        let posted = posted.map(|(message, post)| (message.clone(), (post.at, post.turn.thread), own(post.place)));
        let mut told: Vec<(Message, (i64, u32), RankSite)> = posted.collect();
        for open in &self.open {
            if let Awaited::Messages(_, Some(pattern)) = &open.what
                && let Some(message) = self.queues.message_for(pattern)
            {
                told.push((message.clone(), (open.start, open.thread), open.at));
            }
        }
        for (message, (at, thread), who) in told {
            let Some(token) = message.token else { continue };
            let cause = Cause { at, who, thread, state: WaitState::LateReceiver };
            let late = Some(cause).filter(|cause| cause.at > message.begin);
            self.letters.send(message.envelope.source, Letter::Told(token, late, None));
        }
    }

    /// Charges the waits of calls that have not returned. With `is_whole`, an event that no rank recorded did not happen.
    pub fn judge_open(&mut self, is_whole: bool) {
        self.note_overlong();
        for open in std::mem::take(&mut self.open) {
            let known = self.known(&open);
            let unmet = known.iter().find_map(|one| match one {
                Known::Unmet(state, whom) => Some((*state, *whom)),
                Known::Met(_) => None,
            });
            let causes = known.iter().filter_map(|one| if let Known::Met(cause) = one { *cause } else { None });
            let latest = causes.max_by_key(|cause| (cause.at, cause.who));
            let OpenWait { at, thread, start: begin, until: end, .. } = open;
            let call = WaitingCall { at, thread, begin, end };
            match (unmet, latest) {
                (Some(unmet), _) if is_whole => {
                    let error = self.common_clock.lines[self.number as usize].error(end);
                    self.waits.add_open(unmet, call, error);
                    if thread == 0 {
                        self.links.span.in_vain = end - begin;
                    }
                }
                (None, Some(cause)) => cause.charge(call, self.common_clock, &mut self.waits),
                _ => {}
            }
        }
    }

    /// Notes messages that are larger than the receives that they have come to, which have not returned.
    fn note_overlong(&mut self) {
        let own = |place| RankSite { rank: self.number, place };
        let posted = self.queues.posted();
        let posted = posted.map(|(message, post)| (own(post.place), Overlong::to_open(message, post.at, post.room)));
        let inside = self.open.iter().filter_map(|open| {
            let Awaited::Messages(_, Some(pattern)) = &open.what else { return None };
            Some((open.at, Overlong::to_open(self.queues.message_for(pattern)?, open.start, open.room?)))
        });
        let all: Vec<(RankSite, Option<Overlong>)> = posted.chain(inside).collect();
        for (at, message) in all {
            if let Some(message) = message {
                self.odd.overlong(at, message);
            }
        }
    }

    fn known(&self, open: &OpenWait) -> Vec<Known> {
        match &open.what {
            Awaited::Messages(sent, pattern) => {
                let of_send = sent.map(|(completion, to)| match self.completions.untold(completion) {
                    1 => Known::Met(self.completions.latest(completion)),
                    _ => Known::Unmet(WaitState::LateReceiver, Some(to)),
                });
                let of_receive = pattern.map(|pattern| came(self.queues.message_for(&pattern), pattern.source));
                of_send.into_iter().chain(of_receive).collect()
            }
            Awaited::Others(object, ordinal, own) => {
                let unmet = self.shared.collectives.waits_for_others(*object, *ordinal, *own);
                unmet.map(|(state, whom)| Known::Unmet(state, whom)).into_iter().collect()
            }
            Awaited::Requests => {
                let pending = self.requests.of_thread(open.thread).filter(|request| request.completion.is_none());
                pending.flat_map(|request| self.known_of(request)).collect()
            }
        }
    }

    /// State of a request that the call may wait for. The record does not list the requests given to the call, but the thread's
    /// other requests are mostly complete.
    fn known_of(&self, request: &Request) -> Option<Known> {
        if let Some((receipt, wanted)) = request.receive {
            let from = if let Peer::Rank(source) = wanted.from.0 { Some(source) } else { None };
            return Some(came(self.queues.message_of(receipt), from));
        }
        if let Some(of) = &request.collective {
            let unmet = self.shared.collectives.waits_for_others(of.object, of.ordinal, of.own);
            return unmet.map(|(state, whom)| Known::Unmet(state, whom));
        }
        match request.partner {
            Partner::Nothing => None,
            Partner::Awaited => Some(Known::Unmet(WaitState::LateReceiver, None)),
            Partner::Told(cause) => Some(Known::Met(cause)),
        }
    }
}

/// Tells whether the awaited message was sent; `from` is its sender, if known.
fn came(message: Option<&Message>, from: Option<u32>) -> Known {
    let Some(message) = message else { return Known::Unmet(WaitState::LateSender, from) };
    let Envelope { source, .. } = message.envelope;
    let who = RankSite { rank: source, place: message.place };
    let thread = message.turn.thread;
    Known::Met(Some(Cause { at: message.begin, who, thread, state: WaitState::LateSender }))
}
