//! Finds the buffers that a call sends and fills, and takes their checksums.
//!
//! In: the call's draft. Out: records after the call's own. Sent buffers are read once MPI has accepted the call, or
//! before it if the call overwrites them. Buffers that a request fills are read when it is complete, by
//! [`contents`](crate::recorder::thread).

use std::sync::Arc;

use traces::calls::{ArgumentKind, Call, Class};
use traces::record::Content;
use traces::signature::peer;

use super::around::StartedRequest;
use crate::abi::Family;
use crate::recorder::content::datatypes::{self, Datatype};
use crate::recorder::content::pending::Transfer;
use crate::recorder::content::{self, BufferPart};
use crate::recorder::guard;
use crate::recorder::objects::{self, Info};
use crate::recorder::thread::Thread;
use crate::recorder::thread::contents::ALL;
use crate::recorder::thread::draft::Draft;
use crate::recorder::thread::element_counts::{Amount, Numbers, Types};

/// True if checksums are taken of such a call's buffers. Such calls are not cached, since the straight line takes none.
pub fn takes(call: Call) -> bool {
    let moves = matches!(call.class(), Class::PointToPoint | Class::Collective | Class::Neighborhood);
    content::is_on() && (moves || call.has(ArgumentKind::FreeRequest)) && !call.has(ArgumentKind::Partitions)
}

/// Reads the buffers that the call is about to overwrite, and forgets the buffers of a request that it frees.
pub fn before(thread: &Thread, family: &Family, call: Call, draft: &Draft) {
    if draft.freed_request != 0 {
        guard::run(|| thread.forget_contents(draft.freed_request));
    }
    let parts = Parts { family, call, draft, info: info(draft), accepted: false };
    // Most calls overwrite nothing, and need none of the guard's system calls.
    if parts.overwrites() && !draft.persistent && thread.takes_contents() {
        guard::run(|| {
            let blocks = parts.sent();
            thread.keep_contents(blocks.iter().filter_map(|block| block.content(false, ALL)).collect());
        });
    }
}

/// Reads the buffers that a successful call has sent and filled, or remembers those that its request will fill.
pub fn after(thread: &Thread, family: &Family, call: Call, draft: &Draft, begun: StartedRequest) {
    guard::run(|| {
        let kept = thread.kept_contents();
        if !thread.takes_contents() {
            return;
        }
        let parts = Parts { family, call, draft, info: info(draft), accepted: true };
        match begun {
            StartedRequest::Pending(handle) if draft.persistent => {
                let sent = if parts.overwrites() { unknown(parts.sent()) } else { parts.sent() };
                follow(thread, handle, sent, parts.received());
            }
            StartedRequest::Pending(handle) => {
                say_sent(thread, &parts, &kept);
                if draft.status_is_of_receive(family) {
                    follow(thread, handle, Vec::new(), parts.received());
                }
            }
            _ => {
                say_sent(thread, &parts, &kept);
                // SAFETY: MPI has filled the status of a call that receives.
                let filled = || unsafe { family.bytes(draft.status) };
                let filled = if parts.is_message() && draft.status != 0 { filled() } else { ALL };
                thread.say_blocks(&parts.received(), true, filled);
            }
        }
    });
}

/// Records the start of persistent requests, and checksums of the buffers that they send.
pub fn start(thread: &Thread, family: &Family, draft: &Draft, signature: u32) {
    if draft.start == 0 {
        return;
    }
    guard::run(|| {
        for at in 0..draft.requests as usize {
            // SAFETY: the program passed this many requests.
            let handle = unsafe { family.handle_at(draft.start + at * family.handle_size) };
            thread.request_started(handle, signature);
            if thread.takes_contents() {
                thread.start_contents(handle);
            }
        }
    });
}

fn info(draft: &Draft) -> Info {
    objects::get(draft.object).unwrap_or(objects::NO_OBJECT)
}

fn say_sent(thread: &Thread, parts: &Parts<'_>, kept: &[Content]) {
    if !parts.overwrites() {
        return thread.say_blocks(&parts.sent(), false, ALL);
    }
    for content in kept {
        thread.write(&content.words());
    }
}

fn follow(thread: &Thread, handle: u64, sent: Vec<BufferPart>, received: Vec<BufferPart>) {
    if !sent.is_empty() || !received.is_empty() {
        thread.follow_contents(handle, |created| Transfer { created, sent: sent.into(), received: received.into() });
    }
}

/// The buffers without datatypes, so that no checksum is taken: a persistent request that overwrites its send buffer
/// may already have done so when its start returns.
fn unknown(blocks: Vec<BufferPart>) -> Vec<BufferPart> {
    blocks.into_iter().map(|block| BufferPart { datatype: None, ..block }).collect()
}

/// A call's buffers, by its arguments.
struct Parts<'a> {
    family: &'a Family,
    call: Call,
    draft: &'a Draft,
    info: Info,
    accepted: bool,
}

/// One of the call's two buffers.
#[derive(Clone, Copy)]
struct Buffer {
    address: usize,
    displacements: Numbers,
    types: Types,
}

