//! Pairs each message with the receive it matched.
//!
//! In: messages in the order each rank sent them, receives in the order they were posted, and their completions. Out: pairs.
//! MPI keeps order for each (communicator, source, tag), so a queue for each is enough. A receive with a wildcard belongs to
//! a queue once its message is known; later receives that could have taken that message wait. If threads called at once, the
//! order is [unknown](super::concurrent).

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Message;
use super::concurrent;
use super::dropped_before::{DroppedBefore, QueueBegin};
use super::held_receives::HeldReceives;
use super::posted_receive::{Envelope, Pattern, Post, Receival};
use crate::roles::SpottedSite;

/// A probe that found a message.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub place: SpottedSite,
    pub start: i64,
    pub end: i64,
    /// Its note in [`DependencyLog`](super::dependency_log::DependencyLog), if dependencies are noted.
    pub note: Option<u64>,
    /// The number in its queue of the receive that will get the message.
    receive: u64,
}

/// Identifies a posted receive until it is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receipt {
    /// The number of its queue, and its number in the queue.
    Placed(u32, u64),
    /// The ticket of a receive that an earlier one blocks.
    Held(u64),
}

pub struct MatchedMessage {
    /// `None` if the record of its send was dropped.
    pub message: Option<Message>,
    pub post: Post,
    pub completion: u32,
    /// Earlier probes that found the message.
    pub probes: Vec<Probe>,
    /// The pair is a guess: several threads called at once.
    pub uncertain: bool,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Message>,
    posts: VecDeque<Post>,
    /// Number of receives posted so far.
    posted: u64,
    /// Latest end of the calls that posted one.
    reach: i64,
    /// Probes whose message has not been received yet.
    probes: Vec<Probe>,
    /// Messages and receives whose other side was dropped.
    begin: QueueBegin,
}

/// All queues of one receiving rank.
#[derive(Default)]
pub struct Queues {
    numbers: FxHashMap<Envelope, u32>,
    queues: Vec<Queue>,
    held: HeldReceives,
    /// New receipts of receives that were held and placed before they completed.
    placed: FxHashMap<u64, Receipt>,
    /// The receiving rank, and the begins of its queues.
    own: u32,
    before: Arc<DroppedBefore>,
}

impl Queues {
    pub fn of(own: u32, before: Arc<DroppedBefore>) -> Queues {
        Queues { own, before, ..Queues::default() }
    }

    /// The queue of the next message of an envelope; `None` if the record of its receive was dropped.
    pub fn of_next(&mut self, envelope: Envelope) -> Option<u32> {
        let number = self.number(envelope);
        let lost = &mut self.queues[number as usize].begin.lost_receives;
        if QueueBegin::take(lost) { None } else { Some(number) }
    }

    /// Adds a message to its queue.
    pub fn message(&mut self, queue: u32, message: Message) {
        self.queues[queue as usize].messages.push_back(message);
    }

    /// Takes the next message of a queue that has its receive.
    pub fn next_pair(&mut self, queue: u32) -> Option<MatchedMessage> {
        self.queues[queue as usize].next_pair()
    }

    pub fn post(&mut self, pattern: Pattern, post: Post) -> Receipt {
        match pattern.envelope() {
            Some(envelope) if !self.held.blocks(&pattern) => self.place(envelope, post),
            _ => Receipt::Held(self.held.add(pattern, post)),
        }
    }

    /// Completes a receive with its message, or takes it out if it gets none (`got` is `None`).
    pub fn complete(
        &mut self,
        receipt: Receipt,
        envelope: Option<Envelope>,
        got: Option<Receival>,
        pairs: &mut Vec<MatchedMessage>,
    ) {
        let receipt = match receipt {
            Receipt::Held(ticket) => self.placed.remove(&ticket).unwrap_or(receipt),
            receipt => receipt,
        };
        match receipt {
            Receipt::Placed(number, post) => {
                let queue = &mut self.queues[number as usize];
                match (queue.place_of(post), got) {
                    (Some(at), Some(got)) => queue.posts[at].finish(got),
                    (Some(at), None) => drop(queue.posts.remove(at)),
                    (None, _) => {}
                }
                queue.pump(pairs);
            }
            Receipt::Held(ticket) => {
                let mut freed = BTreeSet::from([ticket]);
                match got {
                    Some(got) => self.held.finish(ticket, envelope, got),
                    None => drop(self.held.take_out(ticket, &mut freed)),
                }
                self.release(freed, pairs);
            }
        }
    }

    /// Adds a probe that found a message.
    pub fn probe(&mut self, envelope: Envelope, place: SpottedSite, (start, end): (i64, i64), note: Option<u64>) {
        let number = self.number(envelope);
        let queue = &mut self.queues[number as usize];
        queue.probes.push(Probe { place, start, end, note, receive: queue.posted });
    }

    /// Receives that got their message from a rank that was not recorded.
    pub fn of_unrecorded(&self) -> impl Iterator<Item = &Post> {
        let numbers = self.numbers.iter().filter(|(envelope, _)| envelope.source == Envelope::UNRECORDED);
        numbers.flat_map(|(_, number)| &self.queues[*number as usize].posts)
    }

