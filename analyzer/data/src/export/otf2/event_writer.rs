//! Writes the events of a location by OTF2's library.
//!
//! Nests a thread's regions around its calls: in OTF2, a location must leave the region that it entered last.
//!
//! If a region ends inside another, both are left and the inner one is entered again. So the time in each is right.

use std::ptr;

use super::archive::Archive;
use super::library::{Functions, Handle};
use model::error::Error;

/// Other end, communicator, tag and size of a message.
#[derive(Clone, Copy, Debug)]
pub struct MessageEnd {
    /// The other rank in the communicator; in an intercommunicator, in the other group.
    pub peer: u32,
    pub communicator: u32,
    pub tag: i32,
    pub bytes: u64,
}

/// A rank's part in a collective operation.
#[derive(Clone, Copy, Debug)]
pub struct CollectiveShare {
    /// `OTF2_COLLECTIVE_OP_*`.
    pub operation: u8,
    pub communicator: u32,
    /// The root's rank in it, or `OTF2_COLLECTIVE_ROOT_NONE`.
    pub root: u32,
    /// Bytes that the rank sends.
    pub sent: u64,
    /// Bytes that the rank receives.
    pub received: u64,
}

/// An extra value of an event.
#[derive(Clone, Copy, Debug)]
pub enum Attribute {
    /// Attribute number and an integer.
    Whole(u32, u64),
    /// Attribute number and a source location.
    Source(u32, u32),
    /// Attribute number and a calling context.
    Context(u32, u32),
}

#[derive(Clone, Copy, Debug)]
pub enum Event {
    Enter(u32),
    Leave(u32),
    /// The place where the thread was sampled, by the number of a calling context.
    Sample(u32),
    /// A blocking call sends a message.
    Send(MessageEnd),
    /// A blocking call receives a message.
    Receive(MessageEnd),
    /// A request begins to send a message.
    SendRequest(MessageEnd, u64),
    /// A send request is complete.
    SendComplete(u64),
    /// A request posts a receive.
    ReceiveRequest(u64),
    /// A receive request got its message.
    ReceiveComplete(MessageEnd, u64),
    /// A request was cancelled.
    Cancelled(u64),
    /// A blocking collective operation begins.
    CollectiveBegin,
    /// A blocking collective operation ends.
    CollectiveEnd(CollectiveShare),
    /// A request begins a collective operation.
    CollectiveRequest(u64),
    /// The request of a collective operation is complete.
    CollectiveComplete(CollectiveShare, u64),
}

/// `OTF2_UNDEFINED_UINT32`: how much of a calling context is new since the last sample.
const UNKNOWN_DISTANCE: u32 = u32::MAX;
/// The interrupt generator of all samples.
pub const TIMER: u32 = 0;

/// Writer of a location's events, in the order of their times.
pub struct EventWriter<'a> {
    archive: &'a Archive<'a>,
    functions: &'a Functions,
    handle: Handle,
    attributes: Handle,
    last: u64,
}

