//! Derives the events that a call or its request waits for from the call's arguments.

use traces::calls::{ArgumentKind, Call, Class};

use super::collective_order::{CollectiveKind, bytes_of_part};
use crate::objects::Objects;
use crate::roles::{CallPart, Flow, Peer, Role};

/// An event that a call or a request waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// A message.
    Message {
        /// The run's number for the communicator.
        object: Option<u32>,
        /// The sender.
        from: Peer,
        /// The tag, or [`ANY`](traces::signature::tag::ANY).
        tag: i32,
        /// The message is removed from the queue: false for MPI_Probe.
        takes: bool,
    },
    /// The receipt of a message.
    Delivery {
        /// The run's number for the communicator.
        object: Option<u32>,
        /// The receiver.
        to: Peer,
        tag: i32,
        /// End of the wait.
        until: SendMode,
    },
    /// The other ranks of a collective call.
    Collective(CollectivePart),
    /// Ranks that make a communicator with this one; the file does not name them.
    Makers,
    /// An event that this analysis does not follow.
    Other,
}

/// Duration of a send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendMode {
    /// Until the message is in a buffer of the program.
    Buffered,
    /// Until the message is in a buffer of MPI or received.
    Standard,
    /// Until its receive has begun.
    Received,
}

/// No MPI library buffers messages of this size: eager limits are 4 to 256 KiB.
const TOO_LARGE_TO_BUFFER: u64 = 1 << 20;

impl Awaited {
    pub fn collective(&self) -> Option<CollectivePart> {
        if let Awaited::Collective(part) = self { Some(*part) } else { None }
    }
}

/// A rank's part in a collective call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollectivePart {
    /// The run's number for the communicator, window or file.
    pub object: u32,
    /// Number of the rank's earlier collective calls on it.
    pub ordinal: u64,
    /// Number of earlier starts of a persistent call.
    pub starts: Option<u64>,
    /// Arguments that must agree on all ranks.
    pub kind: CollectiveKind,
    /// Dependency between the ranks.
    pub flow: Flow,
    /// This rank is the root.
    pub is_root: bool,
    /// The root as this rank numbers it, if it is another one.
    pub root: Option<i32>,
}

/// Identity of a collective call, including its arguments, so that mismatched calls differ: the object, the ordinal, the starts, and
/// the kind.
pub type CollectiveKey = (u32, u64, Option<u64>, CollectiveKind);

impl CollectivePart {
    pub fn key(&self) -> CollectiveKey {
        (self.object, self.ordinal, self.starts, self.kind)
    }

    /// True if MPI lets the call return before the others have come, since it needs none of their data.
    pub fn is_loose(&self) -> bool {
        let call = Call::from_number(self.kind.function);
        // Only the root of a spawning call has data that the others need.
        call.is_some_and(|call| Flow::of(call).is_none() || call.class() == Class::Process)
    }
}

/// Flow of a call in its object's collective order; true if this rank is the root. `None` if not all processes take part.
pub fn part_of(role: &Role) -> Option<(Flow, bool)> {
    match role.what {
        CallPart::Collective { flow, root } => Some((flow, root)),
        _ if role.nested => None,
        _ => Some((Flow::in_order(role.call()?)?, false)),
    }
}

/// The arguments of a collective call that must agree on all ranks.
pub fn kind_of(role: &Role, objects: &Objects) -> CollectiveKind {
    let group = role.object.map(|object| &objects.groups[object as usize]).filter(|group| !group.is_inter());
    let bytes = group.and_then(|group| {
        let call = role.call()?;
        bytes_of_part(call, (role.sent, role.received), group.size())
    });
    CollectiveKind { function: role.function, root: group.and(role.root), bytes }
}

/// The events that a call with this role waits for. `ordinal` is that of a collective call.
pub fn awaited(role: &Role, objects: &Objects, ordinal: u64) -> Vec<Awaited> {
    if let Some((flow, is_root)) = part_of(role) {
        let part = |object| CollectivePart {
            object,
            ordinal,
            starts: None,
            kind: kind_of(role, objects),
            flow,
            is_root,
            root: role.root.filter(|_| !is_root),
        };
        let others = role.object.map_or(Awaited::Other, |object| Awaited::Collective(part(object)));
        return [others].into_iter().chain(beyond(role)).collect();
    }
    match role.what {
        CallPart::Message { partitioned: true, .. } => vec![Awaited::Other],
        // The message was probed, so it has arrived.
        CallPart::Message { .. } if takes_probed(role) => Vec::new(),
        CallPart::Message { sends, receives, .. } => {
            let (to, tag) = role.to;
            let delivery = Awaited::Delivery { object: role.object, to, tag, until: send_mode(role) };
            let (from, tag) = role.from;
            let message = Awaited::Message { object: role.object, from, tag, takes: true };
            [sends.then_some(delivery), receives.then_some(message)].into_iter().flatten().collect()
        }
        CallPart::Probe => {
            let (from, tag) = role.from;
            vec![Awaited::Message { object: role.object, from, tag, takes: probe_takes(role) }]
        }
        CallPart::Make => vec![Awaited::Makers],
        _ => vec![Awaited::Other],
    }
}

/// An event that a collective call awaits besides the other ranks of its object.
fn beyond(role: &Role) -> Option<Awaited> {
    let call = role.call()?;
    match call {
        Call::Intercomm_create => Some(Awaited::Makers),
        // These wait for a file, or for another program.
        Call::Comm_accept | Call::Comm_connect | Call::Comm_spawn | Call::Comm_spawn_multiple => Some(Awaited::Other),
        _ if call.class() == Class::Io => Some(Awaited::Other),
        _ => None,
    }
}

/// True if a probe reserves its message for a receive, as MPI_Mprobe does.
pub fn probe_takes(role: &Role) -> bool {
    has(role, ArgumentKind::NewMessage)
}

/// True if a receive gets a message that was probed for it.
pub fn takes_probed(role: &Role) -> bool {
    has(role, ArgumentKind::TakeMessage)
}

fn has(role: &Role, kind: ArgumentKind) -> bool {
    role.call().is_some_and(|call| call.has(kind))
}

fn send_mode(role: &Role) -> SendMode {
    match role.call() {
        Some(Call::Bsend | Call::Ibsend | Call::Bsend_init) => SendMode::Buffered,
        Some(Call::Ssend | Call::Issend | Call::Ssend_init) => SendMode::Received,
        _ if role.sent >= TOO_LARGE_TO_BUFFER => SendMode::Received,
        _ => SendMode::Standard,
    }
}
