//! Gathers the lists of an interval of ranks, in the order of ranks.

use std::ops::Range;
use std::time::Duration;

use crate::board::{self, Board, Pace};
use crate::host::{PATIENCE, RecordedHost};
use crate::ranks::RankRanges;

/// Time that a gatherer waits for hosts to show up, since it began.
const SHOWN_UP: Duration = Duration::from_secs(1);
/// Further time that the gatherer waits for lists, in answers, for each level of the tree below it. Then it does
/// without the list: it takes the ranks of that host alone, and reads the lists that the host would have gathered.
const ANSWERS_A_LEVEL: u32 = 4;
/// Longest further time that it waits for lists.
const LISTED: Duration = Duration::from_secs(5);
/// Time since MPI_Init at which the decider stops looking in any case.
const ALL_LISTED: Duration = Duration::from_secs(15);

/// The lists read so far.
struct Gathered {
    ranks: RankRanges,
    began: Duration,
    /// Time when ranks were added last.
    news: Duration,
    /// Number of questions, and the total time of their answers.
    asked: u32,
    answered: Duration,
}

/// A look at every rank of an interval that is on no list yet.
struct Sweep {
    decider: u32,
    interval: Range<u32>,
    /// If a rank does not answer, the search for the next speaker continues this many ranks further.
    step: u32,
    /// True to wait for each speaker, and for its list, before going on.
    waits: bool,
}

impl RecordedHost {
    /// The list of this host and those below it in the tree.
    pub(crate) async fn gather(&self, board: &impl Board, decider: u32) -> RankRanges {
        let mut gathered = Gathered::new(&self.ranks, board);
        let placement = self.placement();
        Sweep { decider, interval: placement.interval(), step: placement.run, waits: true }
            .run(board, &mut gathered)
            .await;
        gathered.ranks
    }

    /// Gathers the list of all recorded ranks, as their decider.
    pub(crate) async fn gather_all(&self, board: &impl Board) -> RankRanges {
        let mut gathered = Gathered::new(&self.ranks, board);
        let mut pace = Pace::decider(board);
        let coarse = self.placement().run;
        let mut sweep = Sweep { decider: self.speaker, interval: self.speaker..self.size, step: coarse, waits: true };
        loop {
            let (began, news) = (board.now(), gathered.news);
            sweep.run(board, &mut gathered).await;
            let is_over = began >= gathered.news + PATIENCE || board.now() >= ALL_LISTED;
            if is_over || gathered.ranks.next_missing(self.speaker) >= self.size {
                return gathered.ranks;
            }
            if gathered.news > news {
                pace = Pace::decider(board);
            }
            pace.pause(board).await;
            // Other hosts may have other ranks than this host's own ranks suggest.
            let step = if sweep.step == coarse { 1 } else { coarse };
            sweep = Sweep { step, waits: false, ..sweep };
        }
    }
}

impl Sweep {
    async fn run(&self, board: &impl Board, gathered: &mut Gathered) {
        let (mut from, began) = (self.interval.start, board.now());
        let mut speakers = if self.waits { None } else { board.speakers(self.decider).await };
        loop {
            let next = match &speakers {
                None => Some(gathered.ranks.next_missing(from)),
                Some(speakers) => next_missing_of(speakers, from, &gathered.ranks),
            };
            let Some(rank) = next.filter(|rank| *rank < self.interval.end) else { return };
            if self.look(board, rank, gathered).await {
                continue;
            }
            if board.now() > ALL_LISTED.min(began.max(gathered.news) + PATIENCE) {
                return;
            }
            if speakers.is_none() {
                speakers = board.speakers(self.decider).await;
            }
            from = if speakers.is_some() { rank + 1 } else { rank.saturating_add(self.step) };
        }
    }

    /// Adds the list of a speaker or, if the list does not come, the speaker's own ranks. Returns true if the speaker
    /// is there.
    async fn look(&self, board: &impl Board, speaker: u32, gathered: &mut Gathered) -> bool {
        let mut pace = Pace::new(board);
        loop {
            let looked = board.now();
            // If no speaker is expected there, one question must do.
            if !self.waits && board.read(&board::here(self.decider, speaker)).await.is_none() {
                return false;
            }
            let list = board.read(&board::list(self.decider, speaker)).await;
            gathered.asked += 1;
            gathered.answered += board.now().saturating_sub(looked);
            if let Some(text) = list {
                gathered.add(board, speaker, &text);
                return true;
            }
            if !self.waits || looked >= gathered.began + SHOWN_UP {
                let here = board.read(&board::here(self.decider, speaker)).await;
                let is_late = looked >= gathered.began + SHOWN_UP + self.patience(gathered);
                match here {
                    None => return false,
                    Some(text) if is_late => {
                        gathered.add(board, speaker, &text);
                        return true;
                    }
                    Some(_) => {}
                }
            }
            pace.pause(board).await;
        }
    }

    /// Longest time that a list may take: the time of the lists below it in the tree, if hosts are as far apart as
    /// expected.
    fn patience(&self, gathered: &Gathered) -> Duration {
        let levels = (self.interval.len() as u32 / self.step).max(1).ilog2();
        (gathered.answered / gathered.asked.max(1) * ANSWERS_A_LEVEL * levels).min(LISTED)
    }
}

/// The next speaker whose ranks are missing.
fn next_missing_of(speakers: &[u32], from: u32, ranks: &RankRanges) -> Option<u32> {
    let behind = speakers.get(speakers.partition_point(|speaker| *speaker < from)..)?;
    behind.iter().copied().find(|speaker| !ranks.contains(*speaker))
}

impl Gathered {
    fn new(own: &RankRanges, board: &impl Board) -> Gathered {
        let now = board.now();
        Gathered { ranks: own.clone(), began: now, news: now, asked: 0, answered: Duration::ZERO }
    }

    fn add(&mut self, board: &impl Board, speaker: u32, text: &str) {
        self.news = board.now();
        // Otherwise a text that is no list would be read again and again.
        self.ranks.add(&RankRanges::parse(text).unwrap_or_else(|| [speaker].into_iter().collect()));
    }
}
