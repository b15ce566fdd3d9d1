//! Wait states, added up: who waited where, for whom.
//!
//! Definitions after Scalasca's catalogue of performance properties (Geimer, Wolf et al.: "The Scalasca performance toolset
//! architecture", 2010), except where a comment says otherwise.

use rustc_hash::FxHashMap;

use super::Follow;
use crate::roles::SpottedSite;
use crate::sums::Grow;

macro_rules! wait_states {
    ($($(#[$meaning:meta])* $state:ident $name:literal;)*) => {
        /// Why a call waits for another rank.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum WaitState { $($(#[$meaning])* $state),* }

        impl WaitState {
            /// All of them.
            pub const ALL: &'static [WaitState] = &[$(WaitState::$state),*];

            /// Its name in reports.
            pub fn name(self) -> &'static str {
                match self { $(WaitState::$state => $name),* }
            }
        }
    };
}

wait_states! {
    /// A receive, or its completion, began before the message was sent. Until the send begins.
    LateSender "late_sender";
    /// The same, where a message was there already that the rank received only later.
    WrongOrder "wrong_order";
    /// A send, or its completion, lasted until the receive was posted. Until then.
    LateReceiver "late_receiver";
    /// MPI_Barrier: until the last rank entered.
    WaitAtBarrier "wait_at_barrier";
    /// MPI_Barrier: from when the first rank left it.
    BarrierCompletion "barrier_completion";
    /// MPI_Allreduce, MPI_Alltoall and the like: until the last rank entered.
    WaitAtNxn "wait_at_nxn";
    /// The same calls: from when the first rank left them.
    NxnCompletion "nxn_completion";
    /// MPI_Bcast, MPI_Scatter: until the root entered.
    LateBroadcast "late_broadcast";
    /// MPI_Reduce, MPI_Gather at the root: until the last rank entered.
    EarlyReduce "early_reduce";
    /// MPI_Scan, MPI_Exscan: until the last of the lower ranks entered.
    EarlyScan "early_scan";
    /// MPI_Win_fence: until the last rank entered.
    WaitAtFence "wait_at_fence";
    /// Making a communicator, window or file: until the last rank entered.
    WaitAtCreate "wait_at_create";
    /// MPI_Win_start, or where the library puts it off MPI_Win_complete, lasted until the last of the targets entered
    /// MPI_Win_post. Until then.
    LatePost "late_post";
    /// MPI_Win_wait: until the last of the origins entered MPI_Win_complete.
    EarlyWait "early_wait";
    /// MPI_Win_lock lasted until another rank unlocked that target, and one of the two locks was exclusive: until the last such
    /// rank entered MPI_Win_unlock. Not in Scalasca's catalogue as it is here. It is assumed that a rank holds a lock from the
    /// end of its MPI_Win_lock to the begin of its MPI_Win_unlock, so nothing is found where a library gets the lock
    /// later; of those that overhear is tested with, none does. MPI_Win_lock_all neither waits nor holds here.
    LockContention "lock_contention";
    /// MPI_Neighbor_allgather, MPI_Neighbor_alltoall and the like: until the last of those that the rank receives from
    /// entered. Not in Scalasca's catalogue.
    WaitAtNeighbors "wait_at_neighbors";
}

/// A place of a rank: its place in [`Run::ranks`](crate::Run::ranks), and the function and call site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RankSite {
    /// The rank.
    pub rank: u32,
    /// The function and call site, of a call that is asked about or not.
    pub place: SpottedSite,
}

/// What waits are added up by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WaitKey {
    /// Why.
    pub state: WaitState,
    /// Who waited.
    pub waiter: RankSite,
    /// For whom; the same where no single one was late.
    pub cause: RankSite,
}

/// Waits of one kind, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WaitSum {
    /// Time.
    pub time: i64,
    /// How many.
    pub count: u64,
    /// The longest.
    pub longest: i64,
    /// By how much the time may be off.
    pub error: i64,
    /// How many of them go on: what the call waits for has not happened.
    pub open: u64,
}

/// Waits added up.
#[derive(Default)]
pub struct Waits {
    /// Those longer than the clocks' error.
    pub sums: FxHashMap<WaitKey, WaitSum>,
    /// The others: neither waits nor none.
    pub unresolved: FxHashMap<WaitState, WaitSum>,
    /// Each of them as a way to another rank, where that was asked for.
    pub jumps: Vec<Jump>,
    /// Each of those that are added up, where that was asked for.
    pub spans: Vec<WaitSpan>,
    follow: Follow,
}

