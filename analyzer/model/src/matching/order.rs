//! Finds messages received in the wrong order.
//!
//! In: completed receives, in whatever order their messages become known. Examines them in the order of the rank's calls. Out: late
//! senders whose message a rank waited for although another message, received only later, was there; and for others, since when one was
//! that the rank could have received in its place.

use std::collections::VecDeque;

use super::wait_sums::Late;
use crate::roles::SpottedSite;

#[derive(Clone, Copy, Debug)]
pub struct Received {
    pub thread: u32,
    pub place: SpottedSite,
    /// Messages that the rank had sent before.
    pub sent: u32,
    pub start: i64,
    /// Time at which the earliest of its messages was sent.
    pub earliest: i64,
    pub source: u32,
    /// Its wait, if a sender was late.
    pub late: Option<Late>,
}

/// Receives of one rank, and the late senders among them.
#[derive(Default)]
pub struct Order {
    /// In the order of the calls; `None` while a call's messages are unknown.
    calls: VecDeque<Option<Received>>,
    /// Number of calls that were examined and dropped.
    done: u64,
    late: VecDeque<Late>,
    /// Latest end of a wait in `late`.
    latest: i64,
    /// Late senders in the right order that are not passed on yet.
    right: Vec<Late>,
}

/// Calls kept for examination. The bound keeps one message that never becomes known from holding up more.
const CALLS: usize = 4096;
/// Late senders kept.
const LATE: usize = 64;

impl Order {
    /// Adds a call that receives something. Returns its number.
    pub fn begin(&mut self) -> u64 {
        if self.calls.len() == CALLS {
            let dropped = self.calls.pop_front().flatten();
            self.right.extend(dropped.and_then(|received| received.late));
            self.done += 1;
        }
        self.calls.push_back(None);
        self.done + self.calls.len() as u64 - 1
    }

    /// Fills in a call. Passes each wait that is decided now to `judge`, with true for a message in the wrong order. `margin` is the
    /// maximum error of the time of a call's earliest message.
    pub fn known(
        &mut self,
        number: u64,
        received: Received,
        margin: impl Fn(&Received) -> i64,
        mut judge: impl FnMut(&Late, bool),
    ) {
        for late in self.right.drain(..) {
            judge(&late, false);
        }
        let Some(at) = number.checked_sub(self.done) else {
            if let Some(late) = received.late {
                judge(&late, false);
            }
            return;
        };
        self.calls[at as usize] = Some(received);
        while let Some(Some(received)) = self.calls.front().copied() {
            self.calls.pop_front();
            self.done += 1;
            if received.earliest < self.latest {
                self.compare(&received, margin(&received), &mut judge);
            }
            if let Some(late) = received.late {
                if self.late.len() == LATE
                    && let Some(oldest) = self.late.pop_front()
                {
                    judge(&oldest, false);
                }
                self.latest = self.latest.max(late.end);
                self.late.push_back(Late { sent: received.sent, ..late });
            }
        }
    }

    /// Compares a call with the waits before it.
    fn compare(&mut self, received: &Received, margin: i64, judge: &mut impl FnMut(&Late, bool)) {
        let earliest = received.earliest.saturating_add(margin);
        for at in (0..self.late.len()).rev() {
            let late = &mut self.late[at];
            // What another thread received is not this one's to take.
            if late.thread != received.thread || received.start < late.end {
                continue;
            }
            if late.end <= received.earliest {
                break;
            }
            if earliest < late.begin {
                judge(late, true);
                self.late.remove(at);
            } else if (received.place, received.sent) == (late.key.waiter.place, late.sent) {
                // Another line may need what this one received, and so may a message that was sent between the two.
                late.another_from = late.another_from.min(earliest);
            }
        }
    }

    /// Remaining late senders, once all calls were seen: no later call can prove them to be in the wrong order.
    pub fn rest(&mut self) -> impl Iterator<Item = Late> {
        let unknown = self.calls.drain(..).flatten().filter_map(|received| received.late);
        self.right.drain(..).chain(self.late.drain(..)).chain(unknown)
    }
}
