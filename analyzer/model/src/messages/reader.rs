//! Goes through a thread's records and follows each receive from its post to what came.

use std::mem::take;

use rustc_hash::FxHashMap;
use traces::calls::{ArgumentKind, Call, Class};
use traces::progress::Polls;
use traces::read::{OpenCall, ThreadPages, Visitor, walk_thread};
use traces::record::{Arrived, Content, Fate, RecordKind};
use traces::signature::{CREATES, NESTED, STARTS, Signature, peer, tag};

use super::{ComparableMessage, Way};

/// What was found so far of a rank.
#[derive(Default)]
pub struct Found {
    /// Where each message belongs.
    pub messages: Vec<(Place, ComparableMessage)>,
    /// Receives and collective calls under way, by thread and number of their request.
    open: FxHashMap<(u32, u64), Open>,
    /// What a thread completed that another one began.
    foreign: Vec<CompletedRun>,
    /// Persistent requests.
    created: FxHashMap<(u32, u64), Meaning>,
}

/// The channel of a message, by the rank's own numbers.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub way: Way,
    pub communicator: u32,
    pub peer: i32,
    pub tag: i32,
}

/// What is under way.
enum Open {
    /// A receive, as it was posted.
    Receive(Meaning, u64),
    /// A collective call, by its place among the messages.
    Collective(usize),
}

/// What a request got.
#[derive(Default)]
struct Completion {
    end: u64,
    arrived: Option<Arrived>,
    contents: Vec<Content>,
}

/// Requests with consecutive numbers that a call completed, and what the last of them got.
struct CompletedRun {
    thread: u32,
    first: u64,
    count: u32,
    last: Completion,
}

/// What a signature says of its calls.
#[derive(Clone, Copy, Default)]
struct Meaning {
    call: u16,
    site: u32,
    communicator: u32,
    /// To whom it sends, and the tag.
    to: Option<(i32, i32)>,
    /// From whom it receives.
    from: Option<(i32, i32)>,
    collective: bool,
    sent: u64,
    received: u64,
    takes: bool,
    creates: bool,
    nested: bool,
    at_once: bool,
}

/// Adds the messages of a thread.
pub fn read(thread: &ThreadPages<'_>, found: &mut Found) {
    let by_number = thread.signatures.by_number(Meaning::default(), Meaning::of);
    let mut reader = Reader { thread: thread.number, found, by_number, next: 0, current: None };
    walk_thread(thread, &mut reader);
    reader.close();
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
            nested: is(NESTED),
            at_once,
        }
    }

    fn message(&self, begin: u64, end: u64) -> ComparableMessage {
        let Meaning { call, site, .. } = *self;
        ComparableMessage { ordinal: 0, begin, end, call, site, sent: 0, received: 0, contents: Vec::new() }
    }
}

impl Found {
    /// Receives that are still under way.
    pub fn pending(&self) -> u64 {
        self.open.values().filter(|open| matches!(open, Open::Receive(..))).count() as u64
    }

    /// Completes what one thread began and another one completed.
    pub fn complete_foreign(&mut self) {
        for run in take(&mut self.foreign) {
            self.complete_run(run);
        }
    }

    fn complete_run(&mut self, run: CompletedRun) {
        let CompletedRun { thread, first, count, last } = run;
        let end = first.saturating_add(count.into()).saturating_sub(1);
        for number in first..end {
            self.complete((thread, number), Completion { end: last.end, ..Completion::default() });
        }
        self.complete((thread, end), last);
    }

    /// A call begins what it moves. Returns what a request of it waits for.
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

    fn complete(&mut self, request: (u32, u64), completion: Completion) {
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

    /// A message has come.
    fn receive(&mut self, meaning: &Meaning, begin: u64, completion: Completion) {
        let Completion { end, arrived, contents } = completion;
        let Some((source, with)) = meaning.from else { return };
        let got = arrived.map_or((source, with, meaning.received), |got| (got.source, got.tag, got.bytes));
        if arrived.is_some_and(|arrived| arrived.fate != Fate::Whole) || got.0 == peer::PROC_NULL {
            return;
        }
        let place = Place { way: Way::Received, communicator: meaning.communicator, peer: got.0, tag: got.1 };
        self.messages.push((place, ComparableMessage { received: got.2, contents, ..meaning.message(begin, end) }));
    }
}

/// The call that the records which follow belong to.
struct Current {
    meaning: Meaning,
    begin: u64,
    end: u64,
    number: u64,
    failed: bool,
    own: Completion,
    /// Requests it started: the meaning, their numbers, and what they hand out.
    started: Vec<(Meaning, u64, Vec<Content>)>,
    completed: Vec<CompletedRun>,
}

struct Reader<'a> {
    thread: u32,
    found: &'a mut Found,
    by_number: Vec<Meaning>,
    /// The number that the next request gets.
    next: u64,
    current: Option<Current>,
}

