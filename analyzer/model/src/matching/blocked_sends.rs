//! Blocking sends that lasted, and the sizes that were sent at once.
//!
//! In: each message with its send and its receive. Out: sums by the line that sent them. A send that returned before its receive was
//! posted did not wait for it: up to that size the library stores messages, and a send that lasts waits for room, or for the receiver
//! to be in MPI. A send that lasts although its receive was posted before is mostly kept from its core.

use rustc_hash::FxHashMap;

use super::wait_sums::RankSite;
use super::{Message, Token};
use crate::sums::Grow;

/// Sends that take no longer may do so by themselves, nanoseconds: on a network of 1 Gbit/s 4 KiB take 40 us.
pub const LONG_SEND: i64 = 100_000;

/// Sends of one line of a rank to one receiver.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BlockedSends {
    /// Number of sends that took longer than [`LONG_SEND`], and whose receive was posted after their begin.
    pub count: u64,
    /// Time in them, nanoseconds.
    pub time: i64,
    /// The part of `time` until their receives were posted, if they lasted until then.
    pub waited: i64,
    /// Size of the longest of their messages.
    pub bytes: u64,
    /// Number of other sends that took longer, and time in them.
    pub prepared: u64,
    pub prepared_time: i64,
    /// Size of the longest message whose send returned before its receive was posted.
    pub at_once: u64,
}

/// By the sending line; and the line of the last message with the longest that it sent at once, since most messages follow one of
/// the same line.
#[derive(Default)]
pub struct BlockedSendsOf(pub FxHashMap<RankSite, BlockedSends>, Option<(RankSite, u64)>);

impl BlockedSendsOf {
    /// Adds a message whose receive was posted at `posted`; `error` is that of the clocks, in nanoseconds.
    pub fn add(&mut self, message: &Message, posted: i64, error: i64) {
        // Nonblocking sends return whether their message is on its way or not.
        let is_blocking = matches!(message.token, Some(Token::Completion(_)));
        let (begin, end) = (message.turn.begin, message.turn.end);
        let is_at_once = posted > end.saturating_add(error);
        let is_long = end - begin > LONG_SEND;
        if !is_blocking || !message.place.counts() || !is_at_once && !is_long {
            return;
        }
        let line = RankSite { rank: message.envelope.source, place: message.place };
        if !is_long && self.1.is_some_and(|(last, longest)| last == line && message.bytes <= longest) {
            return;
        }
        let sends = self.0.entry(line).or_default();
        if is_at_once {
            sends.at_once = sends.at_once.max(message.bytes);
            self.1 = Some((line, sends.at_once));
        }
        if is_long && posted <= begin.saturating_add(error) {
            sends.prepared.grow(1);
            sends.prepared_time.grow(end - begin);
        } else if is_long {
            sends.count.grow(1);
            sends.time.grow(end - begin);
            sends.waited.grow(if posted < end { posted - begin } else { 0 });
            sends.bytes = sends.bytes.max(message.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::concurrent::CallSpan;
    use crate::matching::link_times::Mark;
    use crate::matching::posted_receive::Envelope;
    use crate::roles::SpottedSite;

    fn message(bytes: u64, (begin, end): (i64, i64), token: Token) -> Message {
        let envelope = Envelope { object: 0, source: 1, tag: 0, partitioned: false };
        let turn = CallSpan { thread: 0, begin, end, uncertain: false };
        let (place, token, mark) = (SpottedSite::default(), Some(token), Mark::default());
        Message { envelope, place, begin, number: 0, turn, bytes, token, open: false, mark, noted: 0 }
    }

    fn sums(sends: &[(u64, (i64, i64), i64)], token: Token) -> Option<BlockedSends> {
        let mut blocked = BlockedSendsOf::default();
        for (bytes, span, posted) in sends {
            blocked.add(&message(*bytes, *span, token), *posted, 5);
        }
        blocked.0.into_values().next()
    }

    #[test]
    fn a_send_that_returns_before_its_receive_is_posted_shows_a_size_that_is_sent_at_once() {
        let sums = sums(&[(512, (0, 10), 500), (4096, (20, 30), 33)], Token::Completion(0)).unwrap();
        assert_eq!((sums.at_once, sums.count), (512, 0), "the clocks do not tell which was first");
    }

    #[test]
    fn long_sends_count_with_all_their_time_and_with_their_wait_for_the_receive() {
        let until = 3 * LONG_SEND;
        let both = [(512, (0, until), 2 * LONG_SEND), (256, (until, 2 * until), 9 * until)];
        let sums = sums(&both, Token::Completion(0)).unwrap();
        assert_eq!((sums.count, sums.time, sums.waited), (2, 2 * until, 2 * LONG_SEND));
        assert_eq!((sums.bytes, sums.at_once), (512, 256));
    }

    #[test]
    fn sends_to_receivers_that_wait_count_apart_and_nonblocking_ones_not_at_all() {
        let sums_of_late = sums(&[(512, (0, 3 * LONG_SEND), -10)], Token::Completion(0)).unwrap();
        assert_eq!((sums_of_late.count, sums_of_late.prepared, sums_of_late.prepared_time), (0, 1, 3 * LONG_SEND));
        assert_eq!(sums(&[(512, (0, 10), 500)], Token::Request(0, 0)), None);
    }
}
