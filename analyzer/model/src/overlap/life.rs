//! One request's life, and many of what was posted at one place.

use super::rule::BoundRule;
use crate::sample::Sample;

/// A request from the begin of the call that posted it to the end of the call that completed it, or of the one that waited for it
/// when a test had. Nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct RequestLife {
    /// All of it, but what the recorder took to turn a page.
    pub whole: u64,
    /// That.
    pub turning: u64,
    /// In calls that post requests, this one or others.
    pub posting: u64,
    /// In calls that test.
    pub testing: u64,
    /// In calls that wait.
    pub waiting: u64,
    /// In other MPI calls, but those that read clocks and the like.
    pub elsewhere: u64,
    /// Until the transfer was over for certain.
    pub over: u64,
    /// Calls that tested it, or others.
    pub tests: u64,
    /// Calls that posted, tested and waited.
    pub calls: u64,
    /// What recording one of those calls takes a program that does nothing else, beside it.
    pub recording: u64,
    /// Between the posting and the completing call the engine was entered, or a test was made or completed it.
    pub progressed: bool,
    /// It was complete when the call that posted it returned.
    pub at_once: bool,
    /// MPI said that it was complete before the call that completed it began.
    pub early: bool,
}

/// Life outside the calls that post, test and wait that a program cannot do anything with: leaving a function, reading a clock, and the
/// recorder. Where caches are cold, as behind a call that takes long, these take more: a quarter of the calls' time, up to the second.
const NOTHING: [u64; 2] = [300, 1_000];
/// Up to so many times as much may be one or the other.
const UNCLEAR: u64 = 4;

impl RequestLife {
    /// Host overhead: time in the calls that post, test and wait.
    pub fn overhead(&self) -> u64 {
        self.posting.saturating_add(self.testing).saturating_add(self.waiting)
    }

    /// Time in MPI calls, those and others.
    pub fn in_mpi(&self) -> u64 {
        self.overhead().saturating_add(self.elsewhere)
    }

    /// Time outside of all MPI calls.
    pub fn computing(&self) -> u64 {
        self.whole.saturating_sub(self.in_mpi())
    }

    /// What lies between its calls, for each pair of them.
    pub fn between_calls(&self) -> Option<u64> {
        self.computing().checked_div(self.calls.saturating_sub(1))
    }

    /// Life outside those calls that is nothing, beside calls that take so long.
    fn nothing(&self) -> u64 {
        nothing(self.overhead())
    }

    /// How long the transfer took, of a request that was waited for right after: what lay between was no time to hide it in.
    pub fn transfer(&self) -> u64 {
        self.whole.saturating_sub(self.computing().min(self.nothing()))
    }

    /// Whether its wait followed its post at once: at most a fiftieth of its life was computed in, which is the document's threshold
    /// for transfers that no work has lengthened, or what no program computes anything in. A barrier between the two is no computation.
    pub fn is_direct(&self) -> bool {
        self.computing() <= (self.whole / 50).max(self.nothing())
    }

    /// Whether it cannot be told for itself: what lies between its calls may be the recorder's, or a short computation; and it may be a
    /// fiftieth of a life for no other reason than that the wait was interrupted.
    pub fn is_unclear(&self) -> bool {
        let (computing, nothing) = (self.computing(), self.nothing());
        computing > nothing && (computing <= UNCLEAR * nothing || self.is_direct())
    }

    /// Whether other MPI calls than those that post, test and wait took a part of its life worth naming.
    pub fn has_others(&self) -> bool {
        self.elsewhere > self.whole / 50
    }

    /// The parts of a life of which there are means.
    pub fn parts(&self) -> [u64; LIFE_PARTS] {
        [self.whole, self.posting, self.testing, self.waiting, self.elsewhere, self.calls, self.turning, 0]
    }
}

/// The whole of a life, posting, testing, waiting, other calls, the number of calls that post, test and wait, what the recorder took to
/// turn pages meanwhile, and what lay between the end and the next call.
pub const LIFE_PARTS: usize = 8;

fn nothing(overhead: u64) -> u64 {
    let [least, most] = NOTHING;
    (overhead / 4).clamp(least, most)
}

/// The lives of requests that have something in common.
#[derive(Clone, Default, Debug)]
pub struct Lives {
    /// How many.
    pub requests: u64,
    /// Those that were complete when the call that posted them returned.
    pub at_once: u64,
    /// Others that were waited for right after.
    pub direct: u64,
    /// Those that were completed later, with progress between.
    pub progressed: u64,
    /// And without.
    pub stalled: u64,
    /// Those whose bounds the engine's entries narrow.
    pub by_engine: u64,
    /// Those about which MPI was asked, and those of them that were complete before the call that completed them.
    pub asked: u64,
    /// See above.
    pub early: u64,
    /// Lives of those that were waited for right after, or for which nothing waited.
    pub of_direct: Sample<RequestLife>,
    /// Lives of the others.
    pub of_postponed: Sample<RequestLife>,
    /// What lay between their ends and the next calls.
    pub behind: Sample<u64>,
}

impl Lives {
    /// One more, as which it counts.
    pub fn add(&mut self, life: RequestLife, rule: BoundRule, is_direct: bool) {
        self.requests += 1;
        self.by_engine += u64::from(rule == BoundRule::Engine);
        self.asked += u64::from(rule == BoundRule::Asked);
        self.early += u64::from(life.early);
        let count = match life {
            life if life.at_once => &mut self.at_once,
            _ if is_direct => &mut self.direct,
            life if life.progressed => &mut self.progressed,
            _ => &mut self.stalled,
        };
        *count += 1;
        if is_direct { &mut self.of_direct } else { &mut self.of_postponed }.add(life);
    }

    /// Counts all that were waited for later as such as were waited for right after.
    pub fn as_direct(mut self) -> Lives {
        self.direct = self.direct.saturating_add(self.progressed).saturating_add(self.stalled);
        (self.progressed, self.stalled) = (0, 0);
        self.of_direct.merge(&std::mem::take(&mut self.of_postponed));
        self
    }

    /// Lives of those that were waited for right after, without those that only look so: where most had something to do first, one
    /// whose wait was interrupted for long had so, too, and its computation is a fiftieth of its life for no other reason.
    pub fn waited_right_after(&self) -> impl Iterator<Item = &RequestLife> + Clone {
        let is_rare = self.of_direct.count() < self.of_postponed.count();
        let typical = |of: fn(&RequestLife) -> u64| {
            let mut all: Vec<u64> = self.of_postponed.values().map(of).collect();
            all.sort_unstable();
            all.get(all.len() / 2).copied().unwrap_or(u64::MAX)
        };
        let most = match is_rare {
            true => (typical(|life| life.whole) / 50).max(nothing(typical(RequestLife::overhead))),
            false => u64::MAX,
        };
        self.of_direct.values().filter(move |life| life.computing() <= most)
    }

    /// Adds those of others.
    pub fn merge(&mut self, other: &Lives) {
        self.requests += other.requests;
        self.at_once += other.at_once;
        self.direct += other.direct;
        self.progressed += other.progressed;
        self.stalled += other.stalled;
        self.by_engine += other.by_engine;
        self.asked += other.asked;
        self.early += other.early;
        self.of_direct.merge(&other.of_direct);
        self.of_postponed.merge(&other.of_postponed);
        self.behind.merge(&other.behind);
    }

    /// By which rule their transfers are bounded.
    pub fn rule(&self) -> BoundRule {
        match self.requests {
            all if all == self.asked => BoundRule::Asked,
            all if all == self.by_engine => BoundRule::Engine,
            _ => BoundRule::Plain,
        }
    }
}