impl Reader<'_> {
    fn begin(&mut self, signature: u32, begin: u64, end: u64) {
        self.close();
        let meaning = self.by_number.get(signature as usize).copied().unwrap_or_default();
        let number = self.next;
        self.next = self.next.wrapping_add(u64::from(meaning.takes));
        let own = Completion { end, ..Completion::default() };
        let current =
            Current { meaning, begin, end, number, failed: false, own, started: Vec::new(), completed: Vec::new() };
        self.current = (!meaning.nested).then_some(current);
    }

    /// All is known of the current call.
    fn close(&mut self) {
        let Some(Current { meaning, begin, end, number, failed, own, started, completed }) = self.current.take() else {
            return;
        };
        for run in completed {
            match run.thread == self.thread {
                true => self.found.complete_run(run),
                false => self.found.foreign.push(run),
            }
        }
        for (meaning, number, contents) in started {
            let open = self.found.begin(&meaning, begin, end, contents);
            self.found.open.extend(open.map(|open| ((self.thread, number), open)));
        }
        if meaning.creates {
            self.found.created.insert((self.thread, number), meaning);
        } else if !failed {
            let (contents, arrived) = (own.contents, own.arrived);
            let received = contents.iter().filter(|content| content.received).copied().collect();
            match self.found.begin(&meaning, begin, end, contents) {
                Some(open) if meaning.takes && !meaning.at_once => {
                    self.found.open.insert((self.thread, number), open);
                }
                Some(Open::Receive(meaning, begin)) => {
                    self.found.receive(&meaning, begin, Completion { end, arrived, contents: received });
                }
                _ => {}
            }
        }
    }

    fn requests_of(&mut self, kind: RecordKind, (thread, first): (u32, u64), count: u32) {
        let numbers = first..first.saturating_add(count.into());
        let from = self.next;
        if kind == RecordKind::Started {
            self.next = self.next.wrapping_add(count.into());
        }
        let Some(current) = &mut self.current else { return };
        match kind {
            RecordKind::Completed => {
                let last = Completion { end: current.end, ..Completion::default() };
                current.completed.push(CompletedRun { thread, first, count, last });
            }
            RecordKind::Started => {
                for (created, number) in numbers.zip(from..) {
                    if let Some(meaning) = self.found.created.get(&(thread, created)) {
                        current.started.push((Meaning { site: current.meaning.site, ..*meaning }, number, Vec::new()));
                    }
                }
            }
            _ => {}
        }
    }
}

impl Visitor for Reader<'_> {
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        self.begin(signature, start, start.wrapping_add(duration));
    }

    fn polls(&mut self, polls: &Polls) {
        self.begin(polls.signature as u32, polls.start, polls.end);
        // They got nothing.
        self.current = None;
    }

    fn open(&mut self, _call: &OpenCall) {
        // What it moves may not have moved.
        self.close();
    }

    fn torn(&mut self, request: Option<u64>) {
        self.close();
        self.next = request.unwrap_or(self.next);
    }

    fn failed(&mut self, _class: u16, _code: i32) {
        self.current.iter_mut().for_each(|current| current.failed = true);
    }

    fn arrived(&mut self, arrived: Arrived) {
        let Some(current) = &mut self.current else { return };
        let of = current.completed.last_mut().map_or(&mut current.own, |run| &mut run.last);
        of.arrived = Some(arrived);
    }

    fn content(&mut self, content: Content) {
        let Some(current) = &mut self.current else { return };
        match (current.started.last_mut(), current.completed.last_mut()) {
            (Some((.., contents)), _) => contents.push(content),
            (None, Some(run)) => run.last.contents.push(content),
            (None, None) => current.own.contents.push(content),
        }
    }

    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        self.requests_of(kind, (self.thread, self.next.saturating_sub(age)), count);
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, thread: u32, number: u64) {
        self.requests_of(kind, (thread, number), count);
    }
}
