//! Calls of different threads of a rank that overlap in time: no record shows the order in which MPI got them.
//!
//! In: sends and receives in the order they began, with their threads. Out: which of them entered one queue in an
//! unknown order, and which receives may have got the first message of that queue.

use super::Message;

/// Time and thread of a call that sends a message or posts a receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSpan {
    /// The thread's place among the rank's threads.
    pub thread: u32,
    pub begin: i64,
    pub end: i64,
    /// Another thread's call for the same queue overlaps it.
    pub uncertain: bool,
}

impl CallSpan {
    /// True if MPI may have seen the two calls in either order.
    pub fn overlaps(&self, other: &CallSpan) -> bool {
        self.thread != other.thread && self.begin < other.end && other.begin < self.end
    }
}

/// Holds the messages of a multithreaded rank until no later call can overlap them.
#[derive(Default)]
pub struct Outbox {
    messages: Vec<(u32, Message)>,
}

impl Outbox {
    /// Adds a message; messages are added in the order they begin.
    pub fn add(&mut self, to: u32, mut message: Message) {
        for (whom, other) in &mut self.messages {
            if *whom == to && other.envelope == message.envelope && other.turn.overlaps(&message.turn) {
                (other.turn.uncertain, message.turn.uncertain) = (true, true);
            }
        }
        self.messages.push((to, message));
    }

    /// Sends every message that no call from `now` on can overlap, and those already known to be overlapped.
    pub fn pass(&mut self, now: i64, mut send: impl FnMut(u32, Message)) {
        self.messages.retain(|(to, message)| {
            let waits = !message.turn.uncertain && message.turn.end > now;
            if !waits {
                send(*to, message.clone());
            }
            waits
        });
    }
}

/// Marks `last` and each earlier call that overlaps it as uncertain.
pub fn mark<'a>(last: &mut CallSpan, before: impl Iterator<Item = &'a mut CallSpan>) {
    for other in before {
        if other.overlaps(last) {
            (other.uncertain, last.uncertain) = (true, true);
        }
    }
}

/// Index of the receive that got the first message, once that receive is complete. If several may have got it, the one completed
/// first is chosen: then no message runs backwards unless it must. Each post is its call and its completion time.
pub fn receive_of_first(
    mut messages: impl Iterator<Item = CallSpan>,
    posts: impl Iterator<Item = (CallSpan, Option<i64>)> + Clone,
) -> Option<usize> {
    let first = messages.next()?;
    // This many messages may have entered the queue before this one.
    let ahead = messages.take_while(|turn| turn.begin < first.end).filter(|turn| turn.overlaps(&first)).count();
    let mut candidate: Option<(i64, usize)> = None;
    for (at, (turn, done)) in posts.clone().enumerate() {
        let others = || posts.clone().take(at).map(|(other, _)| other);
        // Receives that began before it and do not overlap it came before it.
        if others().filter(|other| !other.overlaps(&turn)).count() <= ahead {
            candidate = candidate.into_iter().chain(done.map(|done| (done, at))).min();
        }
        if others().filter(|other| other.end <= turn.begin).count() > ahead {
            break;
        }
    }
    candidate.map(|(_, at)| at)
}
