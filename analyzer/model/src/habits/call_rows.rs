//! Calls in a row: messages to the same rank with nothing received between, collective calls with little computation between.
//!
//! A pause ends a row, but may be the scheduler's, so calls that only a pause parts from their row are told apart.

use rustc_hash::FxHashMap;

use crate::roles::{CallPart, Peer, Role};
use crate::stream::TimedCall;

/// The longest pause between two calls of a row, nanoseconds: a message that is held back for longer may cost its receiver more
/// than a call costs the sender.
pub const LONGEST_GAP: i64 = 100_000;

/// Position of a call in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowPart {
    /// First call of a row.
    First,
    Next,
    /// Call that would continue a row but for a pause before it, in nanoseconds.
    Paused(i64),
}

/// A rank's rows so far.
#[derive(Default)]
pub struct CallRows {
    /// Number of calls so far that may have received something.
    answers: u64,
    /// By call site and partner: `answers` at the last send, and the end of that call.
    sent: FxHashMap<(usize, u32), (u64, i64)>,
    /// Call sites of the row of blocking collective calls so far, with `pauses` at each one's last call.
    collectives: Vec<(usize, u64)>,
    /// Their function: another one between needs its own result.
    function: u16,
    /// The end of its last call.
    last_collective: i64,
    /// Number of pauses so far, and length of the last one.
    pauses: u64,
    pause: i64,
}

impl CallRows {
    /// Adds the rank's next call.
    pub fn add(&mut self, call: &TimedCall, role: &Role) -> RowPart {
        match role.what {
            CallPart::Nothing => RowPart::First,
            // It sends nothing until its request is started.
            CallPart::Message { .. } if role.creates => RowPart::First,
            CallPart::Message { sends, receives, .. } => {
                self.collectives.clear();
                self.add_message(call, role, (sends, receives))
            }
            CallPart::Collective { .. } if !role.takes => {
                self.answers += 1;
                self.add_collective(call, role)
            }
            _ => {
                self.answers += 1;
                self.collectives.clear();
                RowPart::First
            }
        }
    }

    /// Adds the completion of a posted receive: what is sent next may depend on it.
    pub fn receive(&mut self) {
        self.answers += 1;
    }

    fn add_message(&mut self, call: &TimedCall, role: &Role, (sends, receives): (bool, bool)) -> RowPart {
        if receives && !sends {
            // A later call completes a posted receive.
            self.answers += u64::from(!role.takes || role.at_once);
            return RowPart::First;
        }
        let Peer::Rank(peer) = role.to.0 else { return RowPart::First };
        let last = self.sent.insert((role.place.number(), peer), (self.answers, call.end));
        // An exchange that waits for its answer each time is a row if there is no time to use the answer.
        let longest = if receives { LONGEST_GAP.min(call.end - call.start) } else { LONGEST_GAP };
        let Some((_, end)) = last.filter(|(answers, _)| *answers == self.answers) else { return RowPart::First };
        let gap = call.start - end;
        if gap <= longest { RowPart::Next } else { RowPart::Paused(gap) }
    }

