//! The life of a request, and sums over the requests of one posting.

use super::rule::BoundRule;
use crate::sample::Sample;

/// A request, from the begin of the posting call to the end of the completing call, or of the wait after a test that completed it.
/// Nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct RequestLife {
    /// The whole life, without the recorder's page turns.
    pub whole: u64,
    /// Time of the recorder's page turns.
    pub turning: u64,
    /// Time in calls that post requests, this one or others.
    pub posting: u64,
    /// Time in calls that test.
    pub testing: u64,
    /// Time in calls that wait.
    pub waiting: u64,
    pub elsewhere: u64,
    /// From the post until the transfer was certainly over.
    pub over: u64,
    /// Number of tests, of this request or others.
    pub tests: u64,
    /// Number of calls that posted, tested and waited.
    pub calls: u64,
    /// Cost of recording one of those calls, in a program that does nothing else.
    pub recording: u64,
    /// Between post and completion the engine was entered, or a test was made or completed it.
    pub progressed: bool,
    /// The request was complete when the posting call returned.
    pub at_once: bool,
    /// MPI reported it complete before the completing call began.
    pub early: bool,
}

/// Negligible time outside the calls that post, test and wait: function returns, clock reads, the recorder. With cold caches, as
/// after a long call, these take longer: a quarter of the calls' time, between the two limits.
const NOTHING: [u64; 2] = [300, 1_000];
/// Up to this multiple of the negligible time, it is unclear whether the program computed.
const UNCLEAR: u64 = 4;

impl RequestLife {
    /// Host overhead: time in the calls that post, test and wait.
    pub fn overhead(&self) -> u64 {
        self.posting.saturating_add(self.testing).saturating_add(self.waiting)
    }

    /// Time in all MPI calls.
    pub fn in_mpi(&self) -> u64 {
        self.overhead().saturating_add(self.elsewhere)
    }

    /// Time outside MPI calls.
    pub fn computing(&self) -> u64 {
        self.whole.saturating_sub(self.in_mpi())
    }

    /// Mean time between successive calls.
    pub fn between_calls(&self) -> Option<u64> {
        self.computing().checked_div(self.calls.saturating_sub(1))
    }

    /// Negligible time outside the calls, given the calls' duration.
    fn nothing(&self) -> u64 {
        nothing(self.overhead())
    }

    /// Duration of the transfer, for a request that was waited for at once: the time between its calls hides nothing.
    pub fn transfer(&self) -> u64 {
        self.whole.saturating_sub(self.computing().min(self.nothing()))
    }

    /// True if the wait followed the post at once: computation is at most a fiftieth of the life, the threshold
    /// for transfers that no work has lengthened, or negligible. A barrier between the two is no computation.
    pub fn is_direct(&self) -> bool {
        self.computing() <= (self.whole / 50).max(self.nothing())
    }

    /// True if the request alone cannot decide: the time between its calls may be the recorder's or a short computation, or it may
    /// be a fiftieth of the life only because the wait was interrupted.
    pub fn is_unclear(&self) -> bool {
        let (computing, nothing) = (self.computing(), self.nothing());
        computing > nothing && (computing <= UNCLEAR * nothing || self.is_direct())
    }

    /// True if other MPI calls than those that post, test and wait took more than a fiftieth of its life.
    pub fn has_others(&self) -> bool {
        self.elsewhere > self.whole / 50
    }

    /// The parts of a life that are averaged, in the order of [`LIFE_PARTS`].
    pub fn parts(&self) -> [u64; LIFE_PARTS] {
        [self.whole, self.posting, self.testing, self.waiting, self.elsewhere, self.calls, self.turning, 0]
    }
}

/// Number of averaged parts: whole life, posting, testing, waiting, other calls, number of calls that post, test and wait, page
/// turns, and the time from the end to the next call.
pub const LIFE_PARTS: usize = 8;

fn nothing(overhead: u64) -> u64 {
    let [least, most] = NOTHING;
    (overhead / 4).clamp(least, most)
}

/// Sums over the lives of similar requests.
#[derive(Clone, Default, Debug)]
pub struct Lives {
    pub requests: u64,
    /// Requests that were complete when the posting call returned.
    pub at_once: u64,
    /// Other requests that were waited for at once.
    pub direct: u64,
    /// Requests that were completed later, with progress between.
    pub progressed: u64,
    /// Requests that were completed later, without progress between.
    pub stalled: u64,
    /// Requests whose bounds the engine's entries narrow.
    pub by_engine: u64,
    /// Requests whose state the recorder asked MPI for, and those of them that were complete before the completing call.
    pub asked: u64,
    pub early: u64,
    /// Lives of requests that were waited for at once, or that nothing waited for.
    pub of_direct: Sample<RequestLife>,
    /// Lives of the others.
    pub of_postponed: Sample<RequestLife>,
    /// Times from the end of a life to the next call.
    pub behind: Sample<u64>,
}

impl Lives {
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

    /// Counts all requests as waited for at once.
    pub fn as_direct(mut self) -> Lives {
        self.direct = self.direct.saturating_add(self.progressed).saturating_add(self.stalled);
        (self.progressed, self.stalled) = (0, 0);
        self.of_direct.merge(&std::mem::take(&mut self.of_postponed));
        self
    }

    /// Lives of requests that were waited for at once. An interrupted wait makes a life so long that work before it is less than a
    /// fiftieth of it: if most requests of the posting had work first, only lives count whose computation is at most a fiftieth of
    /// the median life, or negligible.
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

    /// The rule that bounds all their transfers.
    pub fn rule(&self) -> BoundRule {
        match self.requests {
            all if all == self.asked => BoundRule::Asked,
            all if all == self.by_engine => BoundRule::Engine,
            _ => BoundRule::Plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_waits_after_some_work_tell_the_transfer_unless_most_requests_had_work_first() {
        let life = |computing: u64, waiting: u64| RequestLife {
            whole: 100 + computing + waiting,
            posting: 100,
            waiting,
            ..RequestLife::default()
        };
        let counted = |interrupted: u64, postponed: u64| {
            let mut lives = Lives::default();
            for _ in 0..interrupted {
                lives.add(life(15_000, 1_000_000), BoundRule::Plain, true);
            }
            for _ in 0..postponed {
                lives.add(life(50_000, 1_000), BoundRule::Plain, false);
            }
            lives.add(life(200, 60_000), BoundRule::Plain, true);
            lives.waited_right_after().count()
        };
        assert_eq!([counted(3, 5), counted(4, 5), counted(5, 5)], [1, 5, 6]);
    }
}