impl<'a> EventWriter<'a> {
    pub fn begin(archive: &'a Archive<'_>, location: u64) -> Result<EventWriter<'a>, Error> {
        let functions = archive.functions;
        // SAFETY: the archive is open, and so are its files of events.
        let handle = archive.made(unsafe { (functions.event_writer)(archive.handle, location) })?;
        // SAFETY: the function has no arguments.
        let attributes = archive.made(unsafe { (functions.new_attributes)() })?;
        Ok(EventWriter { archive, functions, handle, attributes, last: 0 })
    }

    /// Writes an event, not earlier than the one before.
    pub fn write(&mut self, time: u64, event: Event) -> Result<(), Error> {
        self.write_with(time, event, &[])
    }

    pub fn write_with(&mut self, time: u64, event: Event, attributes: &[Option<Attribute>]) -> Result<(), Error> {
        let f = self.functions;
        self.last = self.last.max(time);
        let (writer, time) = (self.handle, self.last);
        let is_plain = attributes.iter().all(Option::is_none);
        let list = if is_plain { ptr::null_mut() } else { self.attributes };
        // SAFETY: the writer and the list are open, and the library accepts undefined numbers.
        let code = unsafe {
            for attribute in attributes.iter().flatten() {
                self.archive.check(match *attribute {
                    Attribute::Whole(attribute, value) => (f.add_whole)(list, attribute, value),
                    Attribute::Source(attribute, place) => (f.add_source_location)(list, attribute, place),
                    Attribute::Context(attribute, context) => (f.add_context)(list, attribute, context),
                })?;
            }
            match event {
                Event::Enter(region) => (f.enter)(writer, list, time, region),
                Event::Leave(region) => (f.leave)(writer, list, time, region),
                Event::Sample(context) => (f.sample)(writer, list, time, context, UNKNOWN_DISTANCE, TIMER),
                Event::Send(of) => (f.send)(writer, list, time, of.peer, of.communicator, of.tag as u32, of.bytes),
                Event::Receive(of) => (f.recv)(writer, list, time, of.peer, of.communicator, of.tag as u32, of.bytes),
                Event::SendRequest(of, request) => {
                    (f.isend)(writer, list, time, of.peer, of.communicator, of.tag as u32, of.bytes, request)
                }
                Event::SendComplete(request) => (f.isend_complete)(writer, list, time, request),
                Event::ReceiveRequest(request) => (f.irecv_request)(writer, list, time, request),
                Event::ReceiveComplete(of, request) => {
                    (f.irecv)(writer, list, time, of.peer, of.communicator, of.tag as u32, of.bytes, request)
                }
                Event::Cancelled(request) => (f.request_cancelled)(writer, list, time, request),
                Event::CollectiveBegin => (f.collective_begin)(writer, list, time),
                Event::CollectiveEnd(part) => {
                    let CollectiveShare { operation, communicator, root, sent, received } = part;
                    (f.collective_end)(writer, list, time, operation, communicator, root, sent, received)
                }
                Event::CollectiveRequest(request) => (f.collective_request)(writer, list, time, request),
                Event::CollectiveComplete(part, request) => {
                    let CollectiveShare { operation, communicator, root, sent, received } = part;
                    (f.collective_complete)(writer, list, time, operation, communicator, root, sent, received, request)
                }
            }
        };
        self.archive.check(code)
    }

    pub fn last(&self) -> u64 {
        self.last
    }

    /// Ends the location's events. Returns their number.
    pub fn finish(self) -> Result<u64, Error> {
        let (archive, mut events) = (self.archive, 0);
        archive.has_room()?;
        // SAFETY: the writer is open and this archive's, and nothing uses it or the list any more.
        unsafe {
            archive.check((self.functions.count_events)(self.handle, &mut events))?;
            archive.check((self.functions.delete_attributes)(self.attributes))?;
            archive.check((self.functions.close_event_writer)(archive.handle, self.handle))?;
        }
        Ok(events)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Region {
    pub from: u64,
    pub to: u64,
    pub number: u32,
}

/// Regions of a thread that are open or still to be entered.
pub struct Nesting {
    /// Regions still to be entered, first one last.
    ahead: Vec<Region>,
    open: Vec<Region>,
    /// Number of times that a region was left early and entered again.
    pub cut: u64,
}

impl Nesting {
    pub fn new(mut regions: Vec<Region>) -> Nesting {
        // If two begin together, the longer one is the outer.
        regions.sort_by_key(|region| (std::cmp::Reverse(region.from), region.to));
        Nesting { ahead: regions, open: Vec::new(), cut: 0 }
    }

    /// Writes enter and leave events up to a time.
    pub fn until(&mut self, time: u64, events: &mut EventWriter<'_>) -> Result<(), Error> {
        loop {
            let enters = self.ahead.last().map(|region| region.from).filter(|from| *from <= time);
            let leaves = self.open.iter().map(|region| region.to).min().filter(|to| *to <= time);
            match (enters, leaves) {
                (None, None) => return Ok(()),
                (Some(from), leaves) if leaves.is_none_or(|to| from < to) => {
                    let Some(region) = self.ahead.pop() else { return Ok(()) };
                    events.write(region.from, Event::Enter(region.number))?;
                    self.open.push(region);
                }
                (_, Some(to)) => self.leave(to, events)?,
                (Some(_), None) => return Ok(()),
            }
        }
    }

    /// Leaves the innermost region that ends at a time.
    fn leave(&mut self, time: u64, events: &mut EventWriter<'_>) -> Result<(), Error> {
        let Some(at) = self.open.iter().rposition(|region| region.to == time) else { return Ok(()) };
        let inner: Vec<Region> = self.open.drain(at + 1..).collect();
        for region in inner.iter().rev() {
            events.write(time, Event::Leave(region.number))?;
        }
        if let Some(region) = self.open.pop() {
            events.write(time, Event::Leave(region.number))?;
        }
        for region in &inner {
            events.write(time, Event::Enter(region.number))?;
        }
        self.cut += inner.len() as u64;
        self.open.extend(inner);
        Ok(())
    }
}
