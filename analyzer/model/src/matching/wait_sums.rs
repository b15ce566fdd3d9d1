//! Sums up wait states: which rank waited, at which call site, for which rank.
//!
//! Definitions after Scalasca's catalogue of performance properties (Geimer, Wolf et al.: "The Scalasca performance toolset
//! architecture", 2010), except where a comment says otherwise.

use rustc_hash::FxHashMap;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::{Follow, WaitingCall};
use crate::roles::SpottedSite;
use crate::spill::RankRecord;
use crate::sums::Grow;

macro_rules! wait_states {
    ($($(#[$meaning:meta])* $state:ident $name:literal;)*) => {
        /// Why a call waits for another rank.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum WaitState { $($(#[$meaning])* $state),* }

        impl WaitState {
            pub const ALL: &'static [WaitState] = &[$(WaitState::$state),*];

            pub fn name(self) -> &'static str {
                match self { $(WaitState::$state => $name),* }
            }
        }
    };
}

wait_states! {
    /// A receive, or its completion, began before the message was sent. Until the send begins.
    LateSender "late_sender";
    /// A late sender, although another message that the rank received only later was there already.
    WrongOrder "wrong_order";
    /// A send, or its completion, lasted until the receive was posted. Until then.
    LateReceiver "late_receiver";
    /// MPI_Barrier, MPI_Win_free: until the last rank entered.
    WaitAtBarrier "wait_at_barrier";
    /// MPI_Barrier, MPI_Win_free: from when the first rank left it.
    BarrierCompletion "barrier_completion";
    /// MPI_Allreduce, MPI_Alltoall and the like: until the last rank entered.
    WaitAtNxn "wait_at_nxn";
    /// MPI_Allreduce, MPI_Alltoall and the like: from when the first rank left.
    NxnCompletion "nxn_completion";
    /// MPI_Bcast, MPI_Scatter: until the root entered.
    LateBroadcast "late_broadcast";
    /// MPI_Reduce, MPI_Gather at the root: until the last rank entered.
    EarlyReduce "early_reduce";
    /// MPI_Bcast, MPI_Scatter at the root, MPI_Reduce, MPI_Gather at the others: lasted until the last rank entered, which takes
    /// the data. Until then.
    WaitToHandOver "wait_to_hand_over";
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
    /// MPI_Win_lock lasted until another rank unlocked that target, and one of the two locks was exclusive: from when that
    /// rank got the lock until it entered MPI_Win_unlock, for each such rank. Not in Scalasca's catalogue as it is here. It is
    /// assumed that a rank holds a lock from the end of its MPI_Win_lock to the begin of its MPI_Win_unlock, so nothing is
    /// found where a library gets the lock later; of those that overhear is tested with, none does. MPI_Win_lock_all neither
    /// waits nor holds here.
    LockContention "lock_contention";
    /// MPI_Neighbor_allgather, MPI_Neighbor_alltoall and the like: until the last of those that the rank receives from
    /// entered. Not in Scalasca's catalogue.
    WaitAtNeighbors "wait_at_neighbors";
}

/// A call site of a rank, which is given by its place in [`Run::ranks`](crate::Run::ranks).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RankSite {
    pub rank: u32,
    /// Function and call site; marks whether the call is selected.
    pub place: SpottedSite,
}

/// Attributes by which waits are summed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WaitKey {
    pub state: WaitState,
    pub waiter: RankSite,
    /// Rank and site it waited for; equal to `waiter` if no single rank was late.
    pub cause: RankSite,
}

/// Sum of waits, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WaitSum {
    pub time: i64,
    pub count: u64,
    pub longest: i64,
    /// Maximum error of `time`.
    pub error: i64,
    /// Waits that go on: the awaited event has not happened.
    pub open: u64,
}

