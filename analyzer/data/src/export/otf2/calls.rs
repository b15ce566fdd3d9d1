//! Writes a rank's calls as events: enter, leave, messages and collective operations.
//!
//! In: its calls with the requests they began and completed; threads are merged by time, since one may complete what another
//! began. Operations that a call begins are written at its enter event, those that it completes at its leave event.

use rustc_hash::FxHashMap;

use super::event_meanings::{CALL_SITE, CALLS, CONTEXT, EventMeaning, INSIDE, OPEN, UNKNOWN};
use super::event_writer::{Attribute, Event, EventWriter, Nesting};
use super::selected_events::SelectedEvents;
use model::error::Error;
use model::request_numbers::RequestId;
use model::roles::{CallPart, Role};
use model::stream::{Stream, TimedCall};
use model::thread_calls::{RequestEvent, earliest, request_events};

#[derive(Clone, Copy)]
struct Request {
    role: Role,
    meaning: EventMeaning,
    /// Begin of the call that began it.
    posted: i64,
    /// Written as begun: its send, its receive, its collective operation. False if outside the selection.
    is_sent: bool,
    is_posted: bool,
    is_joined: bool,
}

/// A thread: its calls, and the writer of its events.
pub struct ThreadEvents<'a> {
    pub stream: Stream<'a>,
    pub meanings: Vec<EventMeaning>,
    pub nesting: Nesting,
    /// Time and calling context of samples, the first one last.
    pub samples: Vec<(i64, u32)>,
    pub events: EventWriter<'a>,
}

impl ThreadEvents<'_> {
    /// Writes the samples up to a time of the run; `origin` is the time written as 0.
    pub fn sampled(&mut self, until: i64, origin: i64) -> Result<(), Error> {
        while let Some((at, context)) = self.samples.pop_if(|(at, _)| *at <= until) {
            let time = at.saturating_sub(origin).max(0) as u64;
            self.nesting.until(time, &mut self.events)?;
            self.events.write(time, Event::Sample(context))?;
        }
        Ok(())
    }
}

pub struct RankEvents<'a, 'r> {
    told: &'a mut SelectedEvents<'r>,
    rank: u32,
    requests: FxHashMap<RequestId, Request>,
    /// Persistent requests, by the number of their creation.
    persistent: FxHashMap<RequestId, (Role, EventMeaning)>,
}

impl<'a, 'r> RankEvents<'a, 'r> {
    /// `rank`: place in the run.
    pub fn new(told: &'a mut SelectedEvents<'r>, rank: u32) -> RankEvents<'a, 'r> {
        RankEvents { told, rank, requests: FxHashMap::default(), persistent: FxHashMap::default() }
    }

