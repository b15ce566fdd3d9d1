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
    /// Call sites of the row of blocking collective calls so far.
    collectives: Vec<usize>,
    /// The end of its last call.
    last_collective: i64,
}

impl CallRows {
    /// True if the call continues a row.
    pub fn continues(&mut self, call: &TimedCall, role: &Role) -> bool {
        match role.what {
            CallPart::Nothing => false,
            CallPart::Message { sends, receives, .. } => {
                self.collectives.clear();
                self.continues_messages(call, role, (sends, receives))
            }
            CallPart::Collective { .. } if !role.takes => {
                self.answers += 1;
                self.continues_collectives(call, role.place.number())
            }
            _ => {
                self.answers += 1;
                self.collectives.clear();
                false
            }
        }
    }

    fn continues_messages(&mut self, call: &TimedCall, role: &Role, (sends, receives): (bool, bool)) -> bool {
        // A later call shows which message a posted receive got.
        if receives && role.takes && !sends {
            return false;
        }
        if receives && !sends {
            self.answers += 1;
            return false;
        }
        let Peer::Rank(peer) = role.to.0 else { return false };
        let last = self.sent.insert((role.place.number(), peer), (self.answers, call.end));
        // An exchange that waits for its answer each time is a row if there is no time to use the answer.
        let longest = if receives { LONGEST_GAP.min(call.end - call.start) } else { LONGEST_GAP };
        last.is_some_and(|(answers, end)| answers == self.answers && call.start - end <= longest)
    }

    /// True if the row has called at this site before.
    fn continues_collectives(&mut self, call: &TimedCall, site: usize) -> bool {
        if call.start - self.last_collective > LONGEST_GAP {
            self.collectives.clear();
        }
        self.last_collective = call.end;
        let is_repeated = self.collectives.contains(&site);
        if !is_repeated {
            self.collectives.push(site);
        }
        is_repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::{Flow, SpottedSite};

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
    fn an_exchange_is_a_row_while_its_answers_are_not_used_and_posted_receives_break_none() {
        let mut rows = CallRows::default();
        let exchange = Role {
            what: CallPart::Message { sends: true, receives: true, partitioned: false },
            to: (Peer::Rank(1), 0),
            ..Role::NONE
        };
        let mut continues = |at: i64, role: &Role| rows.continues(&TimedCall::at(at, at + 10), role);
        assert_eq!([0, 15, 40].map(|at| continues(at, &exchange)), [false, true, false]);
        let send = Role { what: message(true), to: (Peer::Rank(2), 0), takes: true, ..Role::NONE };
        let receive = Role { what: message(false), from: (Peer::Rank(2), 0), takes: true, ..Role::NONE };
        assert!(!continues(1000, &send) && !continues(1010, &receive) && continues(1020, &send));
    }

    #[test]
    fn a_row_of_collective_calls_repeats_its_lines_without_time_between() {
        let mut rows = CallRows::default();
        let at_line = |number| Role {
            what: CallPart::Collective { flow: Flow::All, root: false },
            place: SpottedSite::numbered(number),
            ..Role::NONE
        };
        let (sum, other) = (at_line(1), at_line(2));
        let mut continues = |at: i64, role: &Role| rows.continues(&TimedCall::at(at, at + 10), role);
        assert_eq!([continues(0, &sum), continues(20, &other)], [false, false], "each line once");
        assert_eq!([continues(40, &sum), continues(60, &other)], [true, true]);
        assert_eq!([continues(100 + LONGEST_GAP, &sum), continues(LONGEST_GAP + 120, &sum)], [false, true]);
    }

    fn message(sends: bool) -> CallPart {
        CallPart::Message { sends, receives: !sends, partitioned: false }
    }
}
