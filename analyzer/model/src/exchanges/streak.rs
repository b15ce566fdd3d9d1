//! Streaks of equal exchanges, windows or sends, as one rank saw them.

use crate::batches::Batches;

/// Functions by which a rank sent and received, by number in the table of calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExchangeCalls {
    /// The call that sent, or began to.
    pub send: u16,
    /// The call that received, or began to.
    pub receive: u16,
    /// The receive began before the send.
    pub receives_first: bool,
}

/// Equal exchanges, one after the other. Nanoseconds on the run's common clock.
#[derive(Clone, Debug)]
pub struct Streak {
    pub peer: u32,
    pub calls: ExchangeCalls,
    pub bytes: u64,
    /// Begin of the first.
    pub begin: i64,
    /// End of the last.
    pub end: i64,
    pub count: u64,
    /// Exchanges in which this rank received before it sent.
    pub answers: u64,
    /// Times of all but the first, in batches.
    pub times: Batches<1>,
}

/// Successive sends to one rank.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SendStreak {
    pub rank: u32,
    pub peer: u32,
    pub bytes: u64,
    pub count: u64,
    /// From the begin of the first to the begin of the last.
    pub time: i64,
}

/// Messages of a window in one direction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WindowSide {
    /// The function that sends or receives them, or begins to.
    pub function: u16,
    /// Bytes of each message.
    pub bytes: u64,
    pub count: u64,
}

/// Messages that a rank sends and receives in a window.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WindowShape {
    pub sends: WindowSide,
    pub receives: WindowSide,
}

/// Equal windows, one after the other, as a rank saw them. Nanoseconds on the run's common clock.
#[derive(Clone, Debug)]
pub struct WindowStreak {
    pub peer: u32,
    pub shape: WindowShape,
    /// Begin of the first.
    pub begin: i64,
    /// End of the last.
    pub end: i64,
    pub count: u64,
    /// Times of the windows, in batches.
    pub times: Batches<1>,
}

impl WindowStreak {
    /// Adds a window of length `time` that ends at `until`.
    pub fn add(&mut self, until: i64, time: i64) {
        self.times.add(self.count, [time.max(0) as u64]);
        (self.end, self.count) = (until, self.count + 1);
    }

    /// True if the other rank saw the same messages from its side.
    pub fn mirrors(&self, other: &WindowStreak) -> bool {
        let moves = |side: &WindowSide| (side.bytes, side.count);
        moves(&self.shape.sends) == moves(&other.shape.receives)
            && moves(&self.shape.receives) == moves(&other.shape.sends)
    }
}
