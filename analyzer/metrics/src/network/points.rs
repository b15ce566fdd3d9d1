//! Times by size, of messages and exchanges with the same hosts, pattern and calls.

use super::weighted_median::Spread;
use crate::mean::Mean;

/// Places of the two ranks of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Between {
    SameHost,
    Hosts,
}

/// Pattern of successive messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MessagePattern {
    /// One way, to a receiver that waits.
    OneWay,
    /// There and back.
    Ordered,
    /// Both ways at once.
    Unordered,
    /// Several one way, answered by one.
    Window,
    /// Several both ways at once.
    CrossingWindows,
}

impl MessagePattern {
    /// The number of messages whose bytes move in one time: both directions of an exchange count.
    pub fn messages(self) -> f64 {
        match self {
            MessagePattern::OneWay | MessagePattern::Window => 1.0,
            MessagePattern::Ordered | MessagePattern::Unordered | MessagePattern::CrossingWindows => 2.0,
        }
    }

    pub fn is_exchange(self) -> bool {
        matches!(self, MessagePattern::Ordered | MessagePattern::Unordered)
    }

    /// True if messages follow each other at once and so hide each other's latency.
    pub fn has_windows(self) -> bool {
        matches!(self, MessagePattern::Window | MessagePattern::CrossingWindows)
    }
}

/// The properties that grouped messages share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Protocol {
    pub between: Between,
    pub pattern: MessagePattern,
    /// Functions that the ranks call: the first sender's, then the other's if they differ.
    pub calls: String,
}

/// The messages of one size. Times in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    pub bytes: u64,
    /// The number of messages or exchanges.
    pub count: u64,
    /// All of the size, with those between whose calls the program did something else, or that came before their receiver waited.
    pub all: u64,
    /// The time of one of them; for windows, of one message each way.
    pub time: Spread,
    /// The mean time without the first exchanges or windows of a row; `None` for one-way messages.
    pub mean: Option<Mean>,
    pub clock_error: f64,
}
