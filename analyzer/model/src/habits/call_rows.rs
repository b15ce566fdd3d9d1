//! Calls in a row: messages to the same rank with nothing received between, collective calls with only computation between.

use rustc_hash::FxHashMap;

use crate::roles::{CallPart, Peer, Role};
use crate::stream::TimedCall;

/// A message that stays in a buffer for longer, nanoseconds, may cost its receiver more than a call of its own does.
const LONGEST_GAP: i64 = 100_000;

/// A rank's rows so far.
#[derive(Default)]
pub struct CallRows {
    /// Grows with each call by which something may have come.
    answers: u64,
    /// By call site and partner: the answers when it was last sent to, and when that call ended.
    sent: FxHashMap<(usize, u32), (u64, i64)>,
    /// The function of the last call, if that was a blocking collective call.
    last_collective: Option<u16>,
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
                self.last_collective = Some(role.function);
                last_collective == Some(role.function)
            }
            CallPart::Nothing => false,
            _ => {
                self.answers += 1;
                false
            }
        }
    }
}
