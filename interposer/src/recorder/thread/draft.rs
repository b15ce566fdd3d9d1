//! The arguments of one call, before any handle is looked up.
//!
//! In: each argument notes its value. Out: the key of the call's signature, and the work that is left when the call
//! returns. Everything here is inlined into the wrappers, where most of it folds away.

use traces::calls::Call;
use traces::signature::{CREATES, IN_PLACE, NESTED, STARTS, peer, tag};

use super::element_counts::{Amount, AmountLayout, Direction, Numbers, Parts, Types, Unknown};
use super::request::Message;
use crate::abi::Family;
use crate::recorder::objects::groups;
use crate::recorder::objects::{self, HandleKind, Info};
use recorder_core::dictionary::Key;

/// Addresses are 0 if the call has no such argument.
#[derive(Clone, Copy)]
pub struct Draft {
    /// The handle of the communicator, window or file; 0 for none.
    pub object: u64,
    pub object_kind: HandleKind,
    pub send_buffer: usize,
    pub receive_buffer: usize,
    /// The array with the displacement of each process's part in the send buffer.
    send_displacements: usize,
    /// The array with the displacement of each process's part in the receive buffer.
    receive_displacements: usize,
    /// True if displacements have 64 bits.
    wide_displacements: bool,
    /// Elements sent.
    pub sent: Amount,
    pub sent_type: Types,
    /// Elements posted to receive.
    pub received: Amount,
    pub received_type: Types,
    /// Number of partitions, each of which has the amount.
    pub partitions: u64,
    /// Destination, root or target.
    pub peer: Option<i32>,
    /// True if `peer` is the root of a collective call.
    pub rooted: bool,
    /// The destination's tag.
    pub tag: Option<i32>,
    /// The source of a message.
    pub source: Option<i32>,
    /// The tag of a message from the source.
    pub source_tag: Option<i32>,
    /// The handle of the group that a window is opened to; 0 for none.
    pub group: u64,
    /// The type of lock that is taken.
    pub lock: Option<i32>,
    pub level: Option<i32>,
    pub in_place: bool,
    /// Requests among the call's arguments.
    pub requests: u32,

    /// Address for the handle of a new object.
    pub new_object: usize,
    pub new_kind: HandleKind,
    pub renames: bool,
    pub freed_object: u64,
    pub freed_type: u64,
    pub freed_group: u64,
    /// Address for the handle of a new request.
    pub new_request: usize,
    pub persistent: bool,
    /// Address of the persistent requests that will be started.
    pub start: usize,
    /// Address of the requests that may be completed.
    pub wait: usize,
    /// True if these requests are an array.
    pub many: bool,
    /// The handle of the request, if they are not an array.
    pub handle: u64,
    pub freed_request: u64,
    pub cancelled_request: u64,
    /// The handle of a partitioned request whose partitions are marked ready.
    pub ready_request: u64,
    /// Address for the status or statuses.
    pub status: usize,
    /// True if the program ignores the status; `status` is then an address of ours.
    pub status_ignored: bool,
    /// Address for the flag that says if the call found or completed anything.
    pub flag: usize,
    /// Address for the index of the completed request.
    pub index: usize,
    /// Address for the number of completed requests.
    pub outcount: usize,
    /// Address for the indices of the completed requests.
    pub indices: usize,
    /// Address of the handle of a session that begins or ends.
    pub session: usize,
    /// Address for the handle of a probed message.
    pub new_message: usize,
    /// The handle of a message about to be received.
    pub message: u64,
    /// The probed message of `message`, if it is known.
    pub taken: Option<Message>,
}

impl Draft {
    #[inline(always)]
    pub const fn new() -> Draft {
        Draft {
            object: 0,
            object_kind: HandleKind::Communicator,
            send_buffer: 0,
            receive_buffer: 0,
            send_displacements: 0,
            receive_displacements: 0,
            wide_displacements: false,
            sent: Amount::None,
            sent_type: Types::None,
            received: Amount::None,
            received_type: Types::None,
            partitions: 1,
            peer: None,
            rooted: false,
            tag: None,
            source: None,
            source_tag: None,
            group: 0,
            lock: None,
            level: None,
            in_place: false,
            requests: 0,
            new_object: 0,
            new_kind: HandleKind::Communicator,
            renames: false,
            freed_object: 0,
            freed_type: 0,
            freed_group: 0,
            new_request: 0,
            persistent: false,
            start: 0,
            wait: 0,
            many: false,
            handle: 0,
            freed_request: 0,
            cancelled_request: 0,
            ready_request: 0,
            status: 0,
            status_ignored: false,
            flag: 0,
            index: 0,
            outcount: 0,
            indices: 0,
            session: 0,
            new_message: 0,
            message: 0,
            taken: None,
        }
    }

