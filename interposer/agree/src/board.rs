//! The board that hosts share, and the names and texts on it.

use std::time::Duration;

/// Texts by name, each written once, by one host.
#[allow(async_fn_in_trait, reason = "no future leaves its thread")]
pub trait Board {
    /// Writes a text. Returns true if others can read it.
    async fn post(&self, name: &str, text: &str) -> bool;
    /// The text of a name, if it was written.
    async fn read(&self, name: &str) -> Option<String>;
    /// The speakers that have posted [`here`] for a decider, in order; `None` if this board cannot tell.
    async fn speakers(&self, decider: u32) -> Option<Vec<u32>>;
    /// Time since MPI was initialized on this host.
    fn now(&self) -> Duration;
    async fn pause(&self, time: Duration);
}

/// The name of the text by which a speaker gives its host's ranks to a decider.
pub fn here(decider: u32, speaker: u32) -> String {
    format!("here.{decider}.{speaker}")
}

/// The name of the list that a speaker has gathered for a decider.
pub fn list(decider: u32, speaker: u32) -> String {
    format!("list.{decider}.{speaker}")
}

/// The name of the text in which a speaker names the decider that it follows, if that is not rank 0.
pub fn follows(speaker: u32) -> String {
    format!("follows.{speaker}")
}

/// The name of the text that a host writes when it no longer waits for rank 0.
pub const LEFT: &str = "left";

/// The name of a decider's verdict.
pub fn verdict(decider: u32) -> String {
    format!("verdict.{decider}")
}

/// Pauses between looks at the board. They grow with the time waited, so the number of looks grows with its logarithm.
pub struct Pace {
    began: Duration,
    longest: Duration,
}

impl Pace {
    const SHORTEST: Duration = Duration::from_millis(1);
    const LONGEST: Duration = Duration::from_millis(250);
    /// For the decider, since all hosts wait for it.
    const OF_DECIDER: Duration = Duration::from_millis(50);

    pub fn new(board: &impl Board) -> Pace {
        Pace { began: board.now(), longest: Pace::LONGEST }
    }

    pub fn decider(board: &impl Board) -> Pace {
        Pace { began: board.now(), longest: Pace::OF_DECIDER }
    }

    pub async fn pause(&mut self, board: &impl Board) {
        let waited = board.now().saturating_sub(self.began);
        board.pause((waited / 4).clamp(Pace::SHORTEST, self.longest)).await;
    }
}