/// A wait that is added up, by itself. Times in nanoseconds on the run's common clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WaitSpan {
    /// When the call began that waited.
    pub call: i64,
    /// From when it waited.
    pub from: i64,
    /// Until when.
    pub until: i64,
    /// Why, who and for whom.
    pub key: WaitKey,
}

/// A call that waited for another rank. Times in nanoseconds on the run's common clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// The rank that waited.
    pub rank: u32,
    /// The one it waited for.
    pub cause_rank: u32,
    /// When its call ended.
    pub end: i64,
    /// When the other came to what was waited for; [`NEVER`] if it has not.
    pub cause_at: i64,
}

/// The time of what has not happened.
pub const NEVER: i64 = i64::MAX;

impl Waits {
    /// Adds a wait of so long, and by how much that may be off, where the call that waited is asked about. Returns whether it
    /// stands out from the error.
    pub fn add(&mut self, key: WaitKey, time: i64, error: i64) -> bool {
        let resolved = time > error;
        if !key.waiter.place.counts() {
            return resolved;
        }
        let key = key.anyway();
        let sum = match resolved {
            true => self.sums.entry(key).or_default(),
            false => self.unresolved.entry(key.state).or_default(),
        };
        sum.add(time, error);
        resolved
    }

    /// Adds the wait of a call that has not returned, for what nobody has done yet; or the one rank that could.
    pub fn add_open(
        &mut self,
        (state, whom): (WaitState, Option<u32>),
        waiter: RankSite,
        (start, until): (i64, i64),
        error: i64,
    ) {
        let key = WaitKey { state, waiter, cause: waiter };
        if self.add(key, until - start, error) {
            if let Some(sum) = self.sums.get_mut(&key.anyway()) {
                sum.open += 1;
            }
            self.span(WaitSpan { call: start, from: start, until, key });
            if let Some(cause_rank) = whom {
                self.jump(Jump { rank: waiter.rank, cause_rank, end: until, cause_at: NEVER });
            }
        }
    }

    /// None yet, and what is to be kept of each.
    pub fn new(follow: Follow) -> Waits {
        Waits { follow, ..Waits::default() }
    }

    /// A wait stands for a way from one rank to another.
    pub fn jump(&mut self, jump: Jump) {
        if self.follow.contains(Follow::JUMPS) {
            self.jumps.push(jump);
        }
    }

    /// A wait that was added, by itself.
    pub fn span(&mut self, span: WaitSpan) {
        if self.follow.contains(Follow::SPANS) && span.key.waiter.place.counts() {
            self.spans.push(WaitSpan { key: span.key.anyway(), ..span });
        }
    }

    /// Moves a wait that was added from one reason to another.
    pub fn call_it(&mut self, key: WaitKey, state: WaitState, (time, error): (i64, i64)) {
        if !key.waiter.place.counts() {
            return;
        }
        let key = key.anyway();
        if let Some(sum) = self.sums.get_mut(&key) {
            sum.time = sum.time.saturating_sub(time);
            sum.error = sum.error.saturating_sub(error);
            sum.count -= 1;
            if sum.count == 0 {
                self.sums.remove(&key);
            }
            self.sums.entry(WaitKey { state, ..key }).or_default().add(time, error);
            let is_it = |span: &&mut WaitSpan| span.key == key && span.until - span.from == time;
            self.spans.iter_mut().rev().find(is_it).into_iter().for_each(|span| span.key.state = state);
        }
    }

    /// Adds those of another part of the run, but for what is kept one by one.
    pub fn merge(&mut self, other: Waits) {
        for (key, sum) in other.sums {
            self.sums.entry(key).or_default().merge(&sum);
        }
        for (state, sum) in other.unresolved {
            self.unresolved.entry(state).or_default().merge(&sum);
        }
    }
}

impl WaitKey {
    /// Whoever was late, it is the same place.
    fn anyway(self) -> WaitKey {
        WaitKey { cause: RankSite { place: self.cause.place.anyway(), ..self.cause }, ..self }
    }
}

impl WaitSum {
    fn add(&mut self, time: i64, error: i64) {
        self.merge(&WaitSum { time, count: 1, longest: time, error, open: 0 });
    }

    /// Adds others.
    pub fn merge(&mut self, other: &WaitSum) {
        self.time.grow(other.time);
        self.count.grow(other.count);
        self.longest = self.longest.max(other.longest);
        self.error.grow(other.error);
        self.open.grow(other.open);
    }
}
