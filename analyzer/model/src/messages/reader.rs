//! Follows each receive of a thread from its post to its message.

use std::mem::take;

use rustc_hash::FxHashMap;
use traces::calls::{ArgumentKind, Call, Class};
use traces::read::ThreadPages;
use traces::record::{Arrived, Content, Fate};
use traces::signature::{CREATES, STARTS, Signature, peer, tag};

use super::{ComparableMessage, Way};
use crate::request_numbers::{RequestChange, RequestId, RequestRun};
use crate::thread_calls::{Detail, Extras, ThreadCall, ThreadCalls};

/// Messages of a rank found so far.
#[derive(Default)]
pub struct Found {
    pub messages: Vec<(Place, ComparableMessage)>,
    /// Receives and collective calls under way, by thread and number of their request.
    open: FxHashMap<RequestId, Open>,
    /// Requests that a thread completed and another one began.
    foreign: Vec<CompletedRun>,
    created: FxHashMap<RequestId, Meaning>,
}

/// Channel of a message, by the rank's own numbers.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub way: Way,
    pub communicator: u32,
    pub peer: i32,
    pub tag: i32,
}

/// An operation under way.
enum Open {
    /// A receive, with the time of its post.
    Receive(Meaning, u64),
    /// A collective call, by index in `messages`.
    Collective(usize),
}

/// Result of a request.
#[derive(Default)]
struct Completion {
    end: u64,
    arrived: Option<Arrived>,
    contents: Vec<Content>,
}

/// Requests with consecutive numbers that a call completed, and the result of the last one.
struct CompletedRun {
    run: RequestRun,
    last: Completion,
}

/// Attributes that all calls of a signature share.
#[derive(Clone, Copy, Default)]
struct Meaning {
    call: u16,
    site: u32,
    communicator: u32,
    /// Destination and tag of its send.
    to: Option<(i32, i32)>,
    /// Source and tag of its receive.
    from: Option<(i32, i32)>,
    collective: bool,
    sent: u64,
    received: u64,
    takes: bool,
    creates: bool,
    at_once: bool,
}

pub fn read(thread: &ThreadPages<'_>, found: &mut Found) {
    let by_number = thread.signatures.by_number(Meaning::default(), Meaning::of);
    let mut reader = Reader { thread: thread.number, found, by_number };
    // Tests without success and calls that have not returned are skipped: nothing shows that they moved data.
    let mut calls = ThreadCalls::of_records(thread, Extras::CONTENTS);
    while let Some(call) = calls.peek() {
        if !call.in_vain {
            reader.call(call, calls.details(call));
        }
        calls.advance();
    }
}

impl Meaning {
    fn of(signature: &Signature, at_once: bool) -> Meaning {
        let is = |flag| signature.flags & flag != 0;
        let Some(call) = Call::from_number(signature.call) else { return Meaning::default() };
        let messages = call.class() == Class::PointToPoint;
        let (sends, receives) = (
            messages && call.has(ArgumentKind::Dest),
            messages && (call.has(ArgumentKind::Source) || call.has(ArgumentKind::TakeMessage)),
        );
        let (sent, received) = signature.moves();
        let first = (signature.peer, signature.tag);
        let (to, from) = match (sends, receives) {
            (true, true) => (Some(first), Some((signature.source, signature.source_tag))),
            (true, false) => (Some(first), None),
            (false, true) => (None, Some(first)),
            (false, false) => (None, None),
        };
        let real = |end: &(i32, i32)| !matches!(end.0, peer::PROC_NULL | peer::NONE);
        Meaning {
            call: signature.call,
            site: signature.site,
            communicator: signature.object,
            to: to.filter(real),
            from: from.filter(real),
            collective: matches!(call.class(), Class::Collective | Class::Neighborhood),
            sent,
            received,
            takes: is(STARTS) || is(CREATES),
            creates: is(CREATES),
            at_once,
        }
    }

    fn message(&self, begin: u64, end: u64) -> ComparableMessage {
        let Meaning { call, site, .. } = *self;
        let (sent, received, from_any) = (0, 0, false);
        ComparableMessage { ordinal: 0, begin, end, call, site, sent, received, contents: Vec::new(), from_any }
    }
}

impl Found {
    /// Number of receives still under way.
    pub fn pending(&self) -> u64 {
        self.open.values().filter(|open| matches!(open, Open::Receive(..))).count() as u64
    }

    /// Completes requests that one thread began and another one completed.
    pub fn complete_foreign(&mut self) {
        for run in take(&mut self.foreign) {
            self.complete_run(run);
        }
    }

    fn complete_run(&mut self, run: CompletedRun) {
        let CompletedRun { run, last } = run;
        for request in run.ids().filter(|request| *request != run.last()) {
            self.complete(request, Completion { end: last.end, ..Completion::default() });
        }
        self.complete(run.last(), last);
    }

