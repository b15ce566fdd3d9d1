//! Calls directly behind another one of their function with the same ranks.
//!
//! In: a rank's calls in order. Out: for each whether it is one, and the line of the first call of its kind. In so short a time a program
//! makes nothing of a result, so one call could have done for both.

use crate::roles::{CallPart, Peer, Role};
use crate::stream::TimedCall;
use crate::sums::Grow;

/// The longest time between two such calls, nanoseconds; what the recorder takes there is a tenth of it.
const AT_ONCE: i64 = 500;

/// Calls of one line directly behind another one with the same ranks.
#[derive(Clone, Copy, Default, Debug)]
pub struct Succession {
    pub count: u64,
    /// Time in them without waits, nanoseconds.
    pub time: i64,
    /// Site of the first call before the last one of them.
    pub first: Option<u32>,
}

impl Succession {
    pub fn add(&mut self, time: i64, first: u32) {
        self.count.grow(1);
        self.time.grow(time);
        self.first = Some(first);
    }
}

/// The calls of one function that follow each other directly.
#[derive(Default)]
pub struct OpenSuccession {
    function: u16,
    object: Option<u32>,
    /// The site of the first call with each partner; a collective call has none.
    firsts: Vec<(Option<u32>, u32)>,
    end: i64,
}

impl OpenSuccession {
    /// Adds the rank's next call. Returns the site of the first call with the same ranks, if this one follows that directly.
    pub fn add(&mut self, call: &TimedCall, role: &Role) -> Option<u32> {
        let partner = match role.what {
            CallPart::Message { sends: true, .. } if !role.takes => match role.to.0 {
                Peer::Rank(partner) => Some(partner),
                _ => return None,
            },
            CallPart::Collective { .. } if !role.takes => None,
            _ => {
                self.firsts.clear();
                return None;
            }
        };
        let is_next = self.function == role.function && self.object == role.object && call.start - self.end <= AT_ONCE;
        if !is_next {
            self.firsts.clear();
        }
        (self.function, self.object, self.end) = (role.function, role.object, call.end);
        let site = role.place.number() as u32;
        let first = self.firsts.iter().find(|(of, _)| *of == partner).map(|(_, first)| *first);
        if first.is_none() {
            self.firsts.push((partner, site));
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::{Flow, SpottedSite};

    fn at_line(what: CallPart, function: u16, line: u32, to: u32) -> Role {
        Role { what, function, place: SpottedSite::numbered(line), to: (Peer::Rank(to), 0), ..Role::NONE }
    }

    #[test]
    fn sums_at_three_lines_follow_the_first_of_them_until_the_program_computes_or_calls_something_else() {
        let sum = |line| at_line(CallPart::Collective { flow: Flow::All, root: false }, 3, line, 0);
        let mut open = OpenSuccession::default();
        let mut add = |at: i64, role: &Role| open.add(&TimedCall::at(at, at + 400), role);
        assert_eq!([add(0, &sum(1)), add(450, &sum(2)), add(900, &sum(3))], [None, Some(1), Some(1)]);
        assert_eq!(add(1_301 + AT_ONCE, &sum(1)), None, "there was time to use the sums");
        assert_eq!(add(2_300, &Role { function: 4, ..sum(2) }), None, "another function");
    }

    #[test]
    fn exchanges_follow_the_first_one_with_the_same_rank() {
        let exchange = CallPart::Message { sends: true, receives: true, partitioned: false };
        let mut open = OpenSuccession::default();
        let mut add = |at: i64, line, to| open.add(&TimedCall::at(at, at + 90), &at_line(exchange, 5, line, to));
        let firsts = [add(0, 1, 7), add(100, 2, 8), add(200, 1, 7), add(300, 2, 8), add(400, 3, 7)];
        assert_eq!(firsts, [None, None, Some(1), Some(2), Some(1)]);
    }
}
