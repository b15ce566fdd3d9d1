//! Sums of calls and waits within a time. `page/timeline/sums.js` adds up single calls the same way.

use traces::signature::UNKNOWN_BYTES;

use model::levels::PlacedCall;
use model::matching::WaitSpan;
use model::sums::Grow;

/// Calls of one kind. A call counts at its begin; its time counts wherever it is spent.
#[derive(Clone, Copy, Default, Debug)]
pub struct CallSum {
    pub calls: u64,
    /// Nanoseconds inside MPI, and the part of them on threads other than the first.
    pub time: u64,
    pub of_others: u64,
    /// Moved bytes; once they are [`UNKNOWN_BYTES`] they stay so.
    pub bytes: u64,
    /// Entries into the engine, and those that made progress.
    pub engine: (u64, u64),
}

/// Waits are summed by function and call site, state and cause.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WaitKind {
    pub function: u64,
    pub site: u64,
    pub state: u32,
    /// Rank and place that came late.
    pub cause: Option<(u32, u32)>,
}

/// Waits of one kind. A wait counts at its begin; its time counts wherever it is spent.
#[derive(Clone, Copy, Default, Debug)]
pub struct WaitTally {
    pub waits: u64,
    pub time: u64,
    pub longest: u64,
}

/// Nanoseconds that two intervals share.
pub fn overlap(one: (i64, i64), other: (i64, i64)) -> u64 {
    one.1.min(other.1).saturating_sub(one.0.max(other.0)).max(0) as u64
}

/// Nanoseconds of a call inside MPI within an interval. A record of several calls spreads its time evenly.
pub fn inside(call: &PlacedCall<'_>, time: (i64, i64)) -> u64 {
    let length = (call.end - call.start).max(0) as u64;
    let shared = overlap((call.start, call.end), time);
    if shared == length {
        return call.inside.max(0) as u64;
    }
    (u128::from(shared) * call.inside.max(0) as u128 / u128::from(length.max(1))) as u64
}

impl CallSum {
    /// Adds a call that moved these bytes and spent `inside` nanoseconds in MPI; `begins` if it counts here.
    pub fn add(&mut self, call: &PlacedCall<'_>, moved: Option<u64>, inside: u64, begins: bool) {
        self.time.grow(inside);
        if call.thread > 0 {
            self.of_others.grow(inside);
        }
        if begins {
            self.calls.grow(call.count);
            self.engine.0.grow(call.engine.0);
            self.engine.1.grow(call.engine.1);
            self.bytes.grow(moved.unwrap_or(UNKNOWN_BYTES));
        }
    }

    pub fn merge(&mut self, other: &CallSum) {
        self.calls.grow(other.calls);
        self.time.grow(other.time);
        self.of_others.grow(other.of_others);
        self.bytes.grow(other.bytes);
        self.engine.0.grow(other.engine.0);
        self.engine.1.grow(other.engine.1);
    }
}

impl WaitTally {
    /// Adds a wait with `time` nanoseconds in the interval; `begins` if it counts here.
    pub fn add(&mut self, span: &WaitSpan, time: u64, begins: bool) {
        self.time.grow(time);
        if begins {
            self.waits.grow(1);
            self.longest = self.longest.max(span.until.saturating_sub(span.from).max(0) as u64);
        }
    }

    pub fn merge(&mut self, other: &WaitTally) {
        self.waits.grow(other.waits);
        self.time.grow(other.time);
        self.longest = self.longest.max(other.longest);
    }
}