#[derive(Default)]
pub struct Waits {
    /// Waits longer than the clocks' error.
    pub sums: FxHashMap<WaitKey, WaitSum>,
    /// The parts of waits for late senders, in the right order, in which the same line could have received another message.
    pub could_take: FxHashMap<RankSite, WaitSum>,
    /// Waits within the clocks' error, which may be none.
    pub unresolved: FxHashMap<WaitState, WaitSum>,
    /// Each wait as a jump to another rank, if followed, until the rank's turn is over.
    pub jumps: Vec<Jump>,
    /// Each wait with its times, if followed; without those whose state is not certain yet.
    pub spans: Vec<WaitSpan>,
    follow: Follow,
}

/// One summed wait. Times in nanoseconds on the run's common clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WaitSpan {
    pub call: i64,
    pub from: i64,
    pub until: i64,
    pub key: WaitKey,
}

/// A call that waited for another rank. Times in nanoseconds on the run's common clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Jump {
    pub rank: u32,
    pub cause_rank: u32,
    pub end: i64,
    /// Time of the awaited event; [`NEVER`] if it has not happened.
    pub cause_at: i64,
}

impl RankRecord for Jump {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn order(&self) -> impl Ord {
        (self.end, self.cause_at, self.cause_rank)
    }
}

/// A wait for a late sender that is in no sum yet, since its message may prove to be in the wrong order.
#[derive(Clone, Copy, Debug)]
pub struct Late {
    pub key: WaitKey,
    /// The waiting thread.
    pub thread: u32,
    /// The first thread of one rank waited for that of another.
    pub is_of_first_threads: bool,
    pub begin: i64,
    pub end: i64,
    /// Duration and maximum error, nanoseconds.
    pub wait: (i64, i64),
    /// Messages that the rank had sent before.
    pub sent: u32,
    /// Time from which another message was there that the same line received later, with none sent meanwhile; `i64::MAX` if none was.
    pub another_from: i64,
}

/// A wait to be followed to its origin, in the layout of a spill file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct FollowedWait {
    pub from: i64,
    pub until: i64,
    waiter: [u32; 2],
    cause: [u32; 2],
    /// Place in [`WaitState::ALL`].
    state: u64,
}

impl FollowedWait {
    pub fn key(&self) -> WaitKey {
        let site = |[rank, place]: [u32; 2]| RankSite { rank, place: SpottedSite::numbered(place) };
        WaitKey { state: WaitState::ALL[self.state as usize], waiter: site(self.waiter), cause: site(self.cause) }
    }
}

impl From<WaitSpan> for FollowedWait {
    fn from(span: WaitSpan) -> FollowedWait {
        let site = |site: RankSite| [site.rank, site.place.number() as u32];
        let WaitKey { state, waiter, cause } = span.key;
        let (waiter, cause) = (site(waiter), site(cause));
        FollowedWait { from: span.from, until: span.until, waiter, cause, state: state as u64 }
    }
}

impl RankRecord for FollowedWait {
    fn rank(&self) -> u32 {
        self.waiter[0]
    }

    fn order(&self) -> impl Ord {
        (self.from, self.until, self.state, self.waiter, self.cause)
    }
}

/// Time of an event that has not happened.
pub const NEVER: i64 = i64::MAX;

impl Waits {
    /// Adds a wait of `time` ± `error` nanoseconds if its call is selected. Returns whether the wait exceeds the error.
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

    /// Adds the wait of a call that has not returned; `whom` is the one rank that could end it, if there is one.
    pub fn add_open(&mut self, (state, whom): (WaitState, Option<u32>), call: WaitingCall, error: i64) {
        let WaitingCall { at: waiter, thread, begin: start, end: until } = call;
        let key = WaitKey { state, waiter, cause: waiter };
        if self.add(key, until - start, error) {
            if let Some(sum) = self.sums.get_mut(&key.anyway()) {
                sum.open += 1;
            }
            self.span(WaitSpan { call: start, from: start, until, key }, thread == 0);
            if let Some(cause_rank) = whom.filter(|_| thread == 0) {
                self.jump(Jump { rank: waiter.rank, cause_rank, end: until, cause_at: NEVER });
            }
        }
    }

    pub fn new(follow: Follow) -> Waits {
        Waits { follow, ..Waits::default() }
    }