    /// Pairs of a message and its posted receive that is not complete yet.
    pub fn posted(&self) -> impl Iterator<Item = (&Message, &Post)> {
        self.queues.iter().flat_map(|queue| queue.messages.iter().zip(queue.posts.iter().skip(queue.lost())))
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
                queue.messages.get(queue.place_of(post)?.checked_sub(queue.lost())?)
            }
            Receipt::Held(ticket) => self.message_for(&self.held.get(ticket)?.pattern),
        }
    }

    /// The first message that a receive could get if it were posted now.
    pub fn message_for(&self, pattern: &Pattern) -> Option<&Message> {
        let could = self.numbers.iter().filter(|(envelope, _)| Pattern::of(**envelope).covers(pattern));
        let next = |number: u32| {
            let queue = &self.queues[number as usize];
            queue.messages.get(queue.posts.len().saturating_sub(queue.lost()))
        };
        could.filter_map(|(_, number)| next(*number)).min_by_key(|message| (message.begin, message.envelope.source))
    }

    /// Messages without a receive, and receives without a message.
    pub fn rest(&self) -> (impl Iterator<Item = &Message>, impl Iterator<Item = &Post>) {
        let messages = self.queues.iter().flat_map(|queue| &queue.messages);
        let here = self.numbers.iter().filter(|(envelope, _)| envelope.source != Envelope::UNRECORDED);
        let with_message = |number: u32| {
            let queue = &self.queues[number as usize];
            queue.posts.iter().skip(queue.lost())
        };
        let posts = here.flat_map(move |(_, number)| with_message(*number));
        let held = self.held.iter().map(|held| &held.post);
        (messages, posts.chain(held))
    }

    fn number(&mut self, envelope: Envelope) -> u32 {
        self.numbers.get(&envelope).copied().unwrap_or_else(|| self.begin(envelope))
    }

    #[cold]
    fn begin(&mut self, envelope: Envelope) -> u32 {
        let number = self.queues.len() as u32;
        self.queues.push(Queue { begin: self.before.queue(self.own, &envelope), ..Queue::default() });
        self.numbers.insert(envelope, number);
        number
    }

    fn place(&mut self, envelope: Envelope, post: Post) -> Receipt {
        let number = self.number(envelope);
        Receipt::Placed(number, self.queues[number as usize].post(post))
    }

    /// Places each of the `freed` receives that nothing blocks, and those that this frees in turn.
    fn release(&mut self, mut freed: BTreeSet<u64>, pairs: &mut Vec<MatchedMessage>) {
        let mut filled = Vec::new();
        while let Some((ticket, envelope, post)) = self.held.take_free(&mut freed) {
            let open = post.done().is_none();
            let receipt = self.place(envelope, post);
            if open {
                self.placed.insert(ticket, receipt);
            }
            if let Receipt::Placed(number, _) = receipt {
                filled.push(number);
            }
        }
        for number in filled {
            self.queues[number as usize].pump(pairs);
        }
    }
}

impl Queue {
    fn post(&mut self, mut post: Post) -> u64 {
        let (number, mut turn) = (self.posted, post.turn);
        if self.reach > turn.begin {
            concurrent::mark(&mut turn, self.posts.iter_mut().map(|post| &mut post.turn));
        }
        (post.number, post.turn) = (number, turn);
        self.posts.push_back(post);
        self.reach = self.reach.max(turn.end);
        self.posted += 1;
        number
    }

    /// Index of a receive in the queue.
    fn place_of(&self, number: u64) -> Option<usize> {
        let at = number.checked_sub(self.posts.front()?.number)? as usize;
        if self.posts.get(at).is_some_and(|post| post.number == number) {
            return Some(at);
        }
        // Receives were removed from the middle.
        self.posts.binary_search_by_key(&number, |post| post.number).ok()
    }

    /// Takes out the probes that found this receive's message.
    fn probed(&mut self, receive: u64) -> Vec<Probe> {
        let (probed, others) = self.probes.iter().partition(|probe| probe.receive <= receive);
        self.probes = others;
        probed
    }

    /// Number of receives whose messages were dropped.
    fn lost(&self) -> usize {
        usize::try_from(self.begin.lost_messages).unwrap_or(usize::MAX)
    }

    /// Takes out the first receive, whose message was dropped.
    #[cold]
    fn next_lost(&mut self) -> Option<MatchedMessage> {
        let completion = self.posts.front()?.completion()?;
        QueueBegin::take(&mut self.begin.lost_messages);
        let post = self.posts.pop_front()?;
        self.probed(post.number);
        Some(MatchedMessage { message: None, post, completion, probes: Vec::new(), uncertain: false })
    }

    fn pump(&mut self, pairs: &mut Vec<MatchedMessage>) {
        while let Some(pair) = self.next_pair() {
            pairs.push(pair);
        }
    }

    #[inline]
    fn next_pair(&mut self) -> Option<MatchedMessage> {
        if self.begin.lost_messages > 0 {
            return self.next_lost();
        }
        let at = self.ready()?;
        // Without threads that call at once, it is the first.
        let post = if at == 0 { self.posts.pop_front()? } else { self.posts.remove(at)? };
        let message = self.messages.pop_front()?;
        let completion = post.completion()?;
        let uncertain = message.turn.uncertain || post.turn.uncertain;
        let mut probes = if self.probes.is_empty() { Vec::new() } else { self.probed(post.number) };
        if uncertain {
            probes.clear();
        }
        Some(MatchedMessage { message: Some(message), post, completion, probes, uncertain })
    }

    /// Index of the completed receive that the first message belongs to.
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