    /// The row continues if it has called at this site before.
    fn add_collective(&mut self, call: &TimedCall, role: &Role) -> RowPart {
        let site = role.place.number();
        if self.function != role.function {
            self.collectives.clear();
            self.function = role.function;
        }
        let gap = call.start - self.last_collective;
        if gap > LONGEST_GAP {
            self.pauses += 1;
            self.pause = gap;
        }
        self.last_collective = call.end;
        match self.collectives.iter_mut().find(|(of, _)| *of == site) {
            Some((_, pauses)) if *pauses == self.pauses => RowPart::Next,
            Some((_, pauses)) => {
                *pauses = self.pauses;
                RowPart::Paused(self.pause)
            }
            None => {
                self.collectives.push((site, self.pauses));
                RowPart::First
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::{Epoch, Flow, SpottedSite};

    #[test]
    fn messages_to_one_rank_are_a_row_until_an_answer_comes_or_time_passes() {
        let mut rows = CallRows::default();
        let send = Role { what: message(true), to: (Peer::Rank(1), 0), ..Role::NONE };
        let receive = Role { what: message(false), from: (Peer::Rank(1), 0), ..Role::NONE };
        let mut add = |at: i64, role: &Role| rows.add(&TimedCall::at(at, at + 10), role);
        assert_eq!(add(0, &send), RowPart::First);
        assert_eq!(add(100, &send), RowPart::Next, "directly behind it");
        assert_eq!(add(200, &receive), RowPart::First);
        assert_eq!(add(300, &send), RowPart::First, "an answer came between");
        assert_eq!(
            add(400 + LONGEST_GAP, &send),
            RowPart::Paused(90 + LONGEST_GAP),
            "it would have been kept for long"
        );
        assert_eq!(add(500 + LONGEST_GAP, &send), RowPart::Next);
        let creates = Role { takes: true, creates: true, ..send };
        assert_eq!([add(520 + LONGEST_GAP, &creates), add(540 + LONGEST_GAP, &creates)], [RowPart::First; 2]);
    }

    #[test]
    fn an_exchange_is_a_row_while_its_answers_are_not_used_and_posted_receives_break_none() {
        let mut rows = CallRows::default();
        let exchange = Role {
            what: CallPart::Message { sends: true, receives: true, partitioned: false },
            to: (Peer::Rank(1), 0),
            ..Role::NONE
        };
        let mut add = |at: i64, role: &Role| rows.add(&TimedCall::at(at, at + 10), role);
        assert_eq!([0, 15, 40].map(|at| add(at, &exchange)), [RowPart::First, RowPart::Next, RowPart::Paused(15)]);
        let send = Role { what: message(true), to: (Peer::Rank(2), 0), takes: true, ..Role::NONE };
        let receive = Role { what: message(false), from: (Peer::Rank(2), 0), takes: true, ..Role::NONE };
        let parts = [(1000, &send), (1010, &receive), (1020, &send)].map(|(at, role)| add(at, role));
        assert_eq!(parts, [RowPart::First, RowPart::First, RowPart::Next]);
    }

    #[test]
    fn a_message_after_any_call_that_may_have_told_the_rank_something_begins_a_row() {
        let send = Role { what: message(true), to: (Peer::Rank(1), 0), ..Role::NONE };
        let sum = CallPart::Collective { flow: Flow::All, root: false };
        for (between, takes) in
            [(CallPart::Probe, false), (sum, false), (sum, true), (CallPart::Window(Epoch::Wait), false)]
        {
            let mut rows = CallRows::default();
            let mut add = |at: i64, role: &Role| rows.add(&TimedCall::at(at, at + 10), role);
            let parts =
                [add(0, &send), add(20, &Role { what: between, takes, ..Role::NONE }), add(40, &send), add(60, &send)];
            assert_eq!(parts, [RowPart::First, RowPart::First, RowPart::First, RowPart::Next], "{between:?}");
        }
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
        let mut add = |at: i64, role: &Role| rows.add(&TimedCall::at(at, at + 10), role);
        assert_eq!([add(0, &sum), add(20, &other)], [RowPart::First; 2], "each line once");
        assert_eq!([add(40, &sum), add(60, &other)], [RowPart::Next; 2]);
        let behind = |time: i64| LONGEST_GAP + time;
        assert_eq!([add(behind(100), &sum), add(behind(120), &sum)], [RowPart::Paused(behind(30)), RowPart::Next]);
        assert_eq!(add(behind(140), &other), RowPart::Paused(behind(30)), "the same pause");
        let exchange = Role { function: 7, ..other };
        assert_eq!([add(behind(160), &exchange), add(behind(180), &sum)], [RowPart::First; 2], "another function");
    }

    fn message(sends: bool) -> CallPart {
        CallPart::Message { sends, receives: !sends, partitioned: false }
    }
}
