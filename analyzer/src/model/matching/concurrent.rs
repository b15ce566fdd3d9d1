//! Calls of different threads of a rank that overlap in time: nothing tells in which order they came to MPI.
//!
//! In: sends and receives in the order they began, with their threads. Out: which of them came to one queue in an order that
//! nobody knows, and which receives the first message of that queue may have gone to.

use std::collections::VecDeque;

use super::Message;
use super::queues::Post;

/// When a call was under way that sent or posted something, and on which thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// By its place among the rank's threads.
    pub thread: u32,
    /// When the call began.
    pub begin: i64,
    /// When it ended.
    pub end: i64,
    /// Another thread's call for the same queue overlaps it.
    pub uncertain: bool,
}

impl Turn {
    /// Whether two calls may have come to MPI in either order.
    pub fn overlaps(&self, other: &Turn) -> bool {
        self.thread != other.thread && self.begin < other.end && other.begin < self.end
    }
}

/// Messages of a rank with several threads, until it is known whether another overlaps them.
#[derive(Default)]
pub struct Outbox {
    messages: Vec<(u32, Message)>,
}

impl Outbox {
    /// A message to a rank, the last to begin so far.
    pub fn add(&mut self, to: u32, mut message: Message) {
        for (whom, other) in &mut self.messages {
            if *whom == to && other.envelope == message.envelope && other.turn.overlaps(&message.turn) {
                (other.turn.uncertain, message.turn.uncertain) = (true, true);
            }
        }
        self.messages.push((to, message));
    }

    /// All that begins from now on begins later: sends what that cannot overlap, or what is overlapped anyway.
    pub fn pass(&mut self, now: i64, mut send: impl FnMut(u32, Message)) {
        self.messages.retain(|(to, message)| {
            let waits = !message.turn.uncertain && message.turn.end > now;
            if !waits {
                send(*to, *message);
            }
            waits
        });
    }
}

/// Marks receives that overlap the one that was posted last.
pub fn mark(posts: &mut VecDeque<Post>, reach: i64) {
    let Some(mut last) = posts.pop_back() else { return };
    if reach > last.turn.begin {
        let turn = last.turn;
        for post in posts.iter_mut().filter(|post| post.turn.overlaps(&turn)) {
            (post.turn.uncertain, last.turn.uncertain) = (true, true);
        }
    }
    posts.push_back(last);
}

/// The place of the receive that the first message went to, once that is complete. Of several that it may have gone to it is
/// the one that was complete first: then no message runs backwards that need not.
pub fn receive_of_first(messages: &VecDeque<Message>, posts: &VecDeque<Post>) -> Option<usize> {
    let first = messages.front()?.turn;
    // So many others may have come before it.
    let ahead = messages.iter().skip(1).take_while(|message| message.turn.begin < first.end);
    let ahead = ahead.filter(|message| message.turn.overlaps(&first)).count();
    let mut candidate: Option<(i64, usize)> = None;
    for (at, post) in posts.iter().enumerate() {
        // Receives that began before it and do not overlap it came before it.
        let before = posts.iter().take(at).filter(|other| !other.turn.overlaps(&post.turn)).count();
        if before <= ahead {
            candidate = candidate.into_iter().chain(post.done().map(|done| (done, at))).min();
        }
        let over = posts.iter().take(at).filter(|other| other.turn.end <= post.turn.begin).count();
        if over > ahead {
            break;
        }
    }
    candidate.map(|(_, at)| at)
}
