//! Follows nonblocking requests from post to completion, and the program's time meanwhile.
//!
//! In: a rank's records. Out: sampled [`RequestLife`]s of its requests, by posting. Only one rank's times are used, so no clocks
//! are compared.

mod levels;
mod life;
mod meaning;
mod page_turns;
mod passes;
mod posting_lives;
mod reader;
mod rule;
mod work_alone;

use rustc_hash::FxHashMap;
use traces::calls::{ArgumentKind, Call, Class};

pub use levels::{LevelLoop, WorkLevel};
pub use life::{LIFE_PARTS, Lives, RequestLife};
pub use passes::Pass;
pub use posting_lives::PostingLives;
use rule::bound_rule;
pub use rule::{BoundRule, is_by_sockets};

use super::{Rank, Run};

/// Data that a request moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Transmission {
    /// A message from this rank.
    Send,
    /// A message to this rank.
    Receive,
    /// One message each way, as in MPI_Isendrecv.
    Exchange,
    /// This rank's part of a collective call.
    Collective,
}

impl Transmission {
    /// Data that requests of a function move; `None` for files and windows.
    pub fn of(call: Call) -> Option<Transmission> {
        match (call.class(), call.has(ArgumentKind::Dest), call.has(ArgumentKind::Source)) {
            (Class::PointToPoint, true, true) => Some(Transmission::Exchange),
            (Class::PointToPoint, true, false) => Some(Transmission::Send),
            (Class::PointToPoint, ..) => Some(Transmission::Receive),
            (Class::Collective | Class::Neighborhood, ..) => Some(Transmission::Collective),
            _ => None,
        }
    }
}

/// Attributes by which requests are grouped, in the rank's own numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Posting {
    pub traffic: Transmission,
    /// The function; for a persistent request, the one that created it.
    pub call: u16,
    /// Call site of the post; for a persistent request, of the start.
    pub site: u32,
    pub object: u32,
    /// Bytes: received bytes for a receive, the larger side for a collective call.
    pub bytes: u64,
}

#[derive(Default)]
pub struct RankRequests {
    /// Completed requests in the selection.
    pub lives: FxHashMap<Posting, PostingLives>,
    /// Loops with more work on each level.
    pub loops: FxHashMap<Posting, LevelLoop>,
    /// Number of posted requests, selected or not.
    pub posted: u64,
    /// Requests that were posted and not completed.
    pub pending: u64,
    /// Requests that one thread posted and another completed.
    pub foreign: u64,
}

pub fn of_rank(run: &Run, rank: &Rank) -> RankRequests {
    let mut requests = RankRequests::default();
    let (rule, alike) = (bound_rule(run, rank), run.sites.alike(rank));
    for thread in &rank.contents().threads {
        reader::read(thread, (rank, &alike), rule, &mut requests);
    }
    for lives in requests.lives.values_mut() {
        lives.settle();
    }
    requests
}
