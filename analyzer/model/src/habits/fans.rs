//! Messages of the same size from one rank to each other rank in turn, or from each to one: collective calls made by hand.

use crate::roles::{CallPart, Peer, Role};
use crate::stream::TimedCall;
use crate::sums::Grow;

/// Calls that went to all others. Times in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FanTimes {
    /// Number of complete turns through all other ranks.
    pub count: u64,
    /// Number of other ranks in each turn.
    pub others: u64,
    /// Bytes of each message.
    pub bytes: u64,
    /// Time from the first call's begin to the last call's end, plus the later calls that complete their requests.
    pub time: i64,
    /// Part of `time` spent waiting.
    pub waited: i64,
}

/// A fan that is not complete yet.
#[derive(Default)]
pub struct OpenFan {
    site: Option<(usize, u32, u64)>,
    peers: Vec<Peer>,
    begin: i64,
    waited: i64,
}

impl OpenFan {
    /// Adds a call. `others` is the number of other ranks in its communicator. Returns the fan if this call completes it.
    pub fn add(&mut self, call: &TimedCall, role: &Role, others: u64, waited: i64) -> Option<FanTimes> {
        let (peer, bytes) = match role.what {
            // It moves nothing until its request is started.
            _ if role.creates => return None,
            CallPart::Message { sends: true, receives: false, partitioned: false } => (role.to.0, role.sent),
            CallPart::Message { sends: false, receives: true, partitioned: false } => (role.from.0, role.received),
            // Completion calls may lie between the messages.
            CallPart::Nothing => return None,
            _ => {
                self.site = None;
                return None;
            }
        };
        let site = role.object.map(|object| (role.place.number(), object, bytes));
        let is_new = peer == Peer::Any || !self.peers.contains(&peer);
        if site.is_none() || self.site != site || !is_new {
            *self = OpenFan { site, begin: call.start, ..OpenFan::default() };
        }
        self.peers.push(peer);
        self.waited.grow(waited);
        if (self.peers.len() as u64) < others || others == 0 {
            return None;
        }
        let (time, waited) = (call.end - self.begin, self.waited);
        self.site = None;
        Some(FanTimes { count: 1, others, bytes, time, waited })
    }
}

impl FanTimes {
    pub fn merge(&mut self, other: &FanTimes) {
        self.count.grow(other.count);
        self.others = self.others.max(other.others);
        self.bytes = self.bytes.max(other.bytes);
        self.time.grow(other.time);
        self.waited.grow(other.waited);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(to: u32, bytes: u64) -> Role {
        let what = CallPart::Message { sends: true, receives: false, partitioned: false };
        Role { what, to: (Peer::Rank(to), 0), object: Some(0), sent: bytes, ..Role::NONE }
    }

    #[test]
    fn messages_of_one_size_to_all_others_are_a_fan_and_nothing_less_is() {
        let fan_by = |creates: bool, sends: &[(u32, u64)]| {
            let mut fan = OpenFan::default();
            let add = |(at, (to, bytes)): (usize, &(u32, u64))| {
                let role = Role { creates, ..send(*to, *bytes) };
                fan.add(&TimedCall::at(10 * at as i64, 10 * at as i64 + 5), &role, 3, 1)
            };
            sends.iter().enumerate().filter_map(add).collect::<Vec<_>>()
        };
        let fan_of = |sends: &[(u32, u64)]| fan_by(false, sends);
        let whole = FanTimes { count: 1, others: 3, bytes: 8, time: 25, waited: 3 };
        assert_eq!(fan_of(&[(1, 8), (2, 8), (3, 8)]), [whole]);
        assert!(fan_of(&[(1, 8), (2, 8), (1, 8)]).is_empty(), "one of them twice");
        assert!(fan_of(&[(1, 8), (2, 16), (3, 8)]).is_empty(), "other sizes");
        assert!(fan_by(true, &[(1, 8), (2, 8), (3, 8)]).is_empty(), "requests that are created");
    }
}
