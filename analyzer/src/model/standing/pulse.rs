//! What of a rank's file changes when a thread of the rank does anything in MPI: two looks at it tell whether it did.

use traces::file::{LEVELS, Level};
use traces::progress::{INSIDE, Polls};
use traces::read::{RankFile, ThreadPages};

/// See the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pulse {
    state: u32,
    threads: Vec<ThreadPulse>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ThreadPulse {
    number: u32,
    depth: u32,
    levels: [Level; LEVELS],
    /// Pages of records, words in the last, and calls that are counted in their place.
    recorded: (usize, usize, u64),
    polls: Polls,
    productive: u64,
}

/// What a rank did between two looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stir {
    /// Nothing: it is where it was.
    None,
    /// It asked again for what it had asked for in vain before, as MPI_Test and MPI_Iprobe do.
    Polls,
    /// It stayed in its call, and the progress engine achieved something there.
    Progress,
    /// It made calls.
    Calls,
}

impl Pulse {
    /// A rank's at this moment.
    pub fn of(trace: &RankFile) -> Pulse {
        Pulse { state: trace.header().state, threads: trace.contents().threads.iter().map(of_thread).collect() }
    }

    /// What the threads of the later look did since this one, by number. Those that are new have made calls, and so have all where MPI
    /// was initialized or finalized meanwhile.
    pub fn until(&self, later: &Pulse) -> Vec<(u32, Stir)> {
        let stir = |after: &ThreadPulse| {
            let before = self.threads.iter().find(|before| before.number == after.number);
            before.filter(|_| self.state == later.state).map_or(Stir::Calls, |before| before.until(after))
        };
        later.threads.iter().map(|thread| (thread.number, stir(thread))).collect()
    }
}

impl ThreadPulse {
    fn until(&self, later: &ThreadPulse) -> Stir {
        let still = ThreadPulse { productive: later.productive, ..*self };
        match (still == *later, self.productive == later.productive) {
            (true, true) => Stir::None,
            (true, false) => Stir::Progress,
            (false, true) if self.recorded == later.recorded && self.asks_on(later) => Stir::Polls,
            (false, _) => Stir::Calls,
        }
    }

    /// Whether both looks saw it ask for the same, between two of these calls or in one.
    fn asks_on(&self, later: &ThreadPulse) -> bool {
        let asks = |pulse: &ThreadPulse| {
            pulse.polls.count > 0 && (pulse.depth == 0 || pulse.levels[0].signature == pulse.polls.signature)
        };
        let of = |pulse: &ThreadPulse| (pulse.polls.start, pulse.polls.signature);
        asks(self) && asks(later) && of(self) == of(later)
    }
}

fn of_thread(thread: &ThreadPages<'_>) -> ThreadPulse {
    // Levels below the depth hold what was there before.
    let (depth, mut levels) = thread.block.map_or((0, [NOWHERE; LEVELS]), |block| (block.depth, block.levels));
    levels.iter_mut().skip(depth as usize).for_each(|level| *level = NOWHERE);
    // Only the last page grows.
    let words = thread.pages.last().map_or(0, |page| page.words.iter().take_while(|word| **word != 0).count());
    let counted = thread.profile.iter().map(|entry| entry.count).sum();
    let polls = thread.block.map_or_else(Polls::default, |block| block.polls);
    let productive = thread.block.map_or(0, |block| block.ledger[INSIDE].calls.productive);
    ThreadPulse {
        number: thread.number,
        depth,
        levels,
        recorded: (thread.pages.len(), words, counted),
        polls,
        productive,
    }
}

const NOWHERE: Level = Level { start: 0, signature: 0 };
