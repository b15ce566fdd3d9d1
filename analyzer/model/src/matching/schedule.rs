//! Gives ranks their turns, the one furthest behind first.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use crate::parallel::lock;

/// Number of calls that a rank processes before the next rank has its turn.
pub const TURN: usize = 256;
/// Maximum lead of the newest turn over the oldest unfinished one, in turns per rank.
const LEAD: u64 = 4;

/// The turns of all ranks.
pub struct Schedule {
    turns: Mutex<Turns>,
    /// Wakes workers that found no rank to take.
    more: Condvar,
    /// Maximum number of turns taken since the oldest unfinished one.
    most: u64,
}

#[derive(Default)]
struct Turns {
    /// Ranks with calls left that no worker has taken, by the begin of their next call.
    ranks: BinaryHeap<Reverse<(i64, usize)>>,
    /// Turns that were taken before.
    taken: u64,
    /// Numbers of the turns that are not over.
    busy: BTreeSet<u64>,
}

/// A rank that a worker has taken, and the begin of the rank's next call if it has any left. Dropped in a panic too, so that the other
/// workers do not wait for ever.
pub struct Turn<'s> {
    schedule: &'s Schedule,
    number: u64,
    pub rank: usize,
    pub next: Option<i64>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut turns = lock(&self.schedule.turns);
        let was_oldest = turns.busy.first() == Some(&self.number);
        turns.busy.remove(&self.number);
        turns.ranks.extend(self.next.map(|next| Reverse((next, self.rank))));
        if was_oldest {
            self.schedule.more.notify_all();
        } else if turns.ranks.len() > 1 {
            // One of the ranks is for this worker itself.
            self.schedule.more.notify_one();
        }
    }
}

impl Schedule {
    /// `begins`: the begin of each rank's first call, if it has any.
    pub fn of(begins: impl ExactSizeIterator<Item = Option<i64>>) -> Schedule {
        let most = LEAD * begins.len() as u64;
        let ranks = begins.enumerate().filter_map(|(at, begin)| Some(Reverse((begin?, at)))).collect();
        Schedule { turns: Mutex::new(Turns { ranks, ..Turns::default() }), more: Condvar::new(), most }
    }

    /// Lets as many workers as there are processors take turns, until no rank has calls left.
    pub fn run(&self, turn: impl Fn(&mut Turn<'_>) + Sync) {
        let ranks = lock(&self.turns).ranks.len();
        let workers = thread::available_parallelism().map_or(1, |count| count.get()).min(ranks);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(mut taken) = self.take() {
                        turn(&mut taken);
                    }
                });
            }
        });
    }

    /// Takes the rank furthest behind. Sleeps while other workers hold all ranks that have calls left, or while one worker holds its
    /// rank for so long that what the others do for it would fill memory.
    fn take(&self) -> Option<Turn<'_>> {
        let mut turns = lock(&self.turns);
        loop {
            let number = turns.taken;
            let is_near = turns.busy.first().is_none_or(|oldest| number - oldest < self.most);
            if is_near && let Some(Reverse((_, rank))) = turns.ranks.pop() {
                turns.taken += 1;
                turns.busy.insert(number);
                return Some(Turn { schedule: self, number, rank, next: None });
            }
            if turns.busy.is_empty() {
                return None;
            }
            turns = self.more.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
