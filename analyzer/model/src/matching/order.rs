//! Messages received in the wrong order.
//!
//! In: completed receives, in whatever order their messages become known. Examines them in the order of the rank's
//! calls. Out: late senders whose message a rank waited for while another was there, received only later.

use std::collections::VecDeque;

use super::waits::WaitKey;

/// A call that received something.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    /// When it began.
    pub start: i64,
    /// When the first of its messages was sent.
    pub earliest: i64,
    /// By whom.
    pub source: u32,
    /// What it waited for, if a sender was late.
    pub late: Option<Late>,
}

/// A wait for a late sender.
#[derive(Clone, Copy, Debug)]
pub struct Late {
    /// Where.
    pub key: WaitKey,
    /// When the waiting began, and when the call was over.
    pub begin: i64,
    /// See `begin`.
    pub end: i64,
    /// How long it was, and by how much that may be off.
    pub wait: (i64, i64),
}

/// See the module.
#[derive(Default)]
pub struct Order {
    /// In the order of the calls; what is not known yet is none.
    calls: VecDeque<Option<Received>>,
    /// How many have been looked at.
    done: u64,
    late: VecDeque<Late>,
    /// When the last of those began to wait.
    latest: i64,
}

/// Calls that may wait to be looked at. One whose message never becomes known does not hold up more.
const CALLS: usize = 4096;
/// Late senders that are remembered.
const LATE: usize = 64;

impl Order {
    /// A call receives something. Returns the number it has here.
    pub fn begin(&mut self) -> u64 {
        if self.calls.len() == CALLS {
            self.calls.pop_front();
            self.done += 1;
        }
        self.calls.push_back(None);
        self.done + self.calls.len() as u64 - 1
    }

    /// All is known of a call. Shows waits that turn out to be for a message in the wrong order.
    /// `margin` says by how much the time of the first message may be off.
    pub fn known(
        &mut self,
        number: u64,
        received: Received,
        margin: impl Fn(&Received) -> i64,
        mut wrong: impl FnMut(&Late),
    ) {
        let Some(at) = number.checked_sub(self.done) else { return };
        self.calls[at as usize] = Some(received);
        while let Some(Some(received)) = self.calls.front().copied() {
            self.calls.pop_front();
            self.done += 1;
            if received.earliest < self.latest {
                let earliest = received.earliest.saturating_add(margin(&received));
                self.late.retain(|late| {
                    let is_wrong = received.start >= late.end && earliest < late.begin;
                    if is_wrong {
                        wrong(late);
                    }
                    !is_wrong
                });
            }
            if let Some(late) = received.late {
                if self.late.len() == LATE {
                    self.late.pop_front();
                }
                self.latest = self.latest.max(late.begin);
                self.late.push_back(late);
            }
        }
    }
}
