//! A receive, the messages that it matches, and the one that it got.

use std::num::NonZeroU32;

use super::concurrent::CallSpan;
use crate::roles::SpottedSite;

/// Attributes by which MPI keeps messages in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Envelope {
    pub object: u32,
    pub source: u32,
    pub tag: i32,
    /// Partitioned messages match only partitioned receives.
    pub partitioned: bool,
}

impl Envelope {
    /// Stands for all ranks that were not recorded: their messages are missing.
    pub const UNRECORDED: u32 = u32::MAX;
}

/// Messages that a receive matches; `None` is MPI_ANY_SOURCE or MPI_ANY_TAG.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    pub object: u32,
    pub source: Option<u32>,
    pub tag: Option<i32>,
    /// Partitioned messages match only partitioned receives.
    pub partitioned: bool,
}

#[derive(Clone, Debug)]
pub struct Post {
    pub at: i64,
    pub place: SpottedSite,
    pub turn: CallSpan,
    /// Size of the buffer, then of the message received.
    pub bytes: u64,
    /// Size of the buffer.
    pub room: u64,
    /// The message was larger than the buffer.
    pub truncated: bool,
    /// The sender, and the number among the receives of its messages, in the order of their completions, if followed.
    pub received: Option<(u32, u64)>,
    /// Number of the rank's position when it posted it, for replays.
    pub noted: Option<u32>,
    /// If it takes a message of any rank: how many the rank had sent, and one more.
    pub of_any: Option<NonZeroU32>,
    state: PostState,
    pub(super) number: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PostState {
    /// Not known yet.
    Open,
    /// Complete: the completion's number, and its time.
    Done(u32, i64),
}

/// Completion of a receive, and its status.
#[derive(Clone, Copy, Debug)]
pub struct Receival {
    pub completion: u32,
    pub end: i64,
    /// The sender, and the number among the receives of its messages, if followed.
    pub number: Option<(u32, u64)>,
    /// Bytes received, if that differs from the size posted.
    pub bytes: Option<u64>,
    /// The message was larger than the buffer.
    pub truncated: bool,
}

impl Post {
    pub fn new(turn: CallSpan, place: SpottedSite, bytes: u64) -> Post {
        Post {
            at: turn.begin,
            place,
            turn,
            bytes,
            room: bytes,
            truncated: false,
            received: None,
            noted: None,
            of_any: None,
            state: PostState::Open,
            number: 0,
        }
    }

    pub fn finish(&mut self, got: Receival) {
        self.state = PostState::Done(got.completion, got.end);
        self.bytes = got.bytes.unwrap_or(self.bytes);
        self.truncated = got.truncated;
        self.received = got.number;
    }

    /// The completion in which the receive got its message.
    pub fn completion(&self) -> Option<u32> {
        if let PostState::Done(completion, _) = self.state { Some(completion) } else { None }
    }

    pub fn done(&self) -> Option<i64> {
        if let PostState::Done(_, end) = self.state { Some(end) } else { None }
    }
}

impl Pattern {
    /// A pattern that matches this envelope alone.
    pub fn of(envelope: Envelope) -> Pattern {
        let Envelope { object, source, tag, partitioned } = envelope;
        Pattern { object, source: Some(source), tag: Some(tag), partitioned }
    }

    /// True if one message could match both.
    pub fn covers(&self, other: &Pattern) -> bool {
        let same = self.object == other.object && self.partitioned == other.partitioned;
        let source = self.source.is_none() || other.source.is_none() || self.source == other.source;
        let tag = self.tag.is_none() || other.tag.is_none() || self.tag == other.tag;
        same && source && tag
    }

    /// The envelope of a pattern without wildcards.
    pub fn envelope(&self) -> Option<Envelope> {
        let (object, partitioned) = (self.object, self.partitioned);
        Some(Envelope { object, source: self.source?, tag: self.tag?, partitioned })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_covers_what_any_other_receive_matches() {
        let pattern = |source, tag| Pattern { object: 0, source, tag, partitioned: false };
        let one = pattern(Some(1), Some(7));
        for other in [pattern(None, Some(7)), pattern(Some(1), None), pattern(None, None), one] {
            assert!(one.covers(&other) && other.covers(&one), "{other:?}");
        }
        for other in
            [pattern(Some(2), Some(7)), pattern(Some(1), Some(8)), pattern(None, Some(8)), pattern(Some(2), None)]
        {
            assert!(!one.covers(&other) && !other.covers(&one), "{other:?}");
        }
        assert!(!one.covers(&Pattern { partitioned: true, ..one }) && !one.covers(&Pattern { object: 1, ..one }));
    }
}
