//! What a call or a request waits for, as its arguments say.

use traces::calls::{ArgumentKind, Call, Class};

use super::collective_order::{CollectiveKind, bytes_of_part};
use crate::objects::Objects;
use crate::roles::{CallPart, Flow, Peer, Role};

/// See the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// A message.
    Message {
        /// The run's number of the communicator.
        object: Option<u32>,
        /// From whom.
        from: Peer,
        /// With this tag, or [`ANY`](traces::signature::tag::ANY).
        tag: i32,
        /// No other receive or probe gets what this one has got: not so of MPI_Probe.
        takes: bool,
    },
    /// That somebody takes a message.
    Delivery {
        /// The run's number of the communicator.
        object: Option<u32>,
        /// To whom.
        to: Peer,
        /// Its tag.
        tag: i32,
        /// What the sender waits for.
        until: SendMode,
    },
    /// The others of a collective call.
    Collective(CollectivePart),
    /// Those that make a communicator together with this rank, of whom its file does not tell who they are.
    Makers,
    /// Something that this analysis does not follow.
    Other,
}

/// How long a send lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendMode {
    /// Until the message is in a buffer of the program's.
    Buffered,
    /// Until it is in a buffer of MPI's or received.
    Standard,
    /// Until its receive has begun.
    Received,
}

/// No MPI library buffers messages of so many bytes: eager limits are 4 to 256 KiB.
const TOO_LARGE_TO_BUFFER: u64 = 1 << 20;

impl Awaited {
    /// The part in a collective call, if it is one.
    pub fn collective(&self) -> Option<CollectivePart> {
        if let Awaited::Collective(part) = self { Some(*part) } else { None }
    }
}

/// A rank's part in a collective call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollectivePart {
    /// The run's number of the communicator, window or file.
    pub object: u32,
    /// How many collective calls it made there before.
    pub ordinal: u64,
    /// Of a persistent call, how often it was started before.
    pub starts: Option<u64>,
    /// What all ranks have to give the same.
    pub kind: CollectiveKind,
    /// Who depends on whom.
    pub flow: Flow,
    /// It is the root.
    pub is_root: bool,
    /// The root as the rank calls it, where it is another one.
    pub root: Option<i32>,
}

impl CollectivePart {
    /// Whether MPI lets libraries return from the call before the others have come: no data of theirs is in it.
    pub fn is_loose(&self) -> bool {
        let call = Call::from_number(self.kind.function);
        call.is_some_and(|call| Flow::of(call).is_none() && call != Call::Win_free)
    }
}

/// A call's part in the collective order of its object: where it is one in which all take part, how, and whether this rank is the root.
pub fn part_of(role: &Role) -> Option<(Flow, bool)> {
    match role.what {
        CallPart::Collective { flow, root } => Some((flow, root)),
        _ if role.nested => None,
        _ => Some((Flow::in_order(Call::from_number(role.function)?)?, false)),
    }
}

/// What all ranks have to give the same of a collective call.
pub fn kind_of(role: &Role, objects: &Objects) -> CollectiveKind {
    let group = role.object.map(|object| &objects.groups[object as usize]).filter(|group| !group.is_inter());
    let bytes = group.and_then(|group| {
        let call = Call::from_number(role.function)?;
        bytes_of_part(call, (role.sent, role.received), group.size())
    });
    CollectiveKind { function: role.function, root: group.and(role.root), bytes }
}

/// What a call with this role waits for. `ordinal` is that of a collective call.
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
        // The message is there, since it was probed.
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

/// What a collective call waits for besides the others of its object.
fn beyond(role: &Role) -> Option<Awaited> {
    let call = Call::from_number(role.function)?;
    match call {
        Call::Intercomm_create => Some(Awaited::Makers),
        // A file, or another program.
        Call::Comm_accept | Call::Comm_connect | Call::Comm_spawn | Call::Comm_spawn_multiple => Some(Awaited::Other),
        _ if call.class() == Class::Io => Some(Awaited::Other),
        _ => None,
    }
}

/// Whether a probe keeps its message for a receive of its own, as MPI_Mprobe does.
pub fn probe_takes(role: &Role) -> bool {
    has(role, ArgumentKind::NewMessage)
}

/// Whether a receive gets a message that was probed for it.
pub fn takes_probed(role: &Role) -> bool {
    has(role, ArgumentKind::TakeMessage)
}

fn has(role: &Role, kind: ArgumentKind) -> bool {
    Call::from_number(role.function).is_some_and(|call| call.has(kind))
}

fn send_mode(role: &Role) -> SendMode {
    match Call::from_number(role.function) {
        Some(Call::Bsend | Call::Ibsend | Call::Bsend_init) => SendMode::Buffered,
        Some(Call::Ssend | Call::Issend | Call::Ssend_init) => SendMode::Received,
        _ if role.sent >= TOO_LARGE_TO_BUFFER => SendMode::Received,
        _ => SendMode::Standard,
    }
}
