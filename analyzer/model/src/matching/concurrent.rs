//! Calls of different threads of a rank that overlap in time: no record tells in which order MPI got them.
//!
//! In: sends and receives in the order they began, with their threads. Out: which of them entered one queue in an
//! unknown order, and which receives may have got the first message of that queue.

use super::Message;

/// When a call was under way that sent or posted something, and on which thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSpan {
    /// By its place among the rank's threads.
    pub thread: u32,
    /// When the call began.
    pub begin: i64,
    /// When it ended.
    pub end: i64,
    /// Another thread's call for the same queue overlaps it.
    pub uncertain: bool,
}

impl CallSpan {
    /// Whether two calls may have come to MPI in either order.
    pub fn overlaps(&self, other: &CallSpan) -> bool {
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

/// Marks calls that overlap the last one, and that one where there are any.
pub fn mark<'a>(last: &mut CallSpan, before: impl Iterator<Item = &'a mut CallSpan>) {
    for other in before {
        if other.overlaps(last) {
            (other.uncertain, last.uncertain) = (true, true);
        }
    }
}

/// The place of the receive that the first message went to, once that is complete. Of several that it may have gone to it is
/// the one that was complete first: then no message runs backwards that need not. Of each receive: its turn, and when it was
/// complete.
pub fn receive_of_first(
    mut messages: impl Iterator<Item = CallSpan>,
    posts: impl Iterator<Item = (CallSpan, Option<i64>)> + Clone,
) -> Option<usize> {
    let first = messages.next()?;
    // So many others may have come before it.
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