    /// Notes displacements: of the send buffer, or of the receive buffer once the amount to receive is noted.
    #[inline(always)]
    pub fn note_displacements(&mut self, displacements: Numbers) {
        self.wide_displacements = displacements.wide;
        match self.received {
            Amount::None => self.send_displacements = displacements.address,
            _ => self.receive_displacements = displacements.address,
        }
    }

    /// The same draft of a call that starts no request.
    pub fn without_starts(&self) -> Draft {
        Draft { start: 0, ..*self }
    }

    /// The displacements of the send buffer and of the receive buffer.
    pub fn displacements(&self) -> [Numbers; 2] {
        let numbers = |address| Numbers { address, wide: self.wide_displacements };
        [self.send_displacements, self.receive_displacements].map(numbers)
    }

    /// Notes an object that is about to be freed, by the address of its handle.
    #[inline(always)]
    pub fn free_object(&mut self, kind: HandleKind, family: &Family, address: usize) {
        if address != 0 {
            // SAFETY: the program passes the address of a handle.
            self.freed_object = unsafe { kind.handle_at(family, address) };
            self.object = self.freed_object;
            self.object_kind = kind;
        }
    }

    /// The key of the call's signature. Fails if a handle is new.
    #[inline(always)]
    pub fn key(&self, family: &Family, call: Call, address: usize, nested: bool) -> Result<Key, Unknown> {
        // An unknown object that is about to be freed need not be examined.
        let info = match objects::get(self.object) {
            None if self.freed_object != 0 => objects::NO_OBJECT,
            info => info.ok_or(Unknown)?,
        };
        let (sent, received) = self.bytes(family, &info)?;
        let starts = match (self.new_request != 0, self.persistent) {
            (false, _) => 0,
            (true, false) => STARTS,
            (true, true) => CREATES,
        };
        let both = self.peer.is_some() && self.source.is_some();
        let (source, source_tag) = match self.taken {
            Some(taken) => (Some(taken.source), Some(taken.tag)),
            None => (self.source, self.source_tag),
        };
        Ok(Key {
            address: address as u64,
            call: call.number(),
            flags: if nested { NESTED } else { 0 } | starts | if self.in_place { IN_PLACE } else { 0 },
            object: self.taken.map_or(info.number, |taken| taken.object),
            peer: self.peer.or(source).unwrap_or(peer::NONE),
            tag: if self.peer.is_some() { self.tag } else { source_tag }.unwrap_or(tag::NONE),
            source: if both { self.source.unwrap_or(peer::NONE) } else { peer::NONE },
            source_tag: if both { self.source_tag.unwrap_or(tag::NONE) } else { self.epoch()? },
            sent,
            received,
            requests: self.requests,
            parts: 0,
        })
    }