    pub fn tell(&mut self, threads: &mut [ThreadEvents<'_>]) -> Result<(), Error> {
        loop {
            let Some(at) = earliest(threads.iter().map(|thread| thread.stream.start())) else { return Ok(()) };
            let until = threads[at].stream.start().unwrap_or(0);
            threads[at].sampled(until, self.told.origin)?;
            let ThreadEvents { stream, meanings, nesting, events, .. } = &mut threads[at];
            if let Some(call) = stream.peek() {
                let meaning = meanings.get(stream.signature(call)).copied().unwrap_or(UNKNOWN);
                let mut out = Out { events, tells: stream.role(call).place.counts(), origin: self.told.origin };
                if out.tells {
                    nesting.until(out.time(call.start), out.events)?;
                    enter(&mut out, &meaning, call)?;
                    self.told.sums.calls += call.count;
                }
                self.call(&mut out, stream, call, &meaning)?;
                out.write(call.end, Event::Leave(meaning.region))?;
            }
            stream.advance();
        }
    }

    fn call(
        &mut self,
        out: &mut Out<'_, '_>,
        stream: &Stream<'_>,
        call: &TimedCall,
        meaning: &EventMeaning,
    ) -> Result<(), Error> {
        let (role, details) = (stream.role(call), stream.details(call));
        let number = (stream.thread, call.request);
        if call.open {
            return Ok(());
        }
        if role.creates {
            self.persistent.insert(number, (*role, *meaning));
            return Ok(());
        }
        if call.failed && details.is_empty() {
            return Ok(());
        }
        match role.what {
            CallPart::Message { .. } | CallPart::Collective { .. } if role.takes => {
                self.begin(out, call, number, (*role, *meaning))?;
                if role.at_once {
                    self.complete(out, number, call.end, false)
                } else {
                    self.requests(out, stream, call)
                }
            }
            CallPart::Message { .. } => self.message(out, call, role),
            CallPart::Collective { .. } => {
                if !out.tells || !self.told.can_join(role, meaning) {
                    return Ok(());
                }
                let Some(part) = self.told.part(self.rank, role, meaning) else { return Ok(()) };
                out.write(call.start, Event::CollectiveBegin)?;
                out.write(call.end, Event::CollectiveEnd(part))
            }
            _ => self.requests(out, stream, call),
        }
    }

    fn message(&mut self, out: &mut Out<'_, '_>, call: &TimedCall, role: &Role) -> Result<(), Error> {
        if let Some(sent) = self.told.sent(self.rank, role, call.start).filter(|_| out.tells) {
            out.write(call.start, Event::Send(sent))?;
        }
        if let Some(got) = self.told.received(role, call.start, call.end) {
            out.write(call.end, Event::Receive(got))?;
        }
        Ok(())
    }

    fn begin(
        &mut self,
        out: &mut Out<'_, '_>,
        call: &TimedCall,
        number: RequestId,
        (role, meaning): (Role, EventMeaning),
    ) -> Result<(), Error> {
        let posted = call.start;
        let mut request = Request { role, meaning, posted, is_sent: false, is_posted: false, is_joined: false };
        let is_cancelled = self.told.run.ranks[self.rank as usize].cancelled.contains(&number);
        if let CallPart::Message { receives, .. } = role.what {
            let sent = self.told.sent(self.rank, &role, posted).filter(|_| out.tells && !is_cancelled);
            if let Some(sent) = sent {
                out.write(posted, Event::SendRequest(sent, id(number, false)))?;
                request.is_sent = true;
            }
            if receives && self.told.may_receive(&role) && out.tells {
                out.write(posted, Event::ReceiveRequest(id(number, true)))?;
                request.is_posted = true;
            }
        } else if out.tells && self.told.can_join(&role, &meaning) {
            out.write(posted, Event::CollectiveRequest(id(number, false)))?;
            request.is_joined = true;
        }
        self.requests.insert(number, request);
        Ok(())
    }

    /// Writes the changes that a call made to requests.
    fn requests(&mut self, out: &mut Out<'_, '_>, stream: &Stream<'_>, call: &TimedCall) -> Result<(), Error> {
        for event in request_events(stream.details(call)) {
            match event {
                RequestEvent::Completed(request, _) => {
                    let is_cancelled = self.told.run.ranks[self.rank as usize].cancelled.contains(&request);
                    self.complete(out, request, call.end, is_cancelled)?;
                }
                RequestEvent::Started(created, number) => {
                    if let Some(known) = self.persistent.get(&created).copied() {
                        self.begin(out, call, (stream.thread, number), known)?;
                    }
                }
                RequestEvent::Freed(request) => {
                    self.requests.remove(&request);
                    self.persistent.remove(&request);
                }
                RequestEvent::Ready(_) => {}
            }
        }
        Ok(())
    }

    fn complete(
        &mut self,
        out: &mut Out<'_, '_>,
        number: RequestId,
        end: i64,
        is_cancelled: bool,
    ) -> Result<(), Error> {
        let Some(request) = self.requests.remove(&number) else { return Ok(()) };
        let Request { role, meaning, posted, .. } = request;
        if request.is_sent {
            out.write(end, Event::SendComplete(id(number, false)))?;
        }
        match self.told.received(&role, posted, end) {
            Some(got) if request.is_posted => out.write(end, Event::ReceiveComplete(got, id(number, true)))?,
            // Its begin was not written.
            Some(got) => out.write(end, Event::Receive(got))?,
            None if request.is_posted && is_cancelled => out.write(end, Event::Cancelled(id(number, true)))?,
            None => {}
        }
        if let Some(part) = self.told.part(self.rank, &role, &meaning).filter(|_| request.is_joined) {
            out.write(end, Event::CollectiveComplete(part, id(number, false)))?;
        }
        Ok(())
    }
}

/// Writes the enter event of a row of `calls`, with its known attributes.
fn enter(out: &mut Out<'_, '_>, meaning: &EventMeaning, call: &TimedCall) -> Result<(), Error> {
    let (enter, time) = (Event::Enter(meaning.region), out.time(call.start));
    let place = meaning.place.map(|place| Attribute::Source(CALL_SITE, place));
    let context = meaning.context.map(|context| Attribute::Context(CONTEXT, context));
    let whole = |key, value, is_known: bool| is_known.then_some(Attribute::Whole(key, value));
    let count = whole(CALLS, call.count, call.count > 1);
    let inside = whole(INSIDE, call.inside.max(0) as u64, call.count > 1);
    let open = whole(OPEN, 1, call.open);
    out.events.write_with(time, enter, &[place, context, count, inside, open])
}

/// Number of a request that is unique in the process; a request for a send and a receive has two.
fn id((thread, number): RequestId, is_receive: bool) -> u64 {
    u64::from(thread) << 48 | number << 1 | u64::from(is_receive)
}

/// Output of a call's events.
struct Out<'e, 'w> {
    events: &'e mut EventWriter<'w>,
    /// The call is selected.
    tells: bool,
    origin: i64,
}

impl Out<'_, '_> {
    /// Converts a time of the run to the archive's.
    fn time(&self, at: i64) -> u64 {
        at.saturating_sub(self.origin).max(0) as u64
    }

    fn write(&mut self, at: i64, event: Event) -> Result<(), Error> {
        let time = self.time(at);
        if self.tells { self.events.write(time, event) } else { Ok(()) }
    }
}
