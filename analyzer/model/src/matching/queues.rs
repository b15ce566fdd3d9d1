//! Pairs messages with the receives that got them.
//!
//! In: messages in the order each rank sent them, receives in the order they were posted, and what became of those. Out: pairs.
//! MPI keeps order for each (communicator, source, tag), so a queue for each is enough. A receive with a wildcard belongs to
//! a queue once its message is known; later receives that could have taken that message wait. If threads called at once, the
//! order is [unknown](super::concurrent).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Message;
use super::concurrent::{self, CallSpan};
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    number: u64,
}

/// What became of a receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PostState {
    /// Nobody knows yet.
    Open,
    /// It got its message in this completion, at this time.
    Done(u32, i64),
    /// It will get no message.
    Gone,
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

/// A call that asked for a message before it was received.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Function and call site.
    pub place: SpottedSite,
    /// When it began.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// The number in its queue of the receive that will get the message.
    receive: u64,
}

/// Where a receive is until it is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receipt {
    /// The queue, and the number in it.
    Placed(u32, u64),
    /// It waits for an earlier one.
    Held(u64),
}

/// A message, its receive, and the completion of that.
pub struct MatchedMessage {
    /// What was sent.
    pub message: Message,
    /// What received it.
    pub post: Post,
    /// The completion's number.
    pub completion: u32,
    /// Calls that asked for the message before.
    pub probes: Vec<Probe>,
    /// It may have been another message, or another receive.
    pub uncertain: bool,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Message>,
    posts: VecDeque<Post>,
    /// Posts so far.
    posted: u64,
    /// When the last call ends that has posted one.
    reach: i64,
    /// Probes whose message has not been received yet.
    probes: Vec<Probe>,
}

struct HeldPost {
    ticket: u64,
    pattern: Pattern,
    envelope: Option<Envelope>,
    post: Post,
}

/// All queues of one receiving rank.
#[derive(Default)]
pub struct Queues {
    numbers: FxHashMap<Envelope, u32>,
    queues: Vec<Queue>,
    held: Vec<HeldPost>,
    tickets: u64,
    /// Where held receives went that were placed before they were over.
    placed: FxHashMap<u64, Receipt>,
}

