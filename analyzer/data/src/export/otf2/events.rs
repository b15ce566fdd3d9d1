//! What happens at a location, as OTF2's library writes it.

use std::ptr;

use super::archive::Archive;
use super::library::{Functions, Handle};
use model::error::Error;

/// A message's other end: its rank in the communicator, the communicator, the tag and bytes.
#[derive(Clone, Copy, Debug)]
pub struct MessageEnd {
    /// The other's rank in the communicator; of an intercommunicator, in the other group.
    pub peer: u32,
    /// The communicator's number.
    pub communicator: u32,
    /// The tag.
    pub tag: i32,
    /// Bytes.
    pub bytes: u64,
}

/// A rank's part in a collective operation.
#[derive(Clone, Copy, Debug)]
pub struct CollectiveShare {
    /// OTF2's number for the operation.
    pub operation: u8,
    /// The communicator's number.
    pub communicator: u32,
    /// The root's rank in it, or what stands for it.
    pub root: u32,
    /// Bytes that the rank hands out.
    pub sent: u64,
    /// Bytes that it gets.
    pub received: u64,
}

/// A value that an event has beside its own.
#[derive(Clone, Copy, Debug)]
pub enum Attribute {
    /// An attribute, and a whole number.
    Whole(u32, u64),
    /// An attribute, and a place in the source.
    Source(u32, u32),
}

/// What happens at a location.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A region is entered.
    Enter(u32),
    /// It is left.
    Leave(u32),
    /// A message is sent by a call that returns when that is done.
    Send(MessageEnd),
    /// One is received likewise.
    Receive(MessageEnd),
    /// A message begins to be sent by a request.
    SendRequest(MessageEnd, u64),
    /// The request is complete.
    SendComplete(u64),
    /// A receive is posted by a request.
    ReceiveRequest(u64),
    /// The request got its message.
    ReceiveComplete(MessageEnd, u64),
    /// The request was cancelled.
    Cancelled(u64),
    /// A collective operation begins.
    CollectiveBegin,
    /// It ends.
    CollectiveEnd(CollectiveShare),
    /// One begins by a request.
    CollectiveRequest(u64),
    /// The request is complete.
    CollectiveComplete(CollectiveShare, u64),
}

/// The events of a location, in the order of their times.
pub struct EventWriter<'a> {
    archive: &'a Archive<'a>,
    functions: &'a Functions,
    handle: Handle,
    attributes: Handle,
    last: u64,
}

impl<'a> EventWriter<'a> {
    /// Begins the events of a location.
    pub fn begin(archive: &'a Archive<'_>, location: u64) -> Result<EventWriter<'a>, Error> {
        let functions = archive.functions;
        // SAFETY: the archive is open, and so are its files of events.
        let handle = archive.made(unsafe { (functions.event_writer)(archive.handle, location) })?;
        // SAFETY: it takes nothing.
        let attributes = archive.made(unsafe { (functions.new_attributes)() })?;
        Ok(EventWriter { archive, functions, handle, attributes, last: 0 })
    }

    /// Writes an event. One that is said to be earlier than the last is written at the time of that.
    pub fn write(&mut self, time: u64, event: Event) -> Result<(), Error> {
        self.write_with(time, event, &[])
    }

    /// The same with values beside it.
    pub fn write_with(&mut self, time: u64, event: Event, attributes: &[Attribute]) -> Result<(), Error> {
        let f = self.functions;
        self.last = self.last.max(time);
        let (writer, time) = (self.handle, self.last);
        let list = if attributes.is_empty() { ptr::null_mut() } else { self.attributes };
        // SAFETY: the writer and the list are open, and numbers that nobody defines do no harm here.
        let code = unsafe {
            for attribute in attributes {
                self.archive.check(match *attribute {
                    Attribute::Whole(attribute, value) => (f.add_whole)(list, attribute, value),
                    Attribute::Source(attribute, place) => (f.add_source_location)(list, attribute, place),
                })?;
            }
            match event {
                Event::Enter(region) => (f.enter)(writer, list, time, region),
                Event::Leave(region) => (f.leave)(writer, list, time, region),
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

    /// The time of the last event.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// The location has no more events. Returns how many it has.
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
