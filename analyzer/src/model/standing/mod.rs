//! Where each rank stands at one moment: the call it is in, what that waits for, and what its calls before have left behind.
//!
//! In: a run, which may still grow. Out: [`Standing`]. Two [`Look`]s, one before the files are read and one after, say which
//! ranks have not moved meanwhile: what is said of those holds together.

mod awaited;
mod look;
mod past;
mod pulse;
mod reach;
mod spot;

use traces::calls::{Call, Class};
use traces::signature::Signature;

use super::objects::Objects;
use super::roles::{CallPart, CallSite, CallSites, Role, Roles, SpottedSite};
use super::stream::Stream;
use super::timeline::Timeline;
use super::{Rank, Run};
use crate::parallel;

pub use super::clock::clocks;
pub use awaited::{Awaited, CollectivePart, awaited};
pub use look::{Change, Look, age};
pub use past::{Passed, Past, PendingRequest, Route};
pub use pulse::{Pulse, Stir};
pub use reach::{Made, Reach};
pub use spot::Spot;

/// See the module.
pub struct Standing {
    /// In the order of [`Run::ranks`].
    pub ranks: Vec<RankStanding>,
    /// Each rank's world.
    pub worlds: Vec<u32>,
    /// Which communicators of different ranks are the same.
    pub objects: Objects,
    /// Functions and call sites by number.
    pub places: Vec<CallSite>,
}

/// One rank's.
pub struct RankStanding {
    /// Where it is.
    pub position: Position,
    /// What its calls so far have left behind.
    pub past: Past,
}

/// Where a rank is.
#[derive(Clone, Debug)]
pub enum Position {
    /// In a call.
    Inside(Entered),
    /// Between calls that ask for the same in vain, one after another.
    Asking(Entered),
    /// Outside MPI.
    Outside {
        /// Its last call.
        last: Option<Signature>,
        /// Since when, in seconds since its recording began.
        since: f64,
    },
    /// It has finalized MPI.
    Finalized,
}

/// A call that a rank is in.
#[derive(Clone, Debug)]
pub struct Entered {
    /// Which.
    pub signature: Signature,
    /// Function and call site.
    pub place: SpottedSite,
    /// What it waits for by itself; a call that completes requests waits for those.
    pub awaits: Vec<Awaited>,
    /// How it completes requests, where it does.
    pub completes: Option<Completes>,
    /// It ends MPI.
    pub finalizes: bool,
    /// Since when, in seconds since its recording began.
    pub since: f64,
}

/// How a call completes requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completes {
    /// All that it was given.
    All,
    /// One or some of them.
    Any,
}

impl Standing {
    /// Goes through all ranks' calls.
    pub fn of(run: &Run) -> Standing {
        let (objects, places, timeline) = (Objects::of(run), CallSites::default(), Timeline::of(run));
        let standing = |at: usize| {
            let (rank, line) = (&run.ranks[at], &timeline.lines[at]);
            let roles = || Roles::of(run, &objects, &places, at);
            let contents = rank.contents();
            let streams = contents.threads.iter().map(|thread| Stream::new(thread, rank, line, roles())).collect();
            let past = Past::of(at as u32, streams);
            RankStanding { position: position(rank, &past, roles()), past }
        };
        let ranks = parallel::map(run.ranks.len(), standing);
        let worlds = run.ranks.iter().map(|rank| rank.header.world).collect();
        Standing { ranks, worlds, objects, places: places.list() }
    }

    /// Function and call site of a call.
    pub fn place(&self, place: SpottedSite) -> &CallSite {
        &self.places[place.number()]
    }

    /// How far a rank has come in the collective calls of an object.
    pub fn reach(&self, rank: usize, object: u32) -> Reach<'_> {
        let standing = &self.ranks[rank];
        let open = standing.collective().filter(|part| part.object == object);
        Reach { made: standing.past.made.get(&object), open: open.map(|part| part.function) }
    }
}

impl Position {
    /// The same without what the call waits for.
    pub fn spot(&self) -> Spot {
        match self {
            Position::Inside(entered) => Spot::Inside(entered.signature, entered.since),
            Position::Asking(entered) => Spot::Asking(entered.signature, entered.since),
            Position::Outside { last, since } => Spot::Outside(*last, *since),
            Position::Finalized => Spot::Finalized,
        }
    }
}

impl RankStanding {
    /// The call that it is in.
    pub fn entered(&self) -> Option<&Entered> {
        match &self.position {
            Position::Inside(entered) => Some(entered),
            _ => None,
        }
    }

    /// What the call that it is in and its pending requests wait for.
    pub fn awaits(&self) -> impl Iterator<Item = &Awaited> {
        let open = self.entered().into_iter().flat_map(|entered| &entered.awaits);
        open.chain(self.past.pending.values().flat_map(|request| &request.awaits))
    }

    /// Its part in the collective call that it is in.
    pub fn collective(&self) -> Option<CollectivePart> {
        self.entered()?.awaits.iter().find_map(Awaited::collective)
    }

    /// Its parts in collective calls that may keep it where it is: in that call, or in nonblocking ones that the call completes.
    pub fn collectives(&self) -> impl Iterator<Item = CollectivePart> {
        let completes = self.entered().is_some_and(|entered| entered.completes.is_some());
        let pending = self.past.pending.values().filter(move |_| completes).flat_map(|request| &request.awaits);
        self.collective().into_iter().chain(pending.filter_map(Awaited::collective))
    }

    /// Since when it is where it is, in seconds since its recording began.
    pub fn since(&self) -> Option<f64> {
        self.position.spot().since()
    }
}

fn position(rank: &Rank, past: &Past, mut roles: Roles<'_>) -> Position {
    let mut enter = |signature: &Signature, since: f64| {
        let role = roles.role(signature);
        let ordinal = role.object.map_or(0, |object| past.made(object));
        Entered {
            signature: *signature,
            place: role.place,
            awaits: awaited(&role, ordinal),
            completes: completes(signature),
            finalizes: is_end(&role),
            since,
        }
    };
    match Spot::of(rank) {
        Spot::Inside(call, since) => Position::Inside(enter(&call, since)),
        Spot::Asking(call, since) => Position::Asking(enter(&call, since)),
        Spot::Outside(last, since) => Position::Outside { last, since },
        Spot::Finalized => Position::Finalized,
    }
}

fn is_end(role: &Role) -> bool {
    role.what == CallPart::End
}

fn completes(signature: &Signature) -> Option<Completes> {
    let call = Call::from_number(signature.call).filter(|call| call.class() == Class::Completion)?;
    match call {
        Call::Wait | Call::Test | Call::Waitall | Call::Testall => Some(Completes::All),
        Call::Waitany | Call::Testany | Call::Waitsome | Call::Testsome => Some(Completes::Any),
        _ => None,
    }
}
