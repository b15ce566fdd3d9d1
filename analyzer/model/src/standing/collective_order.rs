//! Tracks a rank's progress through the collective calls of a communicator, window or file.
//!
//! All ranks of an object make the same collective calls in the same order, so the number of earlier calls identifies a call, and
//! two ranks' calls can be compared one by one.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use traces::calls::{ArgumentKind, Call};

/// Arguments of a collective call that must agree on all ranks, as far as the files show them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct CollectiveKind {
    /// The function's id; a blocking and a nonblocking call do not match.
    pub function: u16,
    /// The root by number in the communicator. `None` without a root, and in intercommunicators, whose sides name it differently.
    pub root: Option<i32>,
    /// Bytes of one rank's part. `None` if ranks may have parts of different sizes, or if unknown.
    pub bytes: Option<u64>,
}

/// The first argument in which two ranks' calls differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CollectiveDifference {
    Function,
    Root,
    Bytes,
}

impl CollectiveKind {
    /// Compares with another rank's call; `None` if they agree.
    pub fn difference(&self, other: &CollectiveKind) -> Option<CollectiveDifference> {
        fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
            one.zip(other).is_some_and(|(one, other)| one != other)
        }
        match () {
            _ if self.function != other.function => Some(CollectiveDifference::Function),
            _ if differ(self.root, other.root) => Some(CollectiveDifference::Root),
            _ if differ(self.bytes, other.bytes) => Some(CollectiveDifference::Bytes),
            _ => None,
        }
    }
}

/// Bytes of one rank's part in a collective call on a communicator of `size` processes, by the bytes that the rank sends and
/// receives; `None` if ranks may have parts of different sizes, or if unknown.
pub fn bytes_of_part(call: Call, (sent, received): (u64, u64), size: u64) -> Option<u64> {
    use ArgumentKind::*;
    let has = |kind| call.has(kind);
    let each = |all: u64| all / size.max(1);
    let bytes = if has(BcastCount) {
        sent.max(received)
    } else if has(ReduceCount) || has(ReduceScatterCounts) {
        sent
    } else if has(ReduceScatterEach) {
        received
    } else if has(RootRecvEach) {
        if received > 0 { each(received) } else { sent }
    } else if has(RootSendEach) {
        if sent > 0 { each(sent) } else { received }
    } else if has(RecvEach) {
        each(received)
    } else if has(BothCount) {
        sent
    } else {
        0
    };
    // A call with an unknown datatype also has 0 bytes.
    (bytes > 0).then_some(bytes)
}

/// The collective calls that a rank has made on an object.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Made {
    pub count: u64,
    /// Number of the first calls, whose records were dropped.
    #[serde(default)]
    dropped: u64,
    /// The latest calls.
    recent: VecDeque<MadeCall>,
}

/// A call, with a hash of the functions and roots up to it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct MadeCall {
    kind: CollectiveKind,
    history: u64,
}

/// Number of calls kept: ranks are seldom further apart.
const KEPT: usize = 64;

impl Made {
    /// Begins after `dropped` calls whose records were dropped.
    pub fn behind(dropped: u64) -> Made {
        Made { count: dropped, dropped, recent: VecDeque::new() }
    }

    /// Adds calls whose records were dropped, before any others.
    pub fn goes_on(&mut self, dropped: u64) {
        self.count += dropped;
        self.dropped += dropped;
    }

    pub fn make(&mut self, kind: CollectiveKind) {
        let history = self.recent.back().map_or(0, |last| last.history);
        let own = u64::from(kind.function) << 32 | u64::from(kind.root.unwrap_or(-1) as u32);
        // Hashed as FNV does, so histories that differ once stay different.
        let history = (history ^ own).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
        self.count += 1;
        self.recent.push_back(MadeCall { kind, history });
        if self.recent.len() > KEPT {
            self.recent.pop_front();
        }
    }

    /// Removes the last call, which failed.
    pub fn take_back(&mut self) {
        self.count = self.count.saturating_sub(1);
        self.recent.pop_back();
    }

    /// The call with this ordinal, if it is recent.
    pub fn kind(&self, ordinal: u64) -> Option<CollectiveKind> {
        Some(self.get(ordinal)?.kind)
    }

    fn get(&self, ordinal: u64) -> Option<&MadeCall> {
        let back = self.count.checked_sub(ordinal)?;
        self.recent.get(self.recent.len().checked_sub(usize::try_from(back).ok()?)?)
    }

    /// True if another rank made the same functions with the same roots, as far as both have come. `None` if one is too far ahead
    /// to tell.
    fn is_alike(&self, other: &Made) -> Option<bool> {
        // The histories begin with the first call that is not dropped.
        if self.dropped != other.dropped {
            return None;
        }
        let Some(last) = self.count.min(other.count).checked_sub(1) else { return Some(true) };
        Some(self.get(last)?.history == other.get(last)?.history)
    }

    /// The first call that differs from the other rank's, sizes included, among the recent calls that both have made.
    pub fn first_difference(&self, other: &Made) -> Option<(u64, CollectiveDifference)> {
        let both = self.count.min(other.count);
        let differs = |ordinal: u64| {
            let difference = self.get(ordinal)?.kind.difference(&other.get(ordinal)?.kind)?;
            Some((ordinal, difference))
        };
        (both.saturating_sub(KEPT as u64)..both).find_map(differs)
    }

