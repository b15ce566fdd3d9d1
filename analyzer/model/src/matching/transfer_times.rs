//! Durations of messages in this run, where a call does not show them.
//!
//! In: samples of messages whose receivers were waiting, and of receives whose messages were there. Out: times by size, each as
//! it may be at least, is mostly, and may be at most; latency and time on the wire, by a line through them.

use super::{Account, BlockedSends, Transfers};

/// The value, of the possible ones, of a time that the run does not show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Estimate {
    Low,
    Typical,
    High,
}

/// Times that a call does not show itself, nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Spread {
    low: i64,
    typical: i64,
    high: i64,
}

/// Times by size; sizes between two powers of two are alike.
#[derive(Clone, Default, Debug)]
pub struct TransferTimes {
    /// From the begin of a send to the end of a receive that waits.
    ways: Vec<(u32, Spread)>,
    /// Of receives whose message was there.
    receives: Vec<(u32, Spread)>,
    latency: f64,
    /// Nanoseconds per byte.
    each_byte: f64,
    /// The longest message whose send returned before its receive was posted.
    at_once: Option<u64>,
}

impl TransferTimes {
    pub fn of(account: &Account) -> TransferTimes {
        let blocked = account.blocked.values().map(|sends: &BlockedSends| sends.at_once).max();
        let Transfers { by_key, .. } = &account.transfers;
        let mut ways: Vec<(u64, i64)> = Vec::new();
        let mut receives: Vec<(u64, i64)> = Vec::new();
        for (key, transfer) in by_key {
            ways.extend(transfer.ways.values().map(|way| (key.bytes, *way)));
            receives.extend(transfer.receives.values().map(|(_, time)| (key.bytes, *time)));
        }
        let ways = by_size(ways);
        let points: Vec<(f64, f64)> = ways.iter().map(|(_, bytes, spread)| (*bytes, spread.typical as f64)).collect();
        let (latency, each_byte) = line(&points);
        let spreads =
            |all: Vec<(u32, f64, Spread)>| all.into_iter().map(|(class, _, spread)| (class, spread)).collect();
        TransferTimes {
            ways: spreads(ways),
            receives: spreads(by_size(receives)),
            latency,
            each_byte,
            at_once: blocked.filter(|bytes| *bytes > 0),
        }
    }

    /// Time of a message of this size, from its send to a receive that waits.
    pub fn way(&self, bytes: u64, estimate: Estimate) -> i64 {
        nearest(&self.ways, bytes).map_or(0, |spread| spread.at(estimate))
    }

    /// Time of a receive of a message of this size that is there.
    pub fn receive(&self, bytes: u64, estimate: Estimate) -> i64 {
        nearest(&self.receives, bytes).map_or(0, |spread| spread.at(estimate))
    }

    /// Time of the smallest messages.
    pub fn latency(&self) -> i64 {
        self.latency as i64
    }

    /// True if messages show how long they take, and messages of different sizes how much longer a byte takes.
    pub fn shows(&self) -> (bool, bool) {
        (!self.ways.is_empty(), self.each_byte > 0.0)
    }

    /// Time by which so many bytes take longer than none.
    pub fn on_the_wire(&self, bytes: u64) -> i64 {
        (self.each_byte * bytes as f64) as i64
    }

    /// The longest message that a send is known to leave before its receive is posted.
    pub fn at_once(&self) -> Option<u64> {
        self.at_once
    }

    /// True if messages of this size are known to wait for their receives.
    pub fn waits_for_receive(&self, bytes: u64) -> bool {
        self.at_once.is_some_and(|most| bytes > most)
    }
}

impl Spread {
    fn of(times: &mut [i64]) -> Spread {
        times.sort_unstable();
        let at = |tenth: usize| times.get((times.len() - 1) * tenth / 10).map_or(0, |time| (*time).max(0));
        Spread { low: at(1), typical: at(5), high: at(9) }
    }

    fn at(self, estimate: Estimate) -> i64 {
        match estimate {
            Estimate::Low => self.low,
            Estimate::Typical => self.typical,
            Estimate::High => self.high,
        }
    }
}

fn class(bytes: u64) -> u32 {
    bytes.max(1).ilog2()
}

/// Groups times by size. Returns each class with its mean size, ascending.
fn by_size(mut times: Vec<(u64, i64)>) -> Vec<(u32, f64, Spread)> {
    times.sort_unstable();
    let mut groups = Vec::new();
    for group in times.chunk_by(|one, other| class(one.0) == class(other.0)) {
        let bytes = group.iter().map(|(bytes, _)| *bytes as f64).sum::<f64>() / group.len() as f64;
        let mut alone: Vec<i64> = group.iter().map(|(_, time)| *time).collect();
        groups.push((class(group[0].0), bytes, Spread::of(&mut alone)));
    }
    groups
}

/// The spread of the class nearest to a size.
fn nearest(classes: &[(u32, Spread)], bytes: u64) -> Option<Spread> {
    classes.iter().min_by_key(|(other, _)| other.abs_diff(class(bytes))).map(|(_, spread)| *spread)
}

/// Latency and time per byte: the smallest class, and the slope from there to the largest.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return (0.0, 0.0) };
    let slope = if last.0 > first.0 { ((last.1 - first.1) / (last.0 - first.0)).max(0.0) } else { 0.0 };
    ((first.1 - slope * first.0).max(0.0), slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_messages_show_the_latency_and_the_largest_the_time_of_a_byte() {
        assert_eq!(line(&[(0.0, 2_000.0), (1e6, 102_000.0)]), (2_000.0, 0.1));
        assert_eq!(line(&[(8.0, 2_000.0)]), (2_000.0, 0.0));
        assert_eq!(line(&[]), (0.0, 0.0));
    }

    #[test]
    fn a_size_without_messages_takes_the_time_of_the_nearest() {
        let times: Vec<(u64, i64)> = (0..100).flat_map(|at| [(8, 1_000 + at), (1 << 20, 500_000 + at)]).collect();
        let ways: Vec<(u32, Spread)> = by_size(times).into_iter().map(|(class, _, spread)| (class, spread)).collect();
        let times = TransferTimes { ways, ..TransferTimes::default() };
        assert_eq!(times.way(16, Estimate::Typical), 1_049);
        assert_eq!(times.way(1 << 19, Estimate::Low), 500_009);
        assert_eq!(times.way(8, Estimate::High), 1_089);
        assert_eq!(times.receive(8, Estimate::High), 0);
    }
}
