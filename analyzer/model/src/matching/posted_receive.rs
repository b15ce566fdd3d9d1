//! A receive, what it can take, and what it got.

use super::concurrent::CallSpan;
use crate::roles::SpottedSite;

/// What MPI keeps order by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Envelope {
    /// The communicator.
    pub object: u32,
    /// The sender.
    pub source: u32,
    /// The tag.
    pub tag: i32,
    /// Partitioned communication is a world of its own.
    pub partitioned: bool,
}

impl Envelope {
    /// The source of messages from all ranks that were not recorded. They are not here.
    pub const UNRECORDED: u32 = u32::MAX;
}

/// What a receive can take: a source or tag that is not there stands for any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    /// The communicator.
    pub object: u32,
    /// The sender.
    pub source: Option<u32>,
    /// The tag.
    pub tag: Option<i32>,
    /// See [`Envelope`].
    pub partitioned: bool,
}

/// A receive.
#[derive(Clone, Copy, Debug)]
pub struct Post {
    /// When it was posted.
    pub at: i64,
    /// Where.
    pub place: SpottedSite,
    /// The call that posted it.
    pub turn: CallSpan,
    /// Bytes it had room for, or got.
    pub bytes: u64,
    /// The message was longer than that.
    pub truncated: bool,
    state: PostState,
    /// What its queue knows it by.
    pub(super) number: u64,
}

/// What became of a receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PostState {
    /// Nobody knows yet.
    Open,
    /// It got its message in this completion, at this time.
    Done(u32, i64),
}

/// How a receive got its message.
#[derive(Clone, Copy, Debug)]
pub struct Receival {
    /// The number of the completion.
    pub completion: u32,
    /// When that ended.
    pub end: i64,
    /// The bytes that came, where those are not what was posted.
    pub bytes: Option<u64>,
    /// The message was longer.
    pub truncated: bool,
}

impl Post {
    /// A receive that was just posted.
    pub fn new(turn: CallSpan, place: SpottedSite, bytes: u64) -> Post {
        Post { at: turn.begin, place, turn, bytes, truncated: false, state: PostState::Open, number: 0 }
    }

    /// It got its message.
    pub fn finish(&mut self, got: Receival) {
        self.state = PostState::Done(got.completion, got.end);
        self.bytes = got.bytes.unwrap_or(self.bytes);
        self.truncated = got.truncated;
    }

    /// The completion in which it got its message.
    pub fn completion(&self) -> Option<u32> {
        if let PostState::Done(completion, _) = self.state { Some(completion) } else { None }
    }

    /// When its message had come.
    pub fn done(&self) -> Option<i64> {
        if let PostState::Done(_, end) = self.state { Some(end) } else { None }
    }
}

impl Pattern {
    /// One that takes just this.
    pub fn of(envelope: Envelope) -> Pattern {
        let Envelope { object, source, tag, partitioned } = envelope;
        Pattern { object, source: Some(source), tag: Some(tag), partitioned }
    }

    /// Whether one message could match both.
    pub fn covers(&self, other: &Pattern) -> bool {
        let same = self.object == other.object && self.partitioned == other.partitioned;
        let source = self.source.is_none() || other.source.is_none() || self.source == other.source;
        let tag = self.tag.is_none() || other.tag.is_none() || self.tag == other.tag;
        same && source && tag
    }

    /// What it takes, where nothing is left open.
    pub fn envelope(&self) -> Option<Envelope> {
        let (object, partitioned) = (self.object, self.partitioned);
        Some(Envelope { object, source: self.source?, tag: self.tag?, partitioned })
    }
}
