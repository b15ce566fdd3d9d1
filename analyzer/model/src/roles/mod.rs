//! Gives each call its role towards other ranks: the message or collective call it takes part in.
//!
//! In: a rank's signatures. Out: a [`Role`] for each, in numbers that hold for the whole run.

mod flow;

use traces::calls::{ArgumentKind, Call, Class};
use traces::record::Arrived;
use traces::signature::{CREATES, NESTED, STARTS, Signature, peer};

use super::objects::Objects;
pub use super::sites::{CallSite, CallSites};
use super::{Rank, Run};
pub use flow::Flow;

/// A call's role towards other ranks.
#[derive(Clone, Copy, Debug)]
pub struct Role {
    pub place: SpottedSite,
    /// Id of the function, the same for its large-count form.
    pub function: u16,
    /// The operation it takes part in.
    pub what: CallPart,
    pub object: Option<u32>,
    /// Destination and tag. For a window, the target and the kind of lock or the number of the group.
    pub to: (Peer, i32),
    /// Source and tag.
    pub from: (Peer, i32),
    /// The root by its number in the communicator; `None` without a root, and in an intercommunicator if it is this rank or
    /// nobody.
    pub root: Option<i32>,
    pub sent: u64,
    /// Bytes it has posted to receive.
    pub received: u64,
    /// Pieces that it hands out or is to receive, whichever are more; 0 where bytes lie side by side or nobody knows.
    pub pieces: u64,
    /// True if the call takes a request.
    pub takes: bool,
    /// It creates a persistent request.
    pub creates: bool,
    /// It was made inside another call.
    pub nested: bool,
    /// Its request was complete when it returned.
    pub at_once: bool,
}

/// A [`CallSite`] by its number in [`CallSites`], with a mark for calls outside the selection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct SpottedSite(u32);

impl SpottedSite {
    const LEFT_OUT: u32 = 1 << 31;

    pub fn number(self) -> usize {
        (self.0 & !SpottedSite::LEFT_OUT) as usize
    }

    pub fn numbered(number: u32) -> SpottedSite {
        SpottedSite(number)
    }

    /// True if the call is selected.
    pub fn counts(self) -> bool {
        self.0 & SpottedSite::LEFT_OUT == 0
    }

    /// This site, for a call outside the selection.
    pub fn left_out(self) -> SpottedSite {
        SpottedSite(self.0 | SpottedSite::LEFT_OUT)
    }

    /// This site without the mark.
    pub fn anyway(self) -> SpottedSite {
        SpottedSite(self.0 & !SpottedSite::LEFT_OUT)
    }
}

/// The operation that a call takes part in.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CallPart {
    /// No other rank has a part in it.
    #[default]
    Nothing,
    /// Starts MPI.
    Begin,
    /// Ends MPI.
    End,
    /// MPI_Pcontrol: ends a phase of the program and begins the next.
    Phase,
    /// Sends, receives, or both.
    Message {
        sends: bool,
        receives: bool,
        partitioned: bool,
    },
    Probe,
    /// Makes a communicator by its own processes alone.
    Make,
    /// A collective call.
    Collective {
        /// Dependency between its ranks.
        flow: Flow,
        root: bool,
    },
    /// Opens or closes a window to some ranks.
    Window(Epoch),
}

impl CallPart {
    /// True for a partitioned message, which matches partitioned ones only.
    pub fn is_partitioned(self) -> bool {
        matches!(self, CallPart::Message { partitioned: true, .. })
    }
}

/// Effect on an epoch of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Epoch {
    Start,
    Complete,
    Post,
    Wait,
    Lock,
    Unlock,
}

/// The rank at the other end of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    /// None: there is no message.
    Nobody,
    /// MPI_ANY_SOURCE.
    Any,
    /// Place in [`Run::ranks`].
    Rank(u32),
    /// A rank that was not recorded.
    Unrecorded,
    /// A rank that has no file here, or an unknown one.
    Unknown,
}

/// Derives the roles of one rank.
pub struct Roles<'a> {
    run: &'a Run,
    objects: &'a Objects,
    places: &'a CallSites,
    at: usize,
}

impl Role {
    pub const NONE: Role = NO_ROLE;

    /// The function; `None` inside another call.
    pub fn call(&self) -> Option<Call> {
        Call::from_number(self.function)
    }
}

/// Role of an unknown call.
const NO_ROLE: Role = Role {
    place: SpottedSite(CallSites::UNKNOWN),
    function: 0,
    what: CallPart::Nothing,
    object: None,
    to: (Peer::Nobody, 0),
    from: (Peer::Nobody, 0),
    root: None,
    sent: 0,
    received: 0,
    pieces: 0,
    takes: false,
    creates: false,
    nested: false,
    at_once: false,
};

