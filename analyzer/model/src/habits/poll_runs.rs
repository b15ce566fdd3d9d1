//! Polls in vain, one after the other, until one of them finds something or another call follows.
//!
//! In: a rank's calls. Out: for each site the time from its polls in vain to the next call, if the run of polls found something, and
//! the rank that sent what was found. A program may poll at several sites in turn: all of them belong to one run.

use rustc_hash::FxHashMap;
use traces::calls::{Call, Class};
use traces::signature::tag;

use crate::objects::Objects;
use crate::request_numbers::RequestId;
use crate::roles::{CallPart, Peer, Role, Roles};
use crate::stream::TimedCall;
use crate::thread_calls::{Detail, RequestEvent, request_events};

/// The effect of a call on the rank's run of polls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poll {
    /// A poll that found nothing.
    InVain,
    /// A poll that found a message or a completed request, with the rank at the other end, if known.
    Found(Option<u32>),
    /// A call that is no poll.
    Other,
}

/// A rank's run of polls in vain so far, and its pending messages.
#[derive(Default)]
pub struct PollRuns {
    /// Nanoseconds by site.
    spans: Vec<(u32, i64)>,
    /// Site and end of the last poll.
    last: Option<(u32, i64)>,
    pending: FxHashMap<RequestId, PendingMessage>,
    /// Time from an unsuccessful poll to the last call, if that is a poll that found something.
    pub before_found: Option<i64>,
    /// The last call completed a receive that was posted before.
    pub has_received: bool,
    /// The last call completed a message to or from a rank that has no records here.
    pub has_unseen: bool,
}

/// A message whose request is not complete, or was created to be started.
#[derive(Clone, Copy)]
struct PendingMessage {
    object: Option<u32>,
    peer: Peer,
    receives: bool,
}

impl PendingMessage {
    fn is_with_unseen(&self, objects: &Objects) -> bool {
        is_unseen(self.peer, self.object, objects)
    }
}

/// True if the rank at the other end has no records here. A rank of an object whose processes are not known may have.
pub fn is_unseen(peer: Peer, object: Option<u32>, objects: &Objects) -> bool {
    peer == Peer::Unrecorded || peer == Peer::Unknown && objects.lacks_some(object)
}

impl PollRuns {
    /// Tells what a call is, and follows the requests that it begins and completes.
    pub fn poll(&mut self, call: &TimedCall, role: &Role, details: &[Detail], roles: &Roles) -> Poll {
        if role.takes {
            self.begin((0, call.request), role);
        }
        let found = self.found(role, details, roles);
        let Some(polling) = role.call().filter(|call| call.polls()) else { return Poll::Other };
        if call.in_vain || !call.failed && finds_nothing(polling, role, details) {
            return Poll::InVain;
        }
        Poll::Found(found)
    }

    /// Adds a call. Returns the site of the poll in vain before it, with the time between the two.
    pub fn add(&mut self, call: &TimedCall, site: u32, poll: Poll) -> Option<(u32, i64)> {
        self.before_found = None;
        match poll {
            Poll::InVain => {}
            Poll::Found(_) => {
                self.before_found = self.last.take().map(|(_, end)| call.start - end);
                return None;
            }
            Poll::Other => {
                self.last = None;
                self.spans.clear();
                return None;
            }
        }
        let before = self.last.replace((site, call.end)).map(|(site, end)| (site, call.start - end));
        if before.is_none() {
            self.spans.clear();
        }
        for (site, time) in before.into_iter().chain([(site, call.end - call.start)]) {
            match self.spans.iter_mut().find(|(of, _)| *of == site) {
                Some((_, span)) => *span = span.saturating_add(time),
                None => self.spans.push((site, time)),
            }
        }
        before
    }

    /// Ends the run of polls with one at `site` that found something. Returns the time of each site in the run; nothing if the run
    /// has no poll at that one.
    pub fn ended(&mut self, site: u32) -> Vec<(u32, i64)> {
        let spans = std::mem::take(&mut self.spans);
        if spans.iter().any(|(of, _)| *of == site) { spans } else { Vec::new() }
    }

    fn begin(&mut self, request: RequestId, role: &Role) {
        let (peer, receives) = match role.what {
            CallPart::Message { sends: true, receives: false, .. } => (role.to.0, false),
            CallPart::Message { sends: false, receives: true, .. } => (role.from.0, true),
            // It has two other ends.
            CallPart::Message { .. } => (Peer::Nobody, true),
            _ => return,
        };
        if !role.at_once {
            self.pending.insert(request, PendingMessage { object: role.object, peer, receives });
        }
    }

    /// The rank at the other end of the one message that a call found.
    fn found(&mut self, role: &Role, details: &[Detail], roles: &Roles) -> Option<u32> {
        let arrived = || details.iter().find_map(Detail::arrived);
        let (mut message, mut count) = (None, 0);
        if role.what == CallPart::Probe {
            (message, count) = (Some(PendingMessage { object: role.object, peer: role.from.0, receives: true }), 1);
        }
        (self.has_received, self.has_unseen) = (false, false);
        for event in request_events(details) {
            match event {
                RequestEvent::Completed(request, _) => {
                    (message, count) = (self.pending.remove(&request), count + 1);
                    self.has_received |= message.is_some_and(|message| message.receives);
                    self.has_unseen |= message.is_some_and(|message| message.is_with_unseen(roles.objects()));
                }
                RequestEvent::Started(created, number) => {
                    if let Some(message) = self.pending.get(&created) {
                        self.pending.insert((0, number), *message);
                    }
                }
                RequestEvent::Freed(request) => drop(self.pending.remove(&request)),
                RequestEvent::Ready(_) => {}
            }
        }
        let PendingMessage { object, peer, .. } = message.filter(|_| count == 1)?;
        let peer = match (peer, arrived()) {
            (Peer::Any, Some(arrived)) => roles.peer(object, arrived.source),
            _ => peer,
        };
        if let Peer::Rank(rank) = peer { Some(rank) } else { None }
    }
}

/// True if the record of a single poll shows that it found nothing.
fn finds_nothing(call: Call, role: &Role, details: &[Detail]) -> bool {
    let is_of_any = || role.from.0 == Peer::Any || role.from.1 == tag::ANY;
    let tests = [Call::Test, Call::Testany, Call::Testall, Call::Testsome].contains(&call);
    details.is_empty() && (tests || call.class() == Class::Probe && is_of_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_polls_ends_with_one_that_finds_something_and_the_time_between_two_belongs_to_the_first() {
        let mut runs = PollRuns::default();
        let poll = |runs: &mut PollRuns, at: i64, site| runs.add(&TimedCall::at(at, at + 10), site, Poll::InVain);
        assert_eq!(poll(&mut runs, 0, 7), None);
        assert_eq!(poll(&mut runs, 15, 8), Some((7, 5)));
        assert_eq!(poll(&mut runs, 45, 7), Some((8, 20)));
        assert_eq!(runs.add(&TimedCall::at(60, 70), 8, Poll::Found(None)), None);
        assert_eq!(runs.before_found, Some(5));
        assert_eq!(runs.ended(8), [(7, 25), (8, 30)]);
        assert_eq!(runs.ended(8), [], "it has ended");
    }

    #[test]
    fn a_call_that_is_no_poll_gives_a_run_up() {
        let mut runs = PollRuns::default();
        runs.add(&TimedCall::at(0, 10), 7, Poll::InVain);
        runs.add(&TimedCall::at(20, 30), 9, Poll::Other);
        runs.add(&TimedCall::at(40, 50), 7, Poll::Found(None));
        assert_eq!(runs.ended(7), []);
    }
}
