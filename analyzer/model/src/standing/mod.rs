//! Finds where each rank stands at one moment: the calls its threads are in, what they wait for, and the state left by earlier
//! calls.
//!
//! In: a run, which may still grow. Out: [`Standing`]. Two [`Look`]s, one before the files are read and one after, show which
//! ranks have not moved meanwhile; the data of those is consistent.

mod awaited;
mod collective_order;
mod look;
mod past;
mod pulse;
mod spot;

use traces::calls::{Call, Class};
use traces::read::ThreadPages;
use traces::signature::Signature;

use super::dropped_past::DroppedPast;
use super::objects::Objects;
use super::rank::Latest;
use super::roles::{CallPart, Role, Roles};
use super::stream::Stream;
use super::{Rank, Run};
use crate::parallel;

pub use super::clock::clocks;
pub use awaited::{Awaited, CollectiveKey, CollectivePart, SendMode, awaited, part_of};
pub use collective_order::{CollectiveDifference, CollectiveKind, Made, Reach};
pub use look::{Change, Look, ThreadChange, age};
pub use past::{OpenedTo, Passed, Past, PendingRequest, Route, Sent, WindowPast};
pub use pulse::{Pulse, Stir, ThreadStir};
pub use spot::Spot;

/// State of all ranks at one moment.
pub struct Standing {
    /// In the order of [`Run::ranks`].
    pub ranks: Vec<RankStanding>,
    pub worlds: Vec<u32>,
    /// Communicators, windows and files of the run.
    pub objects: Objects,
    /// All ranks of the run are here.
    pub is_whole: bool,
}

/// State of one rank.
pub struct RankStanding {
    /// Threads that have called MPI, in the order of their first calls; the first thread if none has.
    pub threads: Vec<ThreadStanding>,
    /// State left by earlier calls.
    pub past: Past,
}

/// State of one thread.
#[derive(Clone, Debug)]
pub struct ThreadStanding {
    /// Counted from 0, in the order of the first calls.
    pub number: u32,
    /// The system's thread id.
    pub tid: u32,
    pub position: Position,
}

/// Position of a thread.
#[derive(Clone, Debug)]
pub enum Position {
    /// In a call.
    Inside(Entered),
    /// Between polls without success: each distinct poll, latest first.
    Asking(Vec<Entered>),
    /// Outside MPI.
    Outside {
        last: Option<Signature>,
        /// Seconds since the rank's recording began.
        since: f64,
    },
    /// The rank has finalized MPI.
    Finalized,
}

/// A call that a thread is in.
#[derive(Clone, Debug)]
pub struct Entered {
    pub signature: Signature,
    /// Role towards other ranks.
    pub role: Role,
    /// Events that the call itself awaits; a call that completes requests awaits those, too.
    pub awaits: Vec<Awaited>,
    /// `None` if it completes no requests.
    pub completes: Option<Completes>,
    /// Begin, in seconds since the rank's recording began.
    pub since: f64,
}

/// The requests that a call completes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completes {
    /// All requests given to the call.
    All,
    /// One or some of the requests given to the call.
    Any,
}

impl Standing {
    /// Reads all ranks' calls.
    pub fn of(run: &Run) -> Standing {
        let (objects, common_clock) = (Objects::of(run), run.common_clock());
        let standing = |at: usize| {
            let (rank, line) = (&run.ranks[at], &common_clock.lines[at]);
            let roles = || Roles::of(run, &objects, run.call_sites(), at);
            let contents = rank.contents();
            let threads = || contents.threads.iter();
            let mut streams: Vec<Stream> = threads().map(|thread| Stream::new(thread, rank, line, roles())).collect();
            let dropped = DroppedPast::of(at as u32, rank, &contents, roles()).map(|dropped| (dropped, &objects));
            let past = Past::of(at as u32, rank, line, &mut streams, dropped);
            let mut standings = Vec::new();
            for (thread, stream) in threads().zip(&streams) {
                standings.extend(thread_standing(rank, thread, stream, &past, roles()));
            }
            RankStanding { threads: standings, past }
        };
        let ranks = parallel::map(run.ranks.len(), standing);
        let worlds = run.ranks.iter().map(|rank| rank.header.world).collect();
        let is_whole = run.is_every_file_here() && run.unrecorded.is_empty();
        Standing { ranks, worlds, objects, is_whole }
    }

    /// Progress of a rank in the collective calls of an object.
    pub fn reach(&self, rank: usize, object: u32) -> Reach<'_> {
        let standing = &self.ranks[rank];
        let open = standing.open_collectives().find(|part| part.object == object && part.starts.is_none());
        Reach { made: standing.past.made.get(&object), open: open.map(|part| part.kind) }
    }
}

impl Position {
    /// This position without the awaited events.
    pub fn spot(&self) -> Spot {
        match self {
            Position::Inside(entered) => Spot::Inside(entered.signature, entered.since),
            Position::Asking(asked) => match asked.first() {
                Some(last) => Spot::Asking(last.signature, last.since),
                None => Spot::Outside(None, 0.0),
            },
            Position::Outside { last, since } => Spot::Outside(*last, *since),
            Position::Finalized => Spot::Finalized,
        }
    }

