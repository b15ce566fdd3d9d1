//! One-sided accesses by the epochs that complete them: how many each epoch has, and which epochs could be one.
//!
//! In: a rank's calls. Out: at each call that completes accesses of a window, the epoch that it ends.
//! Epochs of one line are a row while nothing but calls on windows lies between, and no more time outside MPI than it takes to open
//! and end one: where more lies between, it is work, which may use what was fetched, or make what is put next.

use rustc_hash::FxHashMap;
use traces::calls::{ArgumentKind, Call, Class};

use super::call_rows::LONGEST_GAP;
use crate::roles::Role;
use crate::stream::TimedCall;
use crate::sums::Grow;

/// Epochs with accesses that calls of one site completed. Times in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EpochSums {
    pub count: u64,
    /// Epochs that continue a row.
    pub repeated: u64,
    pub accesses: u64,
    /// Bytes of all accesses.
    pub bytes: u64,
    /// Call site of the last access.
    pub accessed_at: u32,
    /// Time in the calls that open and end the epochs, without waits.
    pub time: i64,
    /// Waits of these calls, each no longer than the longest pause in a row.
    pub waited_briefly: i64,
}

impl EpochSums {
    pub fn merge(&mut self, other: &EpochSums) {
        self.count.grow(other.count);
        self.repeated.grow(other.repeated);
        self.accesses.grow(other.accesses);
        self.bytes.grow(other.bytes);
        self.time.grow(other.time);
        self.waited_briefly.grow(other.waited_briefly);
        if other.count > 0 {
            self.accessed_at = other.accessed_at;
        }
    }
}

/// The effect of a call on a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WindowCall {
    Access,
    /// Completes the accesses before it.
    Completes,
    /// Opens or closes an epoch in another way.
    Beside,
    /// No call on a window.
    Other,
}

impl WindowCall {
    fn of(role: &Role) -> WindowCall {
        let Some(call) = role.call().filter(|call| call.class() == Class::Rma) else { return WindowCall::Other };
        match call {
            Call::Win_fence | Call::Win_complete | Call::Win_unlock | Call::Win_unlock_all => WindowCall::Completes,
            Call::Win_flush | Call::Win_flush_all | Call::Win_flush_local | Call::Win_flush_local_all => {
                WindowCall::Completes
            }
            Call::Win_lock => WindowCall::Beside,
            // Its own request completes it.
            _ if call.has(ArgumentKind::NewRequest) => WindowCall::Other,
            _ if call.has(ArgumentKind::Target) => WindowCall::Access,
            _ => WindowCall::Beside,
        }
    }
}

/// A window since the last epoch with accesses.
#[derive(Default)]
struct OpenEpoch {
    sums: EpochSums,
    /// Where and after how many other calls the last epoch ended.
    last: Option<(usize, u64)>,
    /// Time outside MPI since the last epoch.
    outside: i64,
}

/// A rank's windows so far.
#[derive(Default)]
pub struct EpochReader {
    /// By the window's number.
    open: FxHashMap<u32, OpenEpoch>,
    /// Number of calls so far that are not on windows.
    others: u64,
    /// End of the last call.
    last: i64,
}

impl EpochReader {
    /// Adds the rank's next call, of which it waited for a part. Returns the epoch that it ends, if that has accesses.
    pub fn add(&mut self, call: &TimedCall, role: &Role, waited: i64) -> Option<EpochSums> {
        let gap = (call.start - self.last).max(0);
        self.last = call.end;
        let kind = WindowCall::of(role);
        if kind == WindowCall::Other {
            self.others += 1;
            return None;
        }
        for open in self.open.values_mut() {
            open.outside = open.outside.saturating_add(gap);
        }
        let open = self.open.entry(role.object?).or_default();
        match kind {
            WindowCall::Access => {
                open.sums.accesses.grow(1);
                open.sums.bytes.grow(role.sent.max(role.received));
                open.sums.accessed_at = role.place.number() as u32;
                return None;
            }
            _ => {
                open.sums.time.grow((call.inside - waited).max(0));
                if waited <= LONGEST_GAP {
                    open.sums.waited_briefly.grow(waited);
                }
            }
        }
        if kind != WindowCall::Completes || open.sums.accesses == 0 {
            return None;
        }
        let (here, sums) = ((role.place.number(), self.others), open.sums);
        let longest = LONGEST_GAP.min(sums.time.saturating_add(sums.waited_briefly));
        let repeats = open.last == Some(here) && open.outside <= longest;
        *open = OpenEpoch { last: Some(here), ..OpenEpoch::default() };
        Some(EpochSums { count: 1, repeated: u64::from(repeats), ..sums })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::SpottedSite;

    fn on_window(call: Call, site: u32) -> Role {
        let place = SpottedSite::numbered(site);
        Role { function: call.row().id, object: Some(3), sent: 8, place, ..Role::NONE }
    }

    /// The epochs that calls of 10 ns end, given the time before each.
    fn epochs(calls: &[(Call, i64)]) -> Vec<EpochSums> {
        let (mut reader, mut at, mut found) = (EpochReader::default(), 0, Vec::new());
        for (call, gap) in calls {
            at += gap;
            let role = on_window(*call, u32::from(call.row().id));
            found.extend(reader.add(&TimedCall::at(at, at + 10), &role, 2));
            at += 10;
        }
        found
    }

    #[test]
    fn an_epoch_for_each_access_continues_a_row_until_another_call_or_time_comes_between() {
        let (put, fence) = ((Call::Put, 5), (Call::Win_fence, 5));
        let row = [fence, put, fence, put, fence, put, (Call::Put, 0), fence];
        let found = epochs(&row);
        assert_eq!(found.iter().map(|epoch| epoch.accesses).collect::<Vec<_>>(), [1, 1, 2]);
        assert_eq!(found.iter().map(|epoch| epoch.repeated).collect::<Vec<_>>(), [0, 1, 1]);
        assert_eq!((found[1].time, found[1].waited_briefly, found[1].bytes), (8, 2, 8));
        assert_eq!((found[0].time, found[2].bytes), (16, 16), "the fence that opened the first one counts, too");
        let repeated = |between: (Call, i64)| epochs(&[put, fence, between, put, fence])[1].repeated;
        assert_eq!(repeated((Call::Barrier, 5)), 0, "others may have changed the window");
        assert_eq!(repeated((Call::Put, 6)), 0, "the program computes between for longer than an epoch takes");
        assert_eq!(repeated((Call::Win_fence, 5)), 1);
    }

    #[test]
    fn what_is_fetched_may_be_used_before_the_next_access() {
        let (fetch, flush) = ((Call::Fetch_and_op, 1), (Call::Win_flush, 1));
        let repeated = |gap| epochs(&[fetch, flush, (Call::Fetch_and_op, gap), flush])[1].repeated;
        assert_eq!([repeated(9), repeated(10)], [1, 0]);
    }
}
