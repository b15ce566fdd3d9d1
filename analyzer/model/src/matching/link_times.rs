//! Times of a rank at its links and at its positions between them, which other ranks look at while the run is replayed.
//!
//! In: busy times from the rank's matcher, delays from the replay. A block holds those of many links or positions, so that a message and a
//! link carry no times of their own. It lives as long as a message that refers to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// Number of links, or of positions, in a block.
pub const EACH: u64 = 64;

/// Each link's busy time and the delay after it, in each lane, nanoseconds. The rank's matcher fills in the one before it hands the link on,
/// the replay the other one under its lock.
#[derive(Debug)]
pub struct LinkBlock {
    lanes: usize,
    times: Box<[AtomicI64]>,
}

impl LinkBlock {
    pub fn new(lanes: usize) -> LinkBlock {
        LinkBlock { lanes, times: zeros(EACH as usize * 2 * lanes) }
    }

    fn of(&self, link: u64, which: usize) -> &[AtomicI64] {
        let at = ((link % EACH) as usize * 2 + which) * self.lanes;
        &self.times[at..at + self.lanes]
    }

    /// Busy time of the rank at a link, by the link's number.
    pub fn busy(&self, link: u64) -> &[AtomicI64] {
        self.of(link, 0)
    }

    /// Delays of the rank after a link.
    pub fn delays(&self, link: u64) -> &[AtomicI64] {
        self.of(link, 1)
    }
}

/// Stores times of all lanes.
pub fn put(places: &[AtomicI64], times: &[i64]) {
    for (place, time) in places.iter().zip(times) {
        place.store(*time, Relaxed);
    }
}

fn zeros(count: usize) -> Box<[AtomicI64]> {
    (0..count).map(|_| AtomicI64::new(0)).collect()
}

/// When a rank reaches a call that others wait for.
#[derive(Clone, Copy, Default, Debug)]
pub struct Reached {
    /// Time in the recorded run.
    pub at: i64,
    /// Time since the rank's position in its links: other threads may be ahead of the first.
    pub ahead: i64,
    /// Lanes in which the call is not made, by bits.
    pub absent: u64,
}

/// Position of a rank in its links. Shares the blocks of its times, so they live as long as the mark; without any if nothing is replayed.
#[derive(Clone, Default, Debug)]
pub struct Mark {
    block: Option<Arc<MarkBlock>>,
    at: u32,
}

/// Positions of a rank that lie between the same links of one block, or behind them.
#[derive(Debug)]
struct MarkBlock {
    lanes: usize,
    /// Block of the last link before the positions.
    links: Option<Arc<LinkBlock>>,
    /// Of each position the number of links so far, its [`Reached`], and the busy time in each lane.
    words: Box<[AtomicI64]>,
}

/// Words of a position before its busy times.
const HEAD: usize = 4;

impl MarkBlock {
    fn of(&self, at: u32) -> &[AtomicI64] {
        let words = HEAD + self.lanes;
        &self.words[at as usize * words..][..words]
    }
}

/// Makes the marks of one rank.
#[derive(Default)]
pub struct MarkMaker {
    block: Option<Arc<MarkBlock>>,
    next: u32,
}

impl MarkMaker {
    /// Begins a new block: the rank's links have one.
    pub fn turn(&mut self) {
        self.block = None;
    }

    /// A mark of a rank that has this busy time behind its first `number` links, the last of which is in `links`.
    pub fn mark(&mut self, (number, links): (u64, &Option<Arc<LinkBlock>>), busy: &[i64], reached: Reached) -> Mark {
        let block = match &self.block {
            Some(block) if u64::from(self.next) < EACH => block,
            _ => {
                let words = zeros(EACH as usize * (HEAD + busy.len()));
                let block = MarkBlock { lanes: busy.len(), links: links.clone(), words };
                self.next = 0;
                self.block.insert(Arc::new(block))
            }
        };
        let (at, words) = (self.next, block.of(self.next));
        put(words, &[number as i64, reached.at, reached.ahead, reached.absent as i64]);
        put(&words[HEAD..], busy);
        let mark = Mark { block: Some(Arc::clone(block)), at };
        self.next += 1;
        mark
    }
}

impl Mark {
    fn word(&self, which: usize) -> i64 {
        self.block.as_ref().map_or(0, |block| block.of(self.at)[which].load(Relaxed))
    }

    /// Number of links before it.
    pub fn number(&self) -> u64 {
        self.word(0) as u64
    }

    /// Time at which the rank passes it in the recorded run.
    pub fn recorded(&self) -> i64 {
        self.word(1)
    }

    /// Time at which the rank passes the position in each lane, once the links before it are replayed; the earliest of all if it does not.
    pub fn passed(&self) -> impl Iterator<Item = i64> {
        let block = self.block.as_deref();
        let words = block.map_or(&[][..], |block| block.of(self.at));
        let ahead = words.get(2).map_or(0, |ahead| ahead.load(Relaxed));
        let absent = words.get(3).map_or(0, |absent| absent.load(Relaxed) as u64);
        let links = block.and_then(|block| block.links.as_deref());
        let delays = self.number().checked_sub(1).zip(links).map(|(last, links)| links.delays(last));
        words.iter().skip(HEAD).enumerate().map(move |(lane, time)| {
            if absent >> lane & 1 == 1 {
                return i64::MIN;
            }
            let delay = delays.map_or(0, |delays| delays[lane].load(Relaxed));
            time.load(Relaxed).saturating_add(delay).saturating_add(ahead)
        })
    }
}
