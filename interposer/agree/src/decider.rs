//! Finds the decider if the host of rank 0 is not recorded: the lowest speaker.

use std::time::Duration;

use crate::board::{self, Board, Pace};
use crate::host::{LONGEST, RecordedHost};

/// Time since MPI_Init at which a search for the lowest speaker fails.
const SEARCHED: Duration = Duration::from_secs(8);
/// Time since MPI_Init at which a search ends that asks every rank, and would ask hundreds of thousands.
const SEARCHED_FINELY: Duration = Duration::from_secs(5);

impl RecordedHost {
    /// The speaker that decides; `None` if the speaker that this host follows does not name it.
    pub(crate) async fn lowest(&self, board: &impl Board) -> Option<u32> {
        if let Some(speakers) = board.speakers(0).await {
            return Some(speakers.first().map_or(self.speaker, |first| self.speaker.min(*first)));
        }
        let decider = self.search(board).await?;
        board.post(&board::follows(self.speaker), &decider.to_string()).await.then_some(decider)
    }

    /// Finds the lowest speaker on a board that cannot list them. A speaker above in the tree knows it; a host without
    /// such a speaker looks for it, unless that takes too long.
    async fn search(&self, board: &impl Board) -> Option<u32> {
        let placement = self.placement();
        for above in placement.ancestors() {
            if board.read(&board::here(0, above)).await.is_some() {
                return followed(board, above).await;
            }
        }
        for lower in (0..self.speaker).step_by(placement.run as usize) {
            if board.read(&board::here(0, lower)).await.is_some() {
                return followed(board, lower).await;
            }
            if board.now() > SEARCHED {
                return None;
            }
        }
        // Other hosts may have other ranks than this host's own ranks suggest.
        for lower in (0..self.speaker).rev().take_while(|_| board.now() < SEARCHED_FINELY) {
            if board.read(&board::here(0, lower)).await.is_some() {
                return followed(board, lower).await;
            }
        }
        Some(self.speaker)
    }
}

/// The decider that another speaker follows.
async fn followed(board: &impl Board, speaker: u32) -> Option<u32> {
    let mut pace = Pace::new(board);
    while board.now() < LONGEST {
        if let Some(decider) = board.read(&board::follows(speaker)).await {
            return decider.parse().ok();
        }
        pace.pause(board).await;
    }
    None
}
