//! Nonblocking requests from their post to their completion, and what the program did meanwhile.
//!
//! In: a rank's records. Out: the [`RequestLife`]s of its requests, sampled, by what was posted and where. Nothing is asked of
//! other ranks, so no clocks are compared.

mod levels;
mod life;
mod meaning;
mod page_turns;
mod posting_lives;
mod reader;
mod rule;

use rustc_hash::FxHashMap;
use traces::calls::{ArgumentKind, Call, Class};

pub use levels::{LevelLoop, WorkLevel};
pub use life::{LIFE_PARTS, Lives, RequestLife};
pub use posting_lives::PostingLives;
pub use rule::{BoundRule, bound_rule};

use super::Rank;

/// What a request moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Transmission {
    /// A message from here.
    Send,
    /// A message to here.
    Receive,
    /// One each way, as in MPI_Isendrecv.
    Exchange,
    /// This rank's part of a collective call.
    Collective,
}

impl Transmission {
    /// What requests of a function move; `None` of those that move no messages, as in files and windows.
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

/// What was posted, and where, by the rank's own numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Posting {
    /// What it moves.
    pub traffic: Transmission,
    /// The function; of a persistent request the one that created it.
    pub call: u16,
    /// Where it was posted; of a persistent request, where it was started.
    pub site: u32,
    /// Its communicator.
    pub object: u32,
    /// Bytes: of a receive those that came, of a collective call those of the larger side.
    pub bytes: u64,
}

/// The requests of a rank.
#[derive(Default)]
pub struct RankRequests {
    /// Those that are asked about and were completed.
    pub lives: FxHashMap<Posting, PostingLives>,
    /// Loops of which each level works longer than the one before.
    pub loops: FxHashMap<Posting, LevelLoop>,
    /// All that were posted, whether asked about or not.
    pub posted: u64,
    /// Those that were posted and not completed.
    pub pending: u64,
    /// Those that one thread posted and another one completed.
    pub foreign: u64,
}

/// Reads a rank's records.
pub fn of_rank(rank: &Rank, rule: BoundRule) -> RankRequests {
    let mut requests = RankRequests::default();
    for thread in &rank.contents().threads {
        reader::read(thread, rank, rule, &mut requests);
    }
    for lives in requests.lives.values_mut() {
        lives.settle();
    }
    requests
}