    pub fn are_wanted(&self) -> bool {
        !self.follow.contains(Follow::NO_WAITS)
    }

    /// Keeps a wait as a jump, if jumps are followed.
    pub fn jump(&mut self, jump: Jump) {
        if self.follow.contains(Follow::JUMPS) {
            self.jumps.push(jump);
        }
    }

    /// Keeps a wait with its times, if spans are followed. Only waits of first threads for each other lead to origins.
    pub fn span(&mut self, span: WaitSpan, is_of_first_threads: bool) {
        let has_origin = is_of_first_threads && self.follow.contains(Follow::ORIGINS);
        if (has_origin || self.follow.contains(Follow::SPANS)) && span.key.waiter.place.counts() {
            self.spans.push(WaitSpan { key: span.key.anyway(), ..span });
        }
    }

    /// Adds a wait that exceeds its error. With `is_wrong`, another message was there before the late sender's.
    pub fn judge(&mut self, late: &Late, is_wrong: bool) {
        let state = if is_wrong { WaitState::WrongOrder } else { late.key.state };
        let (key, (time, error)) = (WaitKey { state, ..late.key }, late.wait);
        self.add(key, time, error);
        let until = late.begin + time;
        if !is_wrong && late.another_from < until && key.waiter.place.counts() {
            self.could_take
                .entry(key.anyway().waiter)
                .or_default()
                .add(until - late.another_from.max(late.begin), error);
        }
        let span = WaitSpan { call: late.begin, from: late.begin, until, key };
        self.span(span, late.is_of_first_threads);
    }

    /// Adds the sums of another part of the run; jumps and spans are left to the caller.
    pub fn merge(&mut self, other: Waits) {
        for (key, sum) in other.sums {
            self.sums.entry(key).or_default().merge(&sum);
        }
        for (at, sum) in other.could_take {
            self.could_take.entry(at).or_default().merge(&sum);
        }
        for (state, sum) in other.unresolved {
            self.unresolved.entry(state).or_default().merge(&sum);
        }
    }
}

impl WaitKey {
    /// Clears the cause's selection mark, so that both cases share a sum.
    fn anyway(self) -> WaitKey {
        WaitKey { cause: RankSite { place: self.cause.place.anyway(), ..self.cause }, ..self }
    }
}

impl WaitSum {
    fn add(&mut self, time: i64, error: i64) {
        self.merge(&WaitSum { time, count: 1, longest: time, error, open: 0 });
    }

    pub fn merge(&mut self, other: &WaitSum) {
        self.time.grow(other.time);
        self.count.grow(other.count);
        self.longest = self.longest.max(other.longest);
        self.error.grow(other.error);
        self.open.grow(other.open);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_for_the_wrong_message_has_a_state_of_its_own_in_sums_and_alone() {
        let site = |rank| RankSite { rank, place: SpottedSite::default() };
        let key = WaitKey { state: WaitState::LateSender, waiter: site(0), cause: site(1) };
        let mut waits = Waits::new(Follow::SPANS);
        for (call, time) in [(100, 7), (200, 9), (300, 5)] {
            let late = Late {
                key,
                thread: 0,
                is_of_first_threads: true,
                begin: call,
                end: call + time,
                wait: (time, 0),
                sent: 0,
                another_from: call + 3,
            };
            waits.judge(&late, call == 200);
        }
        let states: Vec<WaitState> = waits.spans.iter().map(|span| span.key.state).collect();
        assert_eq!(states, [WaitState::LateSender, WaitState::WrongOrder, WaitState::LateSender]);
        let sum = |state| waits.sums[&WaitKey { state, ..key }];
        assert_eq!((sum(WaitState::LateSender).count, sum(WaitState::LateSender).longest), (2, 7));
        assert_eq!((sum(WaitState::WrongOrder).count, sum(WaitState::WrongOrder).longest), (1, 9));
        let could_take = waits.could_take[&site(0)];
        assert_eq!((could_take.count, could_take.time), (2, 7 - 3 + 5 - 3));
    }
}
