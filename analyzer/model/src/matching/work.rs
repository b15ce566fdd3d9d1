//! Matches the ranks turn by turn, and delivers the letters between them.

use std::sync::Mutex;

use super::Letter;
use super::handed_on::HandedOn;
use super::rank::RankMatcher;
use super::schedule::{Schedule, TURN};
use crate::parallel::lock;

/// The ranks and their inboxes.
pub struct Work<'a, 'r> {
    ranks: &'a [Mutex<RankMatcher<'r>>],
    inboxes: Vec<Mutex<Vec<Letter>>>,
    handed_on: &'a HandedOn,
}

impl<'a, 'r> Work<'a, 'r> {
    pub fn new(ranks: &'a [Mutex<RankMatcher<'r>>], handed_on: &'a HandedOn) -> Work<'a, 'r> {
        Work { ranks, inboxes: ranks.iter().map(|_| Mutex::default()).collect(), handed_on }
    }

    /// Takes turns until no rank has calls left.
    pub fn run(&self) {
        Schedule::of(self.ranks.iter().map(|rank| lock(rank).next())).run(|turn| {
            let mut rank = lock(&self.ranks[turn.rank]);
            let letters = std::mem::take(&mut *lock(&self.inboxes[turn.rank]));
            letters.into_iter().for_each(|letter| rank.read(letter));
            rank.go_on(TURN);
            self.deliver(&mut rank);
            rank.hand_on(self.handed_on);
            turn.next = rank.next();
        });
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
