//! What one rank saw of equal exchanges, or sends, one behind the other.

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

/// See the module. Nanoseconds on the run's time line.
#[derive(Clone, Copy, PartialEq, Debug)]
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
