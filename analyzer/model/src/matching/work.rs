//! Gives the ranks their turns, the one furthest behind first, and delivers the letters between them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::{Condvar, Mutex, PoisonError};

use super::Letter;
use super::handed_on::HandedOn;
use super::rank::RankMatcher;
use crate::parallel::lock;

/// Number of calls that a rank processes before the next rank has its turn.
const TURN: usize = 256;
/// Maximum lead of the newest turn over the oldest unfinished one, in turns per rank.
const LEAD: u64 = 4;

/// Schedule of the ranks, and their inboxes.
pub struct Work<'a, 'r> {
    ranks: &'a [Mutex<RankMatcher<'r>>],
    turns: Mutex<Turns>,
    /// Wakes workers that found no rank to take.
    more: Condvar,
    inboxes: Vec<Mutex<Vec<Letter>>>,
    handed_on: &'a HandedOn,
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
struct Turn<'w, 'a, 'r> {
    work: &'w Work<'a, 'r>,
    number: u64,
    rank: usize,
    next: Option<i64>,
}

impl Drop for Turn<'_, '_, '_> {
    fn drop(&mut self) {
        let mut turns = lock(&self.work.turns);
        let was_oldest = turns.busy.first() == Some(&self.number);
        turns.busy.remove(&self.number);
        turns.ranks.extend(self.next.map(|next| Reverse((next, self.rank))));
        if was_oldest {
            self.work.more.notify_all();
        } else if turns.ranks.len() > 1 {
            // One of the ranks is for this worker itself.
            self.work.more.notify_one();
        }
    }
}

impl<'a, 'r> Work<'a, 'r> {
    pub fn new(ranks: &'a [Mutex<RankMatcher<'r>>], handed_on: &'a HandedOn) -> Work<'a, 'r> {
        let first = ranks.iter().enumerate().filter_map(|(at, rank)| Some(Reverse((lock(rank).next()?, at)))).collect();
        let inboxes = ranks.iter().map(|_| Mutex::default()).collect();
        Work {
            ranks,
            turns: Mutex::new(Turns { ranks: first, ..Turns::default() }),
            more: Condvar::new(),
            inboxes,
            handed_on,
        }
    }

    /// Takes turns until no rank has calls left.
    pub fn run(&self) {
        let mut letters = Vec::new();
        while let Some(mut turn) = self.take() {
            let mut rank = lock(&self.ranks[turn.rank]);
            std::mem::swap(&mut *lock(&self.inboxes[turn.rank]), &mut letters);
            letters.drain(..).for_each(|letter| rank.read(letter));
            rank.go_on(TURN);
            self.deliver(&mut rank);
            rank.hand_on(self.handed_on);
            turn.next = rank.next();
        }
    }

    /// Takes the rank furthest behind. Sleeps while other workers hold all ranks that have calls left, or while one worker holds its
    /// rank for so long that the others' letters to it would fill memory.
    fn take(&self) -> Option<Turn<'_, 'a, 'r>> {
        let most = LEAD * self.ranks.len() as u64;
        let mut turns = lock(&self.turns);
        loop {
            let number = turns.taken;
            let is_near = turns.busy.first().is_none_or(|oldest| number - oldest < most);
            if is_near && let Some(Reverse((_, rank))) = turns.ranks.pop() {
                turns.taken += 1;
                turns.busy.insert(number);
                return Some(Turn { work: self, number, rank, next: None });
            }
            if turns.busy.is_empty() {
                return None;
            }
            turns = self.more.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Delivers letters until none are left; all calls were seen before.
    pub fn empty_inboxes(&self) {
        loop {
            let mut any = false;
            for (inbox, rank) in self.inboxes.iter().zip(self.ranks) {
                let letters = std::mem::take(&mut *lock(inbox));
                let mut rank = lock(rank);
                any |= !letters.is_empty();
                letters.into_iter().for_each(|letter| rank.read(letter));
                self.deliver(&mut rank);
            }
            if !any {
                return;
            }
        }
    }

    /// Finds the causes of calls that have not returned; all letters were read before. With `is_whole`, an event that no rank recorded
    /// did not happen.
    pub fn judge_open(&self, is_whole: bool) {
        if !self.ranks.iter().any(|rank| lock(rank).has_open()) {
            return;
        }
        for rank in self.ranks {
            let mut rank = lock(rank);
            rank.tell_posted();
            self.deliver(&mut rank);
        }
        self.empty_inboxes();
        for rank in self.ranks {
            lock(rank).judge_open(is_whole);
        }
    }

    fn deliver(&self, rank: &mut RankMatcher<'_>) {
        for (to, letters) in rank.letters.by_receiver() {
            let mut inbox = lock(&self.inboxes[to as usize]);
            if inbox.is_empty() {
                std::mem::swap(&mut *inbox, letters);
            } else {
                inbox.append(letters);
            }
        }
    }
}