    /// Adds a call's messages. Returns the operation that its request completes.
    fn begin(&mut self, meaning: &Meaning, begin: u64, end: u64, contents: Vec<Content>) -> Option<Open> {
        let (received, sent): (Vec<Content>, Vec<Content>) = contents.into_iter().partition(|content| content.received);
        if meaning.collective {
            let place =
                Place { way: Way::Collective, communicator: meaning.communicator, peer: peer::NONE, tag: tag::NONE };
            let contents = [sent, received].concat();
            let Meaning { sent, received, .. } = *meaning;
            self.messages.push((place, ComparableMessage { sent, received, contents, ..meaning.message(begin, end) }));
            return Some(Open::Collective(self.messages.len() - 1));
        }
        if let Some((peer, tag)) = meaning.to {
            let place = Place { way: Way::Sent, communicator: meaning.communicator, peer, tag };
            let message = ComparableMessage { sent: meaning.sent, contents: sent, ..meaning.message(begin, end) };
            self.messages.push((place, message));
        }
        meaning.from.map(|_| Open::Receive(*meaning, begin))
    }

    fn complete(&mut self, request: RequestId, completion: Completion) {
        match self.open.remove(&request) {
            Some(Open::Receive(meaning, begin)) => self.receive(&meaning, begin, completion),
            Some(Open::Collective(at)) => {
                if let Some((_, message)) = self.messages.get_mut(at) {
                    message.contents.extend(completion.contents);
                    message.end = completion.end;
                }
            }
            None => {}
        }
    }

    /// Adds a received message.
    fn receive(&mut self, meaning: &Meaning, begin: u64, completion: Completion) {
        let Completion { end, arrived, contents } = completion;
        let Some((source, with)) = meaning.from else { return };
        let got = arrived.map_or((source, with, meaning.received), |got| (got.source, got.tag, got.bytes));
        if arrived.is_some_and(|arrived| arrived.fate != Fate::Whole) || got.0 == peer::PROC_NULL {
            return;
        }
        let place = Place { way: Way::Received, communicator: meaning.communicator, peer: got.0, tag: got.1 };
        let from_any = source == peer::ANY;
        let message = ComparableMessage { received: got.2, contents, from_any, ..meaning.message(begin, end) };
        self.messages.push((place, message));
    }
}

struct Reader<'a> {
    thread: u32,
    found: &'a mut Found,
    by_number: Vec<Meaning>,
}

impl Reader<'_> {
    fn call(&mut self, call: &ThreadCall, details: &[Detail]) {
        let meaning = self.by_number.get(call.signature as usize).copied().unwrap_or_default();
        let (begin, end) = (call.start, call.end);
        let mut own = Completion { end, ..Completion::default() };
        // Started requests: attributes, number and contents to send.
        let mut started: Vec<(Meaning, u64, Vec<Content>)> = Vec::new();
        let mut completed: Vec<CompletedRun> = Vec::new();
        for detail in details {
            match *detail {
                Detail::Requests(RequestChange::Completed(run)) => {
                    completed.push(CompletedRun { run, last: Completion { end, ..Completion::default() } });
                }
                Detail::Requests(RequestChange::Started { created, first }) => {
                    for (created, number) in created.ids().zip(first..) {
                        if let Some(known) = self.found.created.get(&created) {
                            started.push((Meaning { site: meaning.site, ..*known }, number, Vec::new()));
                        }
                    }
                }
                Detail::Arrived(arrived) => {
                    completed.last_mut().map_or(&mut own, |run| &mut run.last).arrived = Some(arrived);
                }
                Detail::Content(content) => match (started.last_mut(), completed.last_mut()) {
                    (Some((.., contents)), _) => contents.push(content),
                    (None, Some(run)) => run.last.contents.push(content),
                    (None, None) => own.contents.push(content),
                },
                Detail::Requests(RequestChange::Freed(_) | RequestChange::Ready(_)) | Detail::FoundComplete(..) => {}
            }
        }
        for run in completed {
            match run.run.thread == self.thread {
                true => self.found.complete_run(run),
                false => self.found.foreign.push(run),
            }
        }
        for (meaning, number, contents) in started {
            if let Some(open) = self.found.begin(&meaning, begin, end, contents) {
                self.found.open.insert((self.thread, number), open);
            }
        }
        let request = (self.thread, call.request);
        if meaning.creates {
            self.found.created.insert(request, meaning);
        } else if !call.failed {
            let (contents, arrived) = (own.contents, own.arrived);
            let received = contents.iter().filter(|content| content.received).copied().collect();
            match self.found.begin(&meaning, begin, end, contents) {
                Some(open) if meaning.takes && !meaning.at_once => {
                    self.found.open.insert(request, open);
                }
                Some(Open::Receive(meaning, begin)) => {
                    self.found.receive(&meaning, begin, Completion { end, arrived, contents: received });
                }
                _ => {}
            }
        }
    }
}
