//! Lets the hosts of a launch agree on the recorded ranks, by texts on a board that all of them read.
//!
//! In: the recorded ranks of each host. Out: one [`Verdict`], the same on all hosts. The lowest recorded rank of a host
//! speaks for it, and the speaker that has rank 0 decides; if there is none, the lowest of all ([`decider`]). The
//! others' lists go up a [`tree`]: each speaker [`gather`]s the lists of an interval of ranks, and posts one list for
//! all of them. Then all read the decider's verdict.
//!
//! No host knows which ranks speak, since hosts without the recorder post nothing. The order of ranks resolves this: if
//! all ranks below `x` are on the lists, `x` speaks for a host, or is not recorded. Where no rank answers, the decider
//! looks on until nothing new has come for [`PATIENCE`]. So it misses no speaker that posts in time, wherever its tree
//! has a gap. The board and the clock are handed in: the recorder's board is the launcher or a folder, that of the
//! tests is simulated.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! gather decider
//! host board
//! tree
//! ranks
//! ```

// No panic may reach the program.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod board;
mod decider;
mod gather;
mod host;
mod ranks;
mod tree;

use std::fmt;
use std::time::Duration;

use board::{Board, Pace};
pub use host::{LONGEST, PATIENCE, RecordedHost};
pub use ranks::RankRanges;

/// Latest time of a decision, since MPI_Init; a later one is [`Verdict::Unknown`].
const DECIDED: Duration = Duration::from_secs(20);

/// The recorded ranks that all hosts agree on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All ranks of the world.
    All,
    Ranks(RankRanges),
    /// The hosts could not agree.
    Unknown,
}

impl RecordedHost {
    /// Agrees with the other hosts on the recorded ranks. `None` if this host cannot write on the board.
    pub async fn agree(&self, board: &impl Board) -> Option<Verdict> {
        if !self.join(board, 0).await {
            return None;
        }
        if self.speaker == 0 {
            return Some(self.decide(board).await);
        }
        let verdict = self.follow(board, 0).await;
        if verdict.is_some() {
            return verdict;
        }
        // Rank 0 may come just now. It looks for this text after it has posted its ranks, so one of the two sees the other.
        board.post(board::LEFT, "left").await;
        if board.read(&board::here(0, 0)).await.is_some() {
            return verdict_of(board, 0).await;
        }
        let verdict = match self.lowest(board).await {
            Some(0) => return verdict_of(board, 0).await,
            Some(decider) if decider == self.speaker => self.decide(board).await,
            Some(decider) if self.join(board, decider).await => {
                self.follow(board, decider).await.unwrap_or(Verdict::Unknown)
            }
            _ => Verdict::Unknown,
        };
        Some(verdict)
    }

    /// Gives this host's ranks to a decider.
    async fn join(&self, board: &impl Board, decider: u32) -> bool {
        board.post(&board::here(decider, self.speaker), &self.ranks.to_string()).await
    }

    /// Gathers lists for a decider, and waits for its verdict. `None` if the decider does not show up.
    async fn follow(&self, board: &impl Board, decider: u32) -> Option<Verdict> {
        let list = self.gather(board, decider).await;
        // The decider can do without this list.
        board.post(&board::list(decider, self.speaker), &list.to_string()).await;
        verdict_of(board, decider).await
    }

    async fn decide(&self, board: &impl Board) -> Verdict {
        let list = self.gather_all(board).await;
        let verdict = match () {
            () if board.now() > DECIDED => Verdict::Unknown,
            () if self.speaker == 0 && board.read(board::LEFT).await.is_some() => Verdict::Unknown,
            () if list.count() == self.size => Verdict::All,
            () => Verdict::Ranks(list),
        };
        if board.post(&board::verdict(self.speaker), &verdict.to_string()).await { verdict } else { Verdict::Unknown }
    }
}

impl Verdict {
    /// The rank that has decided, the lowest that is recorded.
    pub fn decider(&self) -> Option<u32> {
        match self {
            Verdict::All => Some(0),
            Verdict::Ranks(ranks) => ranks.first(),
            Verdict::Unknown => None,
        }
    }

    /// The inverse of [`Display`](fmt::Display).
    pub fn parse(text: &str) -> Verdict {
        match text {
            "all" => Verdict::All,
            "nobody" => Verdict::Unknown,
            ranks => RankRanges::parse(ranks).map_or(Verdict::Unknown, Verdict::Ranks),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Verdict::All => to.write_str("all"),
            Verdict::Ranks(ranks) => ranks.fmt(to),
            Verdict::Unknown => to.write_str("nobody"),
        }
    }
}

/// Waits for a decider's verdict. `None` if the decider does not show up.
async fn verdict_of(board: &impl Board, decider: u32) -> Option<Verdict> {
    let (mut pace, mut is_here) = (Pace::new(board), false);
    while board.now() < LONGEST {
        let looked = board.now();
        if let Some(text) = board.read(&board::verdict(decider)).await {
            return Some(Verdict::parse(&text));
        }
        if looked >= PATIENCE && !is_here {
            is_here = board.read(&board::here(0, decider)).await.is_some();
            if !is_here {
                return None;
            }
        }
        pace.pause(board).await;
    }
    Some(Verdict::Unknown)
}

/// The result of a future whose board blocks, so that it never waits.
pub fn blocking<T>(future: impl Future<Output = T>) -> Option<T> {
    use std::task::{Context, Poll, Waker};
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}