    pub fn entered(&self) -> Option<&Entered> {
        if let Position::Inside(entered) = self { Some(entered) } else { None }
    }
}

impl Entered {
    pub fn call(&self) -> Option<Call> {
        self.role.call()
    }

    /// True if it ends MPI.
    pub fn finalizes(&self) -> bool {
        self.role.what == CallPart::End
    }
}

impl RankStanding {
    /// Position of the first thread in a call; if none is in a call, of the first thread.
    pub fn position(&self) -> &Position {
        let positions = || self.threads.iter().map(|thread| &thread.position);
        let inside = positions().find(|position| position.entered().is_some());
        inside.or_else(|| positions().next()).unwrap_or(&NOWHERE)
    }

    /// True if the rank has finalized MPI.
    pub fn is_finalized(&self) -> bool {
        matches!(self.position(), Position::Finalized)
    }

    /// Calls that its threads are in, with thread numbers.
    pub fn entered(&self) -> impl Iterator<Item = (u32, &Entered)> {
        self.threads.iter().filter_map(|thread| Some((thread.number, thread.position.entered()?)))
    }

    /// Events awaited by its calls and pending requests.
    pub fn awaits(&self) -> impl Iterator<Item = &Awaited> {
        let open = self.entered().flat_map(|(_, entered)| &entered.awaits);
        open.chain(self.past.pending.values().flat_map(|request| &request.awaits))
    }

    /// Its parts in the collective calls that its threads are in.
    fn open_collectives(&self) -> impl Iterator<Item = CollectivePart> {
        self.entered().flat_map(|(_, entered)| &entered.awaits).filter_map(Awaited::collective)
    }

    /// Its parts in collective calls that may hold it: those its threads are in, and pending ones that a call completes.
    pub fn collectives(&self) -> impl Iterator<Item = CollectivePart> {
        let completes = self.entered().any(|(_, entered)| entered.completes.is_some());
        let pending = self.past.pending.values().filter(move |_| completes).flat_map(|request| &request.awaits);
        self.open_collectives().chain(pending.filter_map(Awaited::collective))
    }
}

/// Position of a rank without threads.
static NOWHERE: Position = Position::Outside { last: None, since: 0.0 };

/// State of a thread that has called MPI, or is the first one.
fn thread_standing(
    rank: &Rank,
    thread: &ThreadPages<'_>,
    stream: &Stream<'_>,
    past: &Past,
    roles: Roles<'_>,
) -> Option<ThreadStanding> {
    // The thread has gone on since, but its requests and collective calls are those of the records.
    let tail = &thread.tail;
    let polls = tail.polls;
    let signature = |number: u32| thread.signatures.get(number).map(|found| *found.0);
    let inside = tail.outermost().map(|call| (call.start, call.signature));
    let recorded = stream.last().map(|last| (stream.last_end(), signature(last.signature)));
    let ended = polls.map(|polls| (polls.end, signature(polls.signature as u32))).or(recorded);
    if thread.number > 0 && inside.is_none() && ended.is_none() && thread.profile.is_empty() {
        return None;
    }
    let mut latest = Latest::default();
    latest.add(inside, ended);
    // Recorded runs of polls come before the open one.
    let vain = past.vain.get(&thread.number);
    let open = polls.map(|polls| (polls.signature as u32, rank.since_begin(polls.start)));
    let asked = open.or_else(|| vain.and_then(|vain| Some((*vain.calls.last()?, vain.since))));
    let asks = asked.and_then(|(number, since)| {
        let since = vain.map_or(since, |vain| vain.since.min(since));
        Some((signature(number)?, since))
    });
    let enter = |signature: &Signature, since: f64| {
        let role = roles.role(signature);
        let ordinal = role.object.map_or(0, |object| past.made(object));
        let awaits = awaited(&role, roles.objects(), ordinal);
        Entered { signature: *signature, role, awaits, completes: completes(signature), since }
    };
    let position = match Spot::new(&latest.end(rank), asks) {
        Spot::Inside(call, since) => Position::Inside(enter(&call, since)),
        Spot::Asking(call, since) => {
            let mut asked = vec![enter(&call, since)];
            let others = vain.into_iter().flat_map(|vain| &vain.calls).filter_map(|number| signature(*number));
            asked.extend(others.filter(|other| *other != call).map(|other| enter(&other, since)));
            Position::Asking(asked)
        }
        Spot::Outside(last, since) => Position::Outside { last, since },
        Spot::Finalized => Position::Finalized,
    };
    Some(ThreadStanding { number: thread.number, tid: thread.tid(), position })
}

fn completes(signature: &Signature) -> Option<Completes> {
    let call = Call::from_number(signature.call).filter(|call| call.class() == Class::Completion)?;
    match call {
        Call::Wait | Call::Test | Call::Waitall | Call::Testall => Some(Completes::All),
        Call::Waitany | Call::Testany | Call::Waitsome | Call::Testsome => Some(Completes::Any),
        // The file does not name the request that the call asks about.
        Call::Request_get_status => Some(Completes::Any),
        _ => None,
    }
}
