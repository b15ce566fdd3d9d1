//! What one rank saw of equal exchanges, windows or sends, one behind the other.

use crate::batches::Batches;

/// The functions by which a rank sent and received, by their numbers in the table of calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExchangeCalls {
    /// The one that sent, or began to.
    pub send: u16,
    /// The one that received, or began to.
    pub receive: u16,
    /// The receive was begun before the send.
    pub receives_first: bool,
}

/// See the module. Nanoseconds on the run's common clock.
#[derive(Clone, Debug)]
pub struct Streak {
    /// The rank at the other end.
    pub peer: u32,
    /// What was called.
    pub calls: ExchangeCalls,
    /// Bytes of each message.
    pub bytes: u64,
    /// When the first one began.
    pub begin: i64,
    /// When the last one was over.
    pub end: i64,
    /// How many.
    pub count: u64,
    /// In how many this rank had received before it sent.
    pub answers: u64,
    /// What each but the first took, in batches.
    pub times: Batches<1>,
}

/// Sends to one rank one behind the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SendStreak {
    /// Who sent.
    pub rank: u32,
    /// To whom.
    pub peer: u32,
    /// Bytes of each message.
    pub bytes: u64,
    /// How many.
    pub count: u64,
    /// From the begin of the first to that of the last.
    pub time: i64,
}

/// Messages one way of a window.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WindowSide {
    /// The function that sends or receives them, or begins to.
    pub function: u16,
    /// Bytes of each.
    pub bytes: u64,
    /// How many.
    pub count: u64,
}

/// What a rank sends and receives in a window.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WindowShape {
    /// See above.
    pub sends: WindowSide,
    /// See above.
    pub receives: WindowSide,
}

/// Equal windows one behind the other, as a rank saw them. Nanoseconds on the run's common clock.
#[derive(Clone, Debug)]
pub struct WindowStreak {
    /// The rank at the other end.
    pub peer: u32,
    /// What a window has.
    pub shape: WindowShape,
    /// When the first one began.
    pub begin: i64,
    /// When the last one was over.
    pub end: i64,
    /// How many.
    pub count: u64,
    /// What each took, in batches.
    pub times: Batches<1>,
}

impl WindowStreak {
    /// One more, which lasted so long.
    pub fn add(&mut self, until: i64, time: i64) {
        self.times.add(self.count, [time.max(0) as u64]);
        (self.end, self.count) = (until, self.count + 1);
    }

    /// Whether the other rank saw the same from its side.
    pub fn mirrors(&self, other: &WindowStreak) -> bool {
        let moves = |side: &WindowSide| (side.bytes, side.count);
        moves(&self.shape.sends) == moves(&other.shape.receives)
            && moves(&self.shape.receives) == moves(&other.shape.sends)
    }
}