    /// True if both have made calls that did not match.
    pub fn has_diverged(&self, other: &Made) -> bool {
        self.is_alike(other) == Some(false) || self.first_difference(other).is_some()
    }
}

/// The collective calls that a rank has made on an object, and the one that it is in.
#[derive(Clone, Copy, Default)]
pub struct Reach<'a> {
    pub made: Option<&'a Made>,
    pub open: Option<CollectiveKind>,
}

impl Reach<'_> {
    /// Number of calls that it has reached, including the one that it is in.
    pub fn count(&self) -> u64 {
        self.made() + u64::from(self.open.is_some())
    }

    /// The call with this ordinal, if known.
    pub fn kind(&self, ordinal: u64) -> Option<CollectiveKind> {
        let made = || self.made?.kind(ordinal);
        self.open.filter(|_| ordinal == self.made()).or_else(made)
    }

    /// True if it is in the call with this ordinal.
    pub fn is_in(&self, ordinal: u64) -> bool {
        self.open.is_some() && ordinal == self.made()
    }

    /// True if it has reached this call with this kind; sizes may differ.
    pub fn has_come_to(&self, ordinal: u64, kind: &CollectiveKind) -> bool {
        // A call that is no longer kept was made long ago.
        let fits = |other: CollectiveKind| matches!(other.difference(kind), None | Some(CollectiveDifference::Bytes));
        self.count() > ordinal && self.kind(ordinal).is_none_or(fits)
    }

    fn made(&self) -> u64 {
        self.made.map_or(0, |made| made.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(function: u16) -> CollectiveKind {
        CollectiveKind { function, root: None, bytes: None }
    }

    fn made(functions: &[u16]) -> Made {
        let mut made = Made::default();
        for function in functions {
            made.make(kind(*function));
        }
        made
    }

    #[test]
    fn ranks_that_went_past_different_calls_have_diverged_however_long_ago_that_was() {
        let mut one = vec![7; 200];
        let other = made(&one[..190]);
        assert!(!made(&one).has_diverged(&other));
        one[3] = 8;
        assert!(made(&one).has_diverged(&other));
        assert_eq!(made(&one).first_difference(&other), None, "it is too long ago to be named");
        (one[3], one[180]) = (7, 8);
        assert_eq!(made(&one).first_difference(&other), Some((180, CollectiveDifference::Function)));
        assert!(!made(&[]).has_diverged(&other) && !made(&[7; 2]).has_diverged(&other));
    }

    #[test]
    fn calls_whose_records_were_dropped_count_and_are_compared_with_nothing() {
        let after = |dropped, functions: &[u16]| {
            let mut made = Made::default();
            made.goes_on(dropped);
            for function in functions {
                made.make(kind(*function));
            }
            made
        };
        let late = after(100, &[7, 8]);
        assert_eq!(
            (late.count, late.kind(99), late.kind(100), late.kind(101)),
            (102, None, Some(kind(7)), Some(kind(8)))
        );
        assert!(!late.has_diverged(&made(&[[7; 101].as_slice(), &[8]].concat())), "the same calls");
        assert!(!late.has_diverged(&after(100, &[7, 8, 9])) && late.has_diverged(&after(100, &[8, 8, 9])));
        let mut twice = after(60, &[]);
        twice.goes_on(40);
        twice.make(kind(8));
        assert!(twice.has_diverged(&late), "another call after as many");
    }

    #[test]
    fn sizes_and_roots_differ_where_both_are_known() {
        let of = |root, bytes| CollectiveKind { root, bytes, ..kind(3) };
        assert_eq!(of(Some(0), Some(8)).difference(&of(Some(0), Some(4))), Some(CollectiveDifference::Bytes));
        assert_eq!(of(Some(0), Some(8)).difference(&of(Some(1), Some(4))), Some(CollectiveDifference::Root));
        assert_eq!(of(Some(0), None).difference(&of(None, Some(4))), None);
        let mut twice = [Made::default(), Made::default()];
        twice[0].make(of(None, Some(8)));
        twice[1].make(of(None, Some(4)));
        assert_eq!(twice[0].first_difference(&twice[1]), Some((0, CollectiveDifference::Bytes)));
        let reach = Reach { made: Some(&twice[0]), open: None };
        assert!(reach.has_come_to(0, &of(None, Some(4))) && !reach.has_come_to(0, &kind(4)));
        assert!(!reach.has_come_to(1, &kind(3)));
    }

    #[test]
    fn a_ranks_part_has_the_size_that_all_have_to_give_the_same() {
        let part = |name: &str, moves| bytes_of_part(Call::named(name).unwrap(), moves, 4);
        assert_eq!((part("Bcast", (8, 0)), part("Ibcast", (0, 8))), (Some(8), Some(8)));
        assert_eq!((part("Gather", (8, 32)), part("Gather", (8, 0))), (Some(8), Some(8)));
        assert_eq!((part("Scatter", (32, 8)), part("Scatter", (0, 8))), (Some(8), Some(8)));
        assert_eq!((part("Allgather", (8, 32)), part("Alltoall", (32, 32))), (Some(8), Some(8)));
        assert_eq!((part("Reduce", (8, 8)), part("Scan", (8, 8))), (Some(8), Some(8)));
        assert_eq!((part("Reduce_scatter_block", (32, 8)), part("Reduce_scatter", (32, 8))), (Some(8), Some(32)));
        assert_eq!((part("Alltoallv", (32, 16)), part("Barrier", (0, 0)), part("Bcast", (0, 0))), (None, None, None));
    }
}
