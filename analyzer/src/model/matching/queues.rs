//! Pairs messages with the receives that got them.
//!
//! In: messages in the order each rank sent them, receives in the order they were posted, and what became of those. Out: pairs.
//! MPI keeps order for each (communicator, source, tag), so a queue for each is enough. A receive with a wildcard belongs to
//! a queue once it is known what it got; later ones that could have taken its message wait for that.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Message;

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
#[derive(Clone, Debug)]
pub struct Post {
    /// When it was posted.
    pub at: i64,
    /// Where.
    pub place: u32,
    /// Bytes it had room for, or got.
    pub bytes: u64,
    /// Calls that asked for its message before: place, start and end.
    pub probes: Vec<(u32, i64, i64)>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Open,
    /// It got its message: in this completion.
    Done(u32),
    /// It will get none.
    Gone,
}

/// Where a receive is until it is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receipt {
    /// The queue, and the place in it since it began.
    Placed(u32, u64),
    /// It waits for an earlier one.
    Held(u64),
}

/// A message, its receive, and the completion of that.
pub struct Pair {
    /// What was sent.
    pub message: Message,
    /// What received it.
    pub post: Post,
    /// The completion's number.
    pub completion: u32,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Message>,
    posts: VecDeque<Post>,
    /// Posts that have left it.
    gone: u64,
    /// Probes whose message has not been received yet.
    probes: Vec<(u32, i64, i64)>,
}

struct Held {
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
    held: Vec<Held>,
    tickets: u64,
    /// Where held receives went that were placed before they were over.
    placed: FxHashMap<u64, Receipt>,
}

impl Post {
    /// A receive that was just posted.
    pub fn new(at: i64, place: u32, bytes: u64) -> Post {
        Post { at, place, bytes, probes: Vec::new(), state: State::Open }
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
    pub fn message(&mut self, message: Message, pairs: &mut Vec<Pair>) {
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
                self.held.push(Held { ticket: self.tickets, pattern, envelope, post });
                Receipt::Held(self.tickets)
            }
        }
    }

    /// A receive got its message, or never will.
    pub fn complete(
        &mut self,
        receipt: Receipt,
        envelope: Option<Envelope>,
        completion: Option<u32>,
        bytes: Option<u64>,
        pairs: &mut Vec<Pair>,
    ) {
        let state = completion.map_or(State::Gone, State::Done);
        let finish = |post: &mut Post| {
            post.state = state;
            post.bytes = bytes.unwrap_or(post.bytes);
        };
        let receipt = match receipt {
            Receipt::Held(ticket) => self.placed.remove(&ticket).unwrap_or(receipt),
            receipt => receipt,
        };
        match receipt {
            Receipt::Placed(number, place) => {
                let queue = &mut self.queues[number as usize];
                let at = place.checked_sub(queue.gone).and_then(|at| queue.posts.get_mut(at as usize));
                at.into_iter().for_each(finish);
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
    pub fn probe(&mut self, envelope: Envelope, place: u32, start: i64, end: i64) {
        let number = self.number(envelope);
        self.queues[number as usize].probes.push((place, start, end));
    }

    /// Messages that nobody received, and receives that got none.
    pub fn rest(&self) -> (impl Iterator<Item = &Message>, impl Iterator<Item = &Post>) {
        let messages = self.queues.iter().flat_map(|queue| &queue.messages);
        let posts = self.queues.iter().flat_map(|queue| &queue.posts);
        let held = self.held.iter().map(|held| &held.post);
        (messages, posts.chain(held).filter(|post| post.state != State::Gone))
    }

    fn number(&mut self, envelope: Envelope) -> u32 {
        *self.numbers.entry(envelope).or_insert_with(|| {
            self.queues.push(Queue::default());
            self.queues.len() as u32 - 1
        })
    }

    fn place(&mut self, envelope: Envelope, mut post: Post) -> Receipt {
        let number = self.number(envelope);
        let queue = &mut self.queues[number as usize];
        if !queue.probes.is_empty() {
            post.probes = std::mem::take(&mut queue.probes);
        }
        queue.posts.push_back(post);
        Receipt::Placed(number, queue.gone + queue.posts.len() as u64 - 1)
    }

    /// Whether one of the first held receives may take what this one wants.
    fn is_held(&self, pattern: &Pattern, first: usize) -> bool {
        self.held[..first].iter().any(|held| held.post.state != State::Gone && held.pattern.covers(pattern))
    }

    /// Places what nothing holds any more.
    fn release(&mut self, pairs: &mut Vec<Pair>) {
        let mut at = 0;
        while at < self.held.len() {
            let held = &self.held[at];
            if held.post.state == State::Gone {
                self.held.remove(at);
            } else if let Some(envelope) = held.envelope.filter(|_| !self.is_held(&held.pattern, at)) {
                let held = self.held.remove(at);
                let open = held.post.state == State::Open;
                let receipt = self.place(envelope, held.post);
                if open {
                    self.placed.insert(held.ticket, receipt);
                }
                if let Receipt::Placed(number, _) = receipt {
                    self.queues[number as usize].pump(pairs);
                }
            } else {
                at += 1;
            }
        }
    }
}

impl Queue {
    #[inline]
    fn pump(&mut self, pairs: &mut Vec<Pair>) {
        while let Some(post) = self.posts.front() {
            match post.state {
                State::Open => break,
                State::Gone => drop(self.posts.pop_front()),
                State::Done(completion) => {
                    let Some(message) = self.messages.pop_front() else { break };
                    let Some(post) = self.posts.pop_front() else { break };
                    pairs.push(Pair { message, post, completion });
                }
            }
            self.gone += 1;
        }
    }
}
