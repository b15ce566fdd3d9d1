//! Calls in a row: messages to the same rank with nothing received between, collective calls with little computation between.

use rustc_hash::FxHashMap;

use crate::roles::{CallPart, Peer, Role};
use crate::stream::TimedCall;

/// The longest pause between two calls of a row, nanoseconds: a message that is held back for longer may cost its receiver more
/// than a call costs the sender.
pub const LONGEST_GAP: i64 = 100_000;

/// A rank's rows so far.
#[derive(Default)]
pub struct CallRows {
    /// Number of calls so far that may have received something.
    answers: u64,
    /// By call site and partner: `answers` at the last send, and the end of that call.
    sent: FxHashMap<(usize, u32), (u64, i64)>,
    /// The function of the last call, if that was a blocking collective call, and when it ended.
    last_collective: Option<(u16, i64)>,
}

impl CallRows {
    /// Whether the call continues a row.
    pub fn continues(&mut self, call: &TimedCall, role: &Role) -> bool {
        let last_collective = self.last_collective.take();
        match role.what {
            CallPart::Message { sends, receives, .. } => {
                if receives {
                    self.answers += 1;
                    return false;
                }
                let Peer::Rank(peer) = role.to.0 else { return false };
                let last = self.sent.insert((role.place.number(), peer), (self.answers, call.end));
                let is_near = |(answers, end)| answers == self.answers && call.start - end <= LONGEST_GAP;
                sends && last.is_some_and(is_near)
            }
            CallPart::Collective { .. } => {
                self.answers += 1;
                if role.takes {
                    return false;
                }
                self.last_collective = Some((role.function, call.end));
                last_collective
                    .is_some_and(|(function, end)| function == role.function && call.start - end <= LONGEST_GAP)
            }
            CallPart::Nothing => false,
            _ => {
                self.answers += 1;
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::Flow;

    #[test]
    fn messages_to_one_rank_are_a_row_until_an_answer_comes_or_time_passes() {
        let mut rows = CallRows::default();
        let send = Role { what: message(true), to: (Peer::Rank(1), 0), ..Role::NONE };
        let receive = Role { what: message(false), from: (Peer::Rank(1), 0), ..Role::NONE };
        let mut continues = |at: i64, role: &Role| rows.continues(&TimedCall::at(at, at + 10), role);
        assert!(!continues(0, &send), "the first");
        assert!(continues(100, &send), "directly behind it");
        assert!(!continues(200, &receive));
        assert!(!continues(300, &send), "an answer came between");
        assert!(!continues(400 + LONGEST_GAP, &send), "it would have been kept for long");
    }

    #[test]
    fn collective_calls_of_another_function_end_a_row() {
        let mut rows = CallRows::default();
        let sum = Role { what: CallPart::Collective { flow: Flow::All, root: false }, function: 1, ..Role::NONE };
        let other = Role { function: 2, ..sum };
        let mut continues = |at: i64, role: &Role| rows.continues(&TimedCall::at(at, at + 10), role);
        assert_eq!([continues(0, &sum), continues(20, &sum), continues(40, &other)], [false, true, false]);
    }

    fn message(sends: bool) -> CallPart {
        CallPart::Message { sends, receives: !sends, partitioned: false }
    }
}
