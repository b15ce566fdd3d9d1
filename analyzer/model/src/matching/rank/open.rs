//! Calls that have not returned, and what they wait for.
//!
//! When all calls of all ranks were seen, such a call waits for what nobody has done: its message was not sent, its receive not
//! posted, not all have come to its collective call. Then all of its time is a wait, with nobody to blame yet. If what it waits for was
//! done meanwhile, it waited until then, as a call does that has returned.

use traces::calls::{Call, Class};

use super::RankMatcher;
use super::messages::{turn, wanted};
use crate::matching::collectives::{ArrivalEnd, Ordinal, OwnPart};
use crate::matching::posted_receive::{Envelope, Pattern};
use crate::matching::requests::{Partner, Request};
use crate::matching::waits::{RankSite, WaitState};
use crate::matching::windows::Called;
use crate::matching::{Cause, Letter, Message, Token};
use crate::roles::{CallPart, Flow, Peer, Role};
use crate::stream::{Stream, TimedCall};

/// A call that has not returned.
pub struct OpenWait {
    thread: u32,
    at: RankSite,
    start: i64,
    until: i64,
    what: Awaited,
}

/// What it waits for.
enum Awaited {
    /// Messages: the completion that is told when the one it sends finds its receive, and the receiver; what it can receive.
    Messages(Option<(u32, u32)>, Option<Pattern>),
    /// That all come to a collective call.
    Others(u32, Ordinal, OwnPart),
    /// Requests of its thread.
    Requests,
}

/// What is known of something that a call waits for.
enum Known {
    /// Nobody has done it; the one rank that could.
    Unmet(WaitState, Option<u32>),
    /// It was done, if that was later than the call.
    Met(Option<Cause>),
}

impl<'a> RankMatcher<'a> {
    /// A call that has not returned.
    pub(super) fn open_call(&mut self, stream: &Stream<'a>, call: &TimedCall) {
        let role = stream.role(call);
        // What begins a request waits for nothing.
        if role.takes {
            return;
        }
        let what = match role.what {
            CallPart::Message { .. } => {
                let completion = self.completions.begin(role.place, call, 1);
                let token = Token::Completion(completion);
                let sends = self.send(role, role.place, (turn(stream, call), true), Some(token));
                if sends {
                    self.completions.await_one(completion);
                }
                let pattern = self.post(stream, role, call).map(|(pattern, _)| pattern);
                let sent = if let (true, Peer::Rank(to)) = (sends, role.to.0) { Some((completion, to)) } else { None };
                Awaited::Messages(sent, pattern)
            }
            CallPart::Probe if !polls(role) => Awaited::Messages(None, wanted(role)),
            CallPart::Collective { flow, root } => {
                let Some(object) = role.object else { return };
                let ordinal = (self.ordinal(role), 0);
                self.collective(role, flow, root, ordinal, call, ArrivalEnd::Open(call.end));
                Awaited::Others(object, ordinal, OwnPart { rank: self.number, flow, root })
            }
            CallPart::Make => {
                let Some((object, ordinal)) = self.make(role, call, ArrivalEnd::Open(call.end)) else { return };
                Awaited::Others(object, ordinal, OwnPart { rank: self.number, flow: Flow::Create, root: false })
            }
            CallPart::Window(epoch) => {
                let at = RankSite { rank: self.number, place: role.place };
                let called = Called { at, begin: call.start, end: call.end, open: true };
                self.windows.call(role, epoch, called, &mut self.links, &mut self.waits);
                return;
            }
            CallPart::Nothing if completes(role) => Awaited::Requests,
            _ => return,
        };
        let at = RankSite { rank: self.number, place: role.place };
        self.open.push(OpenWait { thread: stream.thread, at, start: call.start, until: call.end, what });
    }

    /// Whether a call has not returned.
    pub fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Tells the senders of messages whose receives were posted and are not complete.
    pub fn tell_posted(&mut self) {
        let posted = self.queues.posted().map(|(message, post)| (*message, post.at, post.place));
        let mut told: Vec<(Message, i64, RankSite)> =
            posted.map(|(message, at, place)| (message, at, RankSite { rank: self.number, place })).collect();
        for open in &self.open {
            if let Awaited::Messages(_, Some(pattern)) = &open.what
                && let Some(message) = self.queues.message_for(pattern)
            {
                told.push((*message, open.start, open.at));
            }
        }
        for (message, at, who) in told {
            let Some(token) = message.token else { continue };
            let cause = Cause { at, who, state: WaitState::LateReceiver };
            let late = Some(cause).filter(|cause| cause.at > message.begin);
            self.letters.send(message.envelope.source, Letter::Told(token, late));
        }
    }

    /// Finds out what the calls that have not returned wait for. `is_whole`: what no rank is known to have done, none has done.
    pub fn judge_open(&mut self, is_whole: bool) {
        for open in std::mem::take(&mut self.open) {
            let known = self.known(&open);
            let unmet = known.iter().find_map(|one| match one {
                Known::Unmet(state, whom) => Some((*state, *whom)),
                Known::Met(_) => None,
            });
            let causes = known.iter().filter_map(|one| if let Known::Met(cause) = one { *cause } else { None });
            let latest = causes.max_by_key(|cause| (cause.at, cause.who));
            match (unmet, latest) {
                (Some(unmet), _) if is_whole => {
                    let error = self.common_clock.lines[self.number as usize].error(open.until);
                    self.waits.add_open(unmet, open.at, (open.start, open.until), error);
                    if open.thread == 0 {
                        self.links.in_vain = open.until - open.start;
                    }
                }
                (None, Some(cause)) => {
                    cause.charge(open.at, open.start, open.until, self.common_clock, &mut self.waits);
                }
                _ => {}
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
                let unmet = self.collectives.waits_for_others(*object, *ordinal, *own);
                unmet.map(|(state, whom)| Known::Unmet(state, whom)).into_iter().collect()
            }
            Awaited::Requests => {
                let pending = self.requests.of_thread(open.thread).filter(|request| request.completion.is_none());
                pending.flat_map(|request| self.known_of(request)).collect()
            }
        }
    }

    /// The same of a request, which the call may wait for: which ones it was given no record says, but those that it was not given
    /// are mostly complete.
    fn known_of(&self, request: &Request) -> Option<Known> {
        if let Some((receipt, wanted)) = request.receive {
            let from = if let Peer::Rank(source) = wanted.from.0 { Some(source) } else { None };
            return Some(came(self.queues.message_of(receipt), from));
        }
        if let Some((object, ordinal, own)) = request.collective {
            let unmet = self.collectives.waits_for_others(object, ordinal, own);
            return unmet.map(|(state, whom)| Known::Unmet(state, whom));
        }
        match request.partner {
            Partner::Nothing => None,
            Partner::Awaited => Some(Known::Unmet(WaitState::LateReceiver, None)),
            Partner::Told(cause) => Some(Known::Met(cause)),
        }
    }
}

/// Whether a message was sent that something waits for, from a rank if that is known.
fn came(message: Option<&Message>, from: Option<u32>) -> Known {
    let Some(message) = message else { return Known::Unmet(WaitState::LateSender, from) };
    let Envelope { source, .. } = message.envelope;
    let who = RankSite { rank: source, place: message.place };
    Known::Met(Some(Cause { at: message.begin, who, state: WaitState::LateSender }))
}

fn polls(role: &Role) -> bool {
    Call::from_number(role.function).is_some_and(Call::polls)
}

fn completes(role: &Role) -> bool {
    Call::from_number(role.function).is_some_and(|call| call.class() == Class::Completion && !call.polls())
}