impl<'a> Roles<'a> {
    /// `at`: the rank's place in [`Run::ranks`].
    pub fn of(run: &'a Run, objects: &'a Objects, places: &'a CallSites, at: usize) -> Roles<'a> {
        Roles { run, objects, places, at }
    }

    /// Roles of a thread, by number of the signature.
    pub fn thread(&self, thread: &traces::read::ThreadPages<'_>) -> Vec<Role> {
        thread.signatures.by_number(NO_ROLE, |signature, at_once| Role { at_once, ..self.role(signature) })
    }

    pub fn role(&self, signature: &Signature) -> Role {
        let rank = &self.run.ranks[self.at];
        let flagged = |flag| signature.flags & flag != 0;
        let role = Role {
            place: SpottedSite(self.places.number(self.at, signature.call, signature.site)),
            takes: flagged(STARTS) || flagged(CREATES),
            creates: flagged(CREATES),
            nested: flagged(NESTED),
            ..NO_ROLE
        };
        match Call::from_number(signature.call) {
            Some(call) if !role.nested => self.part(rank, call, signature, Role { function: call.row().id, ..role }),
            _ => role,
        }
    }

    /// Adds the operation that the call takes part in.
    fn part(&self, rank: &Rank, call: Call, signature: &Signature, role: Role) -> Role {
        let object = self.objects.number(self.at, signature.object);
        let what = what(rank, call, signature);
        let (to, from) = match what {
            CallPart::Message { sends: true, receives: true, .. } => {
                ((signature.peer, signature.tag), (signature.source, signature.source_tag))
            }
            CallPart::Message { sends: true, .. } => ((signature.peer, signature.tag), NOBODY),
            CallPart::Message { .. } | CallPart::Probe => (NOBODY, (signature.peer, signature.tag)),
            CallPart::Window(_) => ((signature.peer, signature.source_tag), NOBODY),
            _ => (NOBODY, NOBODY),
        };
        let peer = |number| self.peer(object, number);
        let root = match what {
            CallPart::Collective { flow, .. } if flow.has_root() => Some(signature.peer).filter(|root| *root >= 0),
            _ => None,
        };
        let (sent, received) = signature.moves();
        let pieces = rank.pieces(signature).map_or(0, |[out, back]| out.max(back));
        Role {
            what,
            object,
            to: (peer(to.0), to.1),
            from: (peer(from.0), from.1),
            root,
            sent,
            received,
            pieces,
            ..role
        }
    }

    fn is_unrecorded(&self, rank: Option<u32>) -> bool {
        rank.is_some_and(|rank| self.run.unrecorded.iter().any(|range| range.contains(&rank)))
    }

    pub fn objects(&self) -> &'a Objects {
        self.objects
    }

    /// Sender and tag of a message: of the status if there is one, else those that the receive names.
    pub fn came_from(&self, object: Option<u32>, from: (Peer, i32), status: Option<Arrived>) -> (Peer, i32) {
        status.map_or(from, |status| (self.peer(object, status.source), status.tag))
    }

    /// The rank that this rank calls `number` in an object.
    pub fn peer(&self, object: Option<u32>, number: i32) -> Peer {
        match number {
            peer::NONE | peer::PROC_NULL => Peer::Nobody,
            peer::ANY => Peer::Any,
            number => {
                let Some(object) = object else { return Peer::Unknown };
                let group = &self.objects.groups[object as usize];
                match group.peer(self.at, number) {
                    Some(rank) => Peer::Rank(rank),
                    None if self.is_unrecorded(group.rank_of_peer(self.at, number)) => Peer::Unrecorded,
                    None => Peer::Unknown,
                }
            }
        }
    }
}

const NOBODY: (i32, i32) = (peer::NONE, 0);

fn what(rank: &Rank, call: Call, signature: &Signature) -> CallPart {
    if let Some(flow) = Flow::of(call) {
        return CallPart::Collective { flow, root: flow.has_root() && is_root(rank, signature) };
    }
    match call.class() {
        Class::PointToPoint => {
            // A receive of a probed message takes its source from the probe.
            let takes = call.has(ArgumentKind::TakeMessage);
            let (sends, receives) = (call.has(ArgumentKind::Dest), call.has(ArgumentKind::Source) || takes);
            let partitioned = call.has(ArgumentKind::Partitions);
            if sends || receives { CallPart::Message { sends, receives, partitioned } } else { CallPart::Nothing }
        }
        Class::Probe => CallPart::Probe,
        Class::Communicator | Class::Process if call.makes_alone() => CallPart::Make,
        Class::Environment if call == Call::Pcontrol => CallPart::Phase,
        Class::Lifecycle => match call {
            Call::Init | Call::Init_thread => CallPart::Begin,
            Call::Finalize => CallPart::End,
            _ => CallPart::Nothing,
        },
        Class::Rma => epoch(call).map_or(CallPart::Nothing, CallPart::Window),
        _ => CallPart::Nothing,
    }
}

fn epoch(call: Call) -> Option<Epoch> {
    Some(match call {
        Call::Win_start => Epoch::Start,
        Call::Win_complete => Epoch::Complete,
        Call::Win_post => Epoch::Post,
        Call::Win_wait => Epoch::Wait,
        Call::Win_lock => Epoch::Lock,
        Call::Win_unlock => Epoch::Unlock,
        _ => return None,
    })
}

fn is_root(rank: &Rank, signature: &Signature) -> bool {
    let communicator = rank.communicators.get(&signature.object);
    match communicator {
        Some(communicator) if !communicator.inter => signature.peer == communicator.rank,
        _ => signature.peer == peer::ROOT,
    }
}