impl Parts<'_> {
    /// True if the call is about one message, or two, rather than collective.
    fn is_message(&self) -> bool {
        self.call.class() == Class::PointToPoint
    }

    fn sends_in_place(&self) -> bool {
        self.draft.in_place && self.draft.send_buffer == self.family.in_place
    }

    /// True if the call receives into the buffer that it sends.
    fn overwrites(&self) -> bool {
        let replaces = self.is_message() && self.call.has(ArgumentKind::SendRecvBuf);
        replaces || (self.sends_in_place() && !matches!(self.draft.sent, Amount::None))
    }

    /// True if this rank's arguments are ignored, since it is in the root's group of an intercommunicator.
    fn is_left_out(&self, amount: Amount) -> bool {
        let root = self.draft.peer.filter(|_| self.draft.rooted);
        root == Some(peer::PROC_NULL) || (root == Some(peer::ROOT) && matches!(amount, Amount::One(_)))
    }

    fn sent(&self) -> Vec<BufferPart> {
        let Draft { sent, received, .. } = *self.draft;
        if self.draft.peer == Some(peer::PROC_NULL) || self.is_left_out(sent) {
            return Vec::new();
        }
        let (one, other) = (self.send_buffer(), self.receive_buffer());
        if !self.sends_in_place() {
            return self.blocks(sent, one, self.info.degrees.1);
        }
        let own = self.info.rank.max(0) as usize;
        match (sent, received) {
            (Amount::One(_), Amount::Each(_) | Amount::Array(_)) => {
                let all = self.blocks(received, other, 0);
                all.into_iter().skip(own).take(1).map(|block| BufferPart { part: peer::NONE, ..block }).collect()
            }
            (Amount::Each(_), Amount::Each(_)) | (Amount::Array(_), Amount::Array(_)) => {
                self.blocks(received, other, 0)
            }
            (Amount::One(_), Amount::EachAtRoot(_) | Amount::ArrayAtRoot(_)) => Vec::new(),
            (sent, _) => self.blocks(sent, Buffer { address: other.address, ..one }, 0),
        }
    }

    fn received(&self) -> Vec<BufferPart> {
        let Draft { received, source, receive_buffer, .. } = *self.draft;
        let in_place = self.draft.in_place && receive_buffer == self.family.in_place;
        // MPI leaves the first rank's result undefined.
        let undefined = self.call.has(ArgumentKind::ExclusivePrefixOp) && self.info.rank == 0;
        if source == Some(peer::PROC_NULL) || in_place || undefined || self.is_left_out(received) {
            return Vec::new();
        }
        self.blocks(received, self.receive_buffer(), self.info.degrees.0)
    }

    fn send_buffer(&self) -> Buffer {
        let Draft { send_buffer, sent_type, .. } = *self.draft;
        let [displacements, _] = self.draft.displacements();
        Buffer { address: send_buffer, displacements, types: sent_type }
    }

    fn receive_buffer(&self) -> Buffer {
        let Draft { receive_buffer, received_type, .. } = *self.draft;
        let [_, displacements] = self.draft.displacements();
        Buffer { address: receive_buffer, displacements, types: received_type }
    }

    fn blocks(&self, amount: Amount, buffer: Buffer, neighbors: u32) -> Vec<BufferPart> {
        let at_root = self.draft.rooted && self.draft.at_root(&self.info);
        let one = |count| vec![self.block(buffer, peer::NONE, count, &mut 0)];
        let each = |count, parts| self.each(buffer, parts, |_| count);
        let array = |numbers: Numbers, parts| self.each(buffer, parts, |part| numbers.get(part));
        match amount {
            Amount::One(count) => one(count),
            Amount::AtRoot(count) if at_root => one(count),
            Amount::NotAtRoot(count) if !at_root => one(count),
            Amount::MineOf(numbers) => one(numbers.get(self.info.rank.max(0) as usize)),
            Amount::Each(count) => each(count, self.info.size),
            Amount::EachAtRoot(count) if at_root => each(count, self.info.size),
            Amount::Neighbors(count) => each(count, neighbors),
            Amount::Array(numbers) => array(numbers, self.info.size),
            Amount::ArrayAtRoot(numbers) if at_root => array(numbers, self.info.size),
            Amount::NeighborArray(numbers) => array(numbers, neighbors),
            _ => Vec::new(),
        }
    }

    /// One block for each of `parts` processes.
    fn each(&self, buffer: Buffer, parts: u32, count: impl Fn(usize) -> u64) -> Vec<BufferPart> {
        let mut elements = 0;
        (0..parts as usize).map(|part| self.block(buffer, part as i32, count(part), &mut elements)).collect()
    }

    /// The block of one process. Without displacements it follows the `elements` of the blocks before it.
    fn block(&self, buffer: Buffer, part: i32, count: u64, elements: &mut u64) -> BufferPart {
        let place = part.max(0) as usize;
        let datatype = self.datatype(buffer.types, place);
        let extent = datatype.as_ref().map_or(0, |datatype| datatype.extent);
        let offset = match (buffer.displacements.address, buffer.types) {
            _ if part < 0 => 0,
            (0, _) => (*elements as i64).wrapping_mul(extent),
            (_, Types::Array(_)) => buffer.displacements.get(place) as i64,
            _ => (buffer.displacements.get(place) as i64).wrapping_mul(extent),
        };
        *elements += count;
        BufferPart { part, address: buffer.address.wrapping_add_signed(offset as isize), count, datatype }
    }

    fn datatype(&self, types: Types, place: usize) -> Option<Arc<Datatype>> {
        let handle = match types {
            Types::None => return None,
            Types::One(handle) => handle,
            // SAFETY: the program passes one datatype for each process or neighbor.
            Types::Array(address) => unsafe { self.family.handle_at(address + place * self.family.handle_size) },
        };
        // A datatype whose size is known was accepted before, or is predefined.
        let may_ask = self.accepted || objects::size_of(self.family, handle).is_some();
        if may_ask { datatypes::learn(self.family, handle) } else { None }
    }
}