    /// The amounts sent to each process or neighbor, if the call has an array of them. With MPI_IN_PLACE the send
    /// buffer is the receive buffer, and as much goes to each process as comes from it.
    pub fn parts<'a>(&self, family: &'a Family) -> Option<Parts<'a>> {
        let info = objects::get(self.object)?;
        match (self.sent, self.received) {
            (Amount::Array(_), Amount::Array(_)) if self.in_place => {
                self.received.parts(self.received_type, family, &info, false, Direction::Out)
            }
            (Amount::Array(_), Amount::Array(_)) | (Amount::NeighborArray(_), _) => {
                self.sent.parts(self.sent_type, family, &info, false, Direction::Out)
            }
            _ => None,
        }
    }

    /// The elements that the call hands out and receives, if a datatype scatters them. With MPI_IN_PLACE all lie in the receive
    /// buffer.
    pub fn layouts<'a>(&self, family: &'a Family) -> Option<[AmountLayout<'a>; 2]> {
        let info = objects::get(self.object)?;
        let at_root = self.rooted && self.at_root(&info);
        let layout = |amount: Amount, types, way| amount.layout(types, family, &info, at_root, way, self.partitions);
        let sent = if self.in_place { Amount::None } else { self.sent };
        let sent = layout(sent, self.sent_type, Direction::Out);
        let both = [sent, layout(self.received, self.received_type, Direction::In)];
        both.iter().any(AmountLayout::is_scattered).then_some(both)
    }

    /// The value that a key holds as source tag if the call has no source: the number of the group that a window is
    /// opened to, the type of a lock, or the level of MPI_Pcontrol.
    #[inline(always)]
    fn epoch(&self) -> Result<i32, Unknown> {
        match self.group {
            0 => Ok(self.lock.or(self.level).unwrap_or(tag::NONE)),
            group => groups::number(group).ok_or(Unknown),
        }
    }

    /// The key without the parts that depend on unknown handles.
    pub fn provisional_key(&self, family: &Family, call: Call, address: usize, nested: bool) -> Key {
        let known = |types| match types {
            Types::One(handle) if objects::size_of(family, handle).is_none() => Types::None,
            Types::Array(_) => Types::None,
            types => types,
        };
        let object = if objects::get(self.object).is_some() { self.object } else { 0 };
        let (sent_type, received_type) = (known(self.sent_type), known(self.received_type));
        let group = if groups::number(self.group).is_some() { self.group } else { 0 };
        let draft = Draft { object, sent_type, received_type, group, ..*self };
        draft.key(family, call, address, nested).unwrap_or_else(|Unknown| {
            let bare = Draft { object: 0, group: 0, sent: Amount::None, received: Amount::None, ..*self };
            bare.key(family, call, address, nested).unwrap_or(Key::EMPTY)
        })
    }

    /// True if the call has an object or a group that is unknown.
    pub fn has_unknown_object(&self) -> bool {
        let unknown = self.object != 0 && objects::get(self.object).is_none();
        unknown || (self.group != 0 && groups::number(self.group).is_none())
    }

    /// Examines the object and the group of a call that MPI has accepted.
    pub fn learn_object(&self, family: &Family, call: Call) {
        if self.object != 0 && objects::is_whole(self.object, call) {
            objects::learn(family, self.object, self.object_kind);
        }
        if self.group != 0 {
            groups::learn(self.group);
        }
    }

    /// Examines the datatypes of a call that MPI has accepted.
    pub fn learn_types(&self, family: &Family) {
        let info = objects::get(self.object).unwrap_or(objects::NO_OBJECT);
        let sent = (self.sent, self.sent_type, Direction::Out);
        let received = (self.received, self.received_type, Direction::In);
        for (amount, types, direction) in [sent, received] {
            match types {
                // With MPI_IN_PLACE the array of send types is ignored.
                Types::Array(_) if self.in_place && direction == Direction::Out => {}
                Types::Array(_) => {
                    let parts = amount.parts(types, family, &info, false, direction);
                    parts.iter().flat_map(Parts::types).for_each(|handle| objects::learn_datatype(family, handle));
                }
                Types::One(handle) => objects::learn_datatype(family, handle),
                Types::None => {}
            }
        }
    }

    #[inline(always)]
    fn bytes(&self, family: &Family, info: &Info) -> Result<(u64, u64), Unknown> {
        let at_root = self.rooted && self.at_root(info);
        let received = self.received.bytes(self.received_type, family, info, at_root, Direction::In)? * self.partitions;
        if !self.in_place {
            let sent = self.sent.bytes(self.sent_type, family, info, at_root, Direction::Out)?;
            return Ok((sent * self.partitions, received));
        }
        // With MPI_IN_PLACE the send buffer is the receive buffer, and the send arguments are ignored.
        let sent = match (self.sent, self.received) {
            (Amount::One(_), Amount::Each(count)) => {
                Amount::One(count).bytes(self.received_type, family, info, at_root, Direction::Out)?
            }
            (Amount::One(_), Amount::Array(counts)) => {
                Amount::MineOf(counts).bytes(self.received_type, family, info, at_root, Direction::Out)?
            }
            (Amount::Each(_), Amount::Each(_)) | (Amount::Array(_), Amount::Array(_)) => received,
            // At the root of a gather its own part is already in place.
            (Amount::One(_), Amount::EachAtRoot(_) | Amount::ArrayAtRoot(_)) => 0,
            (sent, _) => sent.bytes(self.sent_type, family, info, at_root, Direction::Out)?,
        };
        // At the root of a scatter MPI_IN_PLACE stands for the receive buffer.
        let received = match self.sent {
            Amount::EachAtRoot(_) | Amount::ArrayAtRoot(_) => 0,
            _ => received,
        };
        Ok((sent, received))
    }

    #[inline(always)]
    pub fn at_root(&self, info: &Info) -> bool {
        match self.peer {
            Some(peer::ROOT) => true,
            Some(root) => !info.inter && root == info.rank,
            None => false,
        }
    }
}
