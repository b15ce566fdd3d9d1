//! What a call or a request waits for, as its arguments say.

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
    },
    /// That somebody takes a message.
    Delivery {
        /// The run's number of the communicator.
        object: Option<u32>,
        /// To whom.
        to: Peer,
        /// Its tag.
        tag: i32,
    },
    /// The others of a collective call.
    Collective(CollectivePart),
    /// Something that this analysis does not follow.
    Other,
}

impl Awaited {
    /// The part in a collective call, if it is one.
    pub fn collective(&self) -> Option<CollectivePart> {
        if let Awaited::Collective(part) = self { Some(*part) } else { None }
    }
}

/// A rank's part in a collective call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollectivePart {
    /// The run's number of the communicator or window.
    pub object: u32,
    /// How many collective calls it made there before.
    pub ordinal: u64,
    /// The function's id; a blocking and a nonblocking call do not match.
    pub function: u16,
    /// Who depends on whom.
    pub flow: Flow,
    /// It is the root.
    pub root: bool,
}

/// What a call with this role waits for. `ordinal` is that of a collective call.
pub fn awaited(role: &Role, ordinal: u64) -> Vec<Awaited> {
    match role.what {
        CallPart::Message { partitioned: true, .. } => vec![Awaited::Other],
        CallPart::Message { sends, receives, .. } => {
            let delivery = Awaited::Delivery { object: role.object, to: role.to.0, tag: role.to.1 };
            let message = Awaited::Message { object: role.object, from: role.from.0, tag: role.from.1 };
            [sends.then_some(delivery), receives.then_some(message)].into_iter().flatten().collect()
        }
        CallPart::Probe => vec![Awaited::Message { object: role.object, from: role.from.0, tag: role.from.1 }],
        CallPart::Collective { flow, root } => match role.object {
            Some(object) => {
                vec![Awaited::Collective(CollectivePart { object, ordinal, function: role.function, flow, root })]
            }
            None => vec![Awaited::Other],
        },
        _ => vec![Awaited::Other],
    }
}
