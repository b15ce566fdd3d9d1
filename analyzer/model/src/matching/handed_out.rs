//! Whether a rank that answers whoever asks would answer in another order in a changed run.
//!
//! In: the messages that a rank took from any rank, in the order in which it did, with when they were sent in the recorded run and in the changed
//! one. Out: those that would come before one that the rank took, and sent something after, in the recorded run: it would have
//! answered them first, and what it hands out may go to another rank. The replay leaves it where it was.

use rustc_hash::FxHashSet;

/// Messages that a rank took from any rank.
#[derive(Clone, Default, Debug)]
pub struct HandedOut {
    pub messages: u64,
    /// Messages that would come earlier than one that was answered before them.
    pub earlier: u64,
    /// Who sent them, by place.
    pub askers: FxHashSet<u32>,
    /// The one that comes last in the changed run so far.
    last: Option<AskingMessage>,
}

/// A message that a rank took from any rank.
#[derive(Clone, Copy, Debug)]
pub struct AskingMessage {
    pub from: u32,
    /// Messages that the rank had sent when it posted the receive.
    pub answers: u32,
    /// When the message was sent, nanoseconds.
    pub recorded: i64,
    pub changed: i64,
}

impl HandedOut {
    pub fn add(&mut self, message: AskingMessage) {
        self.messages += 1;
        self.askers.insert(message.from);
        let is_overtaken = |last: &AskingMessage| {
            last.recorded <= message.recorded && message.changed < last.changed && last.answers < message.answers
        };
        self.earlier += u64::from(self.last.is_some_and(|last| is_overtaken(&last)));
        if self.last.is_none_or(|last| last.changed <= message.changed) {
            self.last = Some(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages by sender, answers before, and times in the two runs.
    fn earlier(messages: &[(u32, u32, i64, i64)]) -> u64 {
        let mut handed_out = HandedOut::default();
        for (from, answers, recorded, changed) in messages.iter().copied() {
            handed_out.add(AskingMessage { from, answers, recorded, changed });
        }
        handed_out.earlier
    }

    #[test]
    fn a_message_that_comes_before_an_answered_one_would_have_been_answered_first() {
        assert_eq!(earlier(&[(1, 0, 10, 10), (2, 1, 20, 20), (1, 2, 30, 15), (2, 3, 40, 40)]), 1);
        assert_eq!(earlier(&[(1, 0, 10, 10), (2, 1, 20, 25), (1, 2, 30, 30)]), 0);
    }

    #[test]
    fn messages_that_are_taken_together_may_come_in_any_order() {
        assert_eq!(earlier(&[(1, 4, 10, 30), (2, 4, 20, 20)]), 0);
    }
}