impl Post {
    /// A receive that was just posted.
    pub fn new(turn: CallSpan, place: SpottedSite, bytes: u64) -> Post {
        Post { at: turn.begin, place, turn, bytes, truncated: false, state: PostState::Open, number: 0 }
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

    fn covers(&self, other: &Pattern) -> bool {
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

impl Queues {
    /// A message was sent to this rank.
    pub fn message(&mut self, message: Message, pairs: &mut Vec<MatchedMessage>) {
        let number = self.number(message.envelope);
        let queue = &mut self.queues[number as usize];
        queue.messages.push_back(message);
        queue.pump(pairs);
    }

    /// A receive was posted.
    pub fn post(&mut self, pattern: Pattern, post: Post) -> Receipt {
        match pattern.envelope() {
            Some(envelope) if self.held.is_empty() || !self.is_held(&pattern, self.held.len()) => {
                self.place(envelope, post)
            }
            envelope => {
                self.tickets += 1;
                self.held.push(HeldPost { ticket: self.tickets, pattern, envelope, post });
                Receipt::Held(self.tickets)
            }
        }
    }

    /// A receive got its message, or never will.
    pub fn complete(
        &mut self,
        receipt: Receipt,
        envelope: Option<Envelope>,
        got: Option<Receival>,
        pairs: &mut Vec<MatchedMessage>,
    ) {
        let finish = |post: &mut Post| match got {
            None => post.state = PostState::Gone,
            Some(got) => {
                post.state = PostState::Done(got.completion, got.end);
                post.bytes = got.bytes.unwrap_or(post.bytes);
                post.truncated = got.truncated;
            }
        };
        let receipt = match receipt {
            Receipt::Held(ticket) => self.placed.remove(&ticket).unwrap_or(receipt),
            receipt => receipt,
        };
        match receipt {
            Receipt::Placed(number, post) => {
                let queue = &mut self.queues[number as usize];
                if let Some(at) = queue.place_of(post) {
                    finish(&mut queue.posts[at]);
                    if got.is_none() {
                        queue.posts.remove(at);
                    }
                }
                queue.pump(pairs);
            }
            Receipt::Held(ticket) => {
                if let Some(held) = self.held.iter_mut().find(|held| held.ticket == ticket) {
                    finish(&mut held.post);
                    held.envelope = held.envelope.or(envelope);
                }
                self.release(pairs);
            }
        }
    }

    /// A call asked for a message, and there was one.
    pub fn probe(&mut self, envelope: Envelope, place: SpottedSite, start: i64, end: i64) {
        let number = self.number(envelope);
        let queue = &mut self.queues[number as usize];
        queue.probes.push(Probe { place, start, end, receive: queue.posted });
    }

    /// Receives that got their message from a rank that was not recorded.
    pub fn of_unrecorded(&self) -> impl Iterator<Item = &Post> {
        let numbers = self.numbers.iter().filter(|(envelope, _)| envelope.source == Envelope::UNRECORDED);
        numbers.flat_map(|(_, number)| &self.queues[*number as usize].posts)
    }

    /// Messages that wait for a receive to be completed that is posted, each with that.
    pub fn posted(&self) -> impl Iterator<Item = (&Message, &Post)> {
        self.queues.iter().flat_map(|queue| queue.messages.iter().zip(&queue.posts))
    }

    /// The message that a receive will get, if it was sent.
    pub fn message_of(&self, receipt: Receipt) -> Option<&Message> {
        let receipt = match receipt {
            Receipt::Held(ticket) => self.placed.get(&ticket).copied().unwrap_or(receipt),
            receipt => receipt,
        };
        match receipt {
            Receipt::Placed(number, post) => {
                let queue = &self.queues[number as usize];
                queue.messages.get(queue.place_of(post)?)
            }
            Receipt::Held(ticket) => self.message_for(&self.held.iter().find(|held| held.ticket == ticket)?.pattern),
        }
    }

    /// The first message that a receive could get that is posted behind all others.
    pub fn message_for(&self, pattern: &Pattern) -> Option<&Message> {
        let could = self.numbers.iter().filter(|(envelope, _)| Pattern::of(**envelope).covers(pattern));
        let next = |number: u32| {
            let queue = &self.queues[number as usize];
            queue.messages.get(queue.posts.len())
        };
        could.filter_map(|(_, number)| next(*number)).min_by_key(|message| (message.begin, message.envelope.source))
    }

    /// Messages that nobody received, and receives that got none.
    pub fn rest(&self) -> (impl Iterator<Item = &Message>, impl Iterator<Item = &Post>) {
        let messages = self.queues.iter().flat_map(|queue| &queue.messages);
        let here = self.numbers.iter().filter(|(envelope, _)| envelope.source != Envelope::UNRECORDED);
        let posts = here.flat_map(|(_, number)| &self.queues[*number as usize].posts);
        let held = self.held.iter().map(|held| &held.post);
        (messages, posts.chain(held).filter(|post| post.state != PostState::Gone))
    }

    fn number(&mut self, envelope: Envelope) -> u32 {
        *self.numbers.entry(envelope).or_insert_with(|| {
            self.queues.push(Queue::default());
            self.queues.len() as u32 - 1
        })
    }

    fn place(&mut self, envelope: Envelope, post: Post) -> Receipt {
        let number = self.number(envelope);
        Receipt::Placed(number, self.queues[number as usize].post(post))
    }

    /// Whether one of the first held receives may take what this one wants.
    fn is_held(&self, pattern: &Pattern, first: usize) -> bool {
        self.held[..first].iter().any(|held| held.post.state != PostState::Gone && held.pattern.covers(pattern))
    }

    /// Places what nothing holds any more.
    fn release(&mut self, pairs: &mut Vec<MatchedMessage>) {
        let mut at = 0;
        let mut filled = Vec::new();
        while at < self.held.len() {
            let held = &self.held[at];
            if held.post.state == PostState::Gone {
                self.held.remove(at);
            } else if let Some(envelope) = held.envelope.filter(|_| !self.is_held(&held.pattern, at)) {
                let held = self.held.remove(at);
                let open = held.post.state == PostState::Open;
                let receipt = self.place(envelope, held.post);
                if open {
                    self.placed.insert(held.ticket, receipt);
                }
                if let Receipt::Placed(number, _) = receipt {
                    filled.push(number);
                }
            } else {
                at += 1;
            }
        }
        filled.into_iter().for_each(|number| self.queues[number as usize].pump(pairs));
    }
}

impl Queue {
    /// Takes in a receive. Returns its number.
    fn post(&mut self, post: Post) -> u64 {
        let (number, mut turn) = (self.posted, post.turn);
        if self.reach > turn.begin {
            concurrent::mark(&mut turn, self.posts.iter_mut().map(|post| &mut post.turn));
        }
        self.posts.push_back(Post { number, turn, ..post });
        self.reach = self.reach.max(turn.end);
        self.posted += 1;
        number
    }

    /// Where a receive is now.
    fn place_of(&self, number: u64) -> Option<usize> {
        let at = number.checked_sub(self.posts.front()?.number)? as usize;
        if self.posts.get(at).is_some_and(|post| post.number == number) {
            return Some(at);
        }
        // Others have gone from between them.
        self.posts.binary_search_by_key(&number, |post| post.number).ok()
    }

    /// The calls that asked for the message of this receive.
    fn probed(&mut self, receive: u64) -> Vec<Probe> {
        let (probed, others) = self.probes.iter().partition(|probe| probe.receive <= receive);
        self.probes = others;
        probed
    }

    #[inline]
    fn pump(&mut self, pairs: &mut Vec<MatchedMessage>) {
        while let Some(at) = self.ready() {
            let (Some(message), Some(post)) = (self.messages.pop_front(), self.posts.remove(at)) else { return };
            let PostState::Done(completion, _) = post.state else { return };
            let uncertain = message.turn.uncertain || post.turn.uncertain;
            let mut probes = if self.probes.is_empty() { Vec::new() } else { self.probed(post.number) };
            if uncertain {
                probes.clear();
            }
            pairs.push(MatchedMessage { message, post, completion, probes, uncertain });
        }
    }

    /// The place of the receive that the first message went to.
    #[inline]
    fn ready(&self) -> Option<usize> {
        let (message, post) = (self.messages.front()?, self.posts.front()?);
        if !message.turn.uncertain && !post.turn.uncertain {
            return post.done().map(|_| 0);
        }
        let messages = self.messages.iter().map(|message| message.turn);
        concurrent::receive_of_first(messages, self.posts.iter().map(|post| (post.turn, post.done())))
    }
}
