//! Pairs the exchanges that two ranks saw.
//!
//! In: each rank's streaks. Out: those that both ranks saw at the same time, within the clocks' errors. A rank whose send follows
//! its receive answers: with one such rank the exchange is ordered, with none both sent at once.

use std::collections::BTreeMap;

use super::{Exchanges, MessageWindows};
use crate::batches::Batches;
use crate::common_clock::CommonClock;

/// Pairs streaks, given by rank. Returns the pairs and the number of exchanges without a partner.
pub fn paired(streaks: Vec<Vec<Streak>>, common_clock: &CommonClock) -> (Vec<Exchanges>, u64) {
    let mut by_pair: BTreeMap<(u32, u32), [Vec<Streak>; 2]> = BTreeMap::new();
    for (rank, streaks) in (0u32..).zip(streaks) {
        for streak in streaks {
            let pair = (rank.min(streak.peer), rank.max(streak.peer));
            by_pair.entry(pair).or_default()[usize::from(rank > streak.peer)].push(streak);
        }
    }
    let (mut found, mut unpaired) = (Vec::new(), 0u64);
    for (ranks, [own, others]) in by_pair {
        let mut next = 0;
        let mut is_told = vec![false; others.len()];
        for streak in &own {
            let error = common_clock.error_between(ranks.0, ranks.1, streak.begin);
            while others.get(next).is_some_and(|other| other.end + error < streak.begin) {
                next += 1;
            }
            let overlap = |other: &Streak| streak.end.min(other.end) - streak.begin.max(other.begin) + error;
            let length = |other: &Streak| (streak.end - streak.begin).min(other.end - other.begin);
            let near = (next..others.len()).take_while(|at| others[*at].begin - error < streak.end);
            let is_same =
                |at: &usize| others[*at].bytes == streak.bytes && 2 * overlap(&others[*at]) >= length(&others[*at]);
            let same: Vec<usize> = near.filter(is_same).collect();
            for at in &same {
                is_told[*at] = true;
            }
            match same.into_iter().max_by_key(|at| overlap(&others[*at])) {
                None => unpaired = unpaired.saturating_add(streak.count),
                Some(at) => found.push(exchanges(ranks, streak, &others[at])),
            }
        }
        let alone = others.iter().zip(is_told).filter(|(_, is_told)| !is_told);
        unpaired = unpaired.saturating_add(alone.map(|(other, _)| other.count).sum());
    }
    (found, unpaired)
}

fn exchanges(ranks: (u32, u32), own: &Streak, other: &Streak) -> Exchanges {
    let answers = |streak: &Streak| streak.answers as f64 / streak.count as f64;
    let is_ordered = answers(own) + answers(other) > 0.5;
    // Unordered ranks that call different functions are put in the order of the functions.
    let swapped = if is_ordered { answers(own) > answers(other) } else { other.calls < own.calls };
    let calls = if swapped { (other.calls, own.calls) } else { (own.calls, other.calls) };
    // If only one rank was interrupted, the two parts differ.
    let others = if own.count == other.count { other.end - other.begin } else { 0 };
    let longer = if others > own.end - own.begin { other } else { own };
    let (time, times) = (longer.end - longer.begin, longer.times.clone());
    let ranks = if swapped { (ranks.1, ranks.0) } else { ranks };
    Exchanges { ranks, is_ordered, calls, bytes: own.bytes, count: own.count, time, times }
}

/// Returns the windows, given by rank in the order of time, that the other rank saw at the same time from its side.
pub fn paired_windows(rows: &[Vec<WindowStreak>], common_clock: &CommonClock) -> Vec<MessageWindows> {
    let mut found = Vec::new();
    for (rank, own) in (0u32..).zip(rows) {
        for row in own.iter().filter(|row| row.peer > rank) {
            let error = common_clock.error_between(rank, row.peer, row.begin);
            let others = rows.get(row.peer as usize).map_or(&[][..], Vec::as_slice);
            // Rows of one thread do not overlap, and few threads send at once, so rows that end earlier are skipped.
            let first = others.partition_point(|other| other.end + error < row.begin);
            let near = others[first..].iter().take_while(|other| other.begin - error < row.end);
            let is_same = |other: &&WindowStreak| {
                let overlap = row.end.min(other.end) - row.begin.max(other.begin) + error;
                let length = (row.end - row.begin).min(other.end - other.begin);
                other.peer == rank && row.mirrors(other) && 2 * overlap >= length
            };
            found.extend(near.filter(is_same).max_by_key(|other| other.count).map(|other| windows(rank, row, other)));
        }
    }
    found
}

fn windows(rank: u32, own: &WindowStreak, other: &WindowStreak) -> MessageWindows {
    let longer = if other.count == own.count && other.end - other.begin > own.end - own.begin { other } else { own };
    let (count, times) = (longer.count, longer.times.clone());
    let (ranks, shapes) = ((rank, own.peer), (own.shape, other.shape));
    match own.shape.sends.count >= other.shape.sends.count {
        true => MessageWindows { ranks, shapes, count, times },
        false => MessageWindows { ranks: (ranks.1, ranks.0), shapes: (shapes.1, shapes.0), count, times },
    }
}

/// Functions by which a rank sent and received, by number in the table of calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExchangeCalls {
    /// The call that sent, or began to.
    pub send: u16,
    /// The call that received, or began to.
    pub receive: u16,
    /// The receive began before the send.
    pub receives_first: bool,
}

/// Equal exchanges, one after the other. Nanoseconds on the run's common clock.
#[derive(Clone, Debug)]
pub struct Streak {
    pub peer: u32,
    pub calls: ExchangeCalls,
    pub bytes: u64,
    /// Begin of the first.
    pub begin: i64,
    /// End of the last.
    pub end: i64,
    pub count: u64,
    /// Exchanges in which this rank received before it sent.
    pub answers: u64,
    /// Times of all but the first, in batches.
    pub times: Batches<1>,
}

/// Successive sends to one rank.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SendStreak {
    pub rank: u32,
    pub peer: u32,
    pub bytes: u64,
    pub count: u64,
    /// From the begin of the first to the begin of the last.
    pub time: i64,
}

/// Messages of a window in one direction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WindowSide {
    /// The function that sends or receives them, or begins to.
    pub function: u16,
    pub bytes: u64,
    pub count: u64,
}

/// Messages that a rank sends and receives in a window.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WindowShape {
    pub sends: WindowSide,
    pub receives: WindowSide,
}

/// Equal windows, one after the other, as a rank saw them. Nanoseconds on the run's common clock.
#[derive(Clone, Debug)]
pub struct WindowStreak {
    pub peer: u32,
    pub shape: WindowShape,
    /// Begin of the first.
    pub begin: i64,
    pub end: i64,
    pub count: u64,
    pub times: Batches<1>,
}

impl WindowStreak {
    /// Adds a window of length `time` that ends at `until`.
    pub fn add(&mut self, until: i64, time: i64) {
        self.times.add(self.count, [time.max(0) as u64]);
        (self.end, self.count) = (until, self.count + 1);
    }

    /// True if the other rank saw the same messages from its side.
    pub fn mirrors(&self, other: &WindowStreak) -> bool {
        let moves = |side: &WindowSide| (side.bytes, side.count);
        moves(&self.shape.sends) == moves(&other.shape.receives)
            && moves(&self.shape.receives) == moves(&other.shape.sends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A streak of rank `of`, whose second exchange lasted so long.
    fn streak(of: u32, count: u64, (begin, end): (i64, i64), second: u64) -> Streak {
        let calls = ExchangeCalls { send: of as u16, receive: 0, receives_first: false };
        let mut times = Batches::default();
        times.add(1, [second]);
        Streak { peer: 1 - of, calls, bytes: 8, begin, end, count, answers: 0, times }
    }

    fn window(of: u32, sends: u64, count: u64, (begin, end): (i64, i64)) -> WindowStreak {
        let side = |count| WindowSide { function: of as u16, bytes: 8, count };
        let shape = WindowShape { sends: side(sends), receives: side(9 - sends) };
        let mut times = Batches::default();
        times.add(1, [u64::from(of)]);
        WindowStreak { peer: 1 - of, shape, begin, end, count, times }
    }

    fn second(times: &Batches<1>) -> u64 {
        times.all()[0].sums[0]
    }

    #[test]
    fn exchanges_have_the_times_of_the_rank_on_which_they_took_longer_if_none_was_interrupted() {
        let of = |count: u64, end: i64| {
            let found = exchanges((0, 1), &streak(0, 10, (1_000, 5_000), 7), &streak(1, count, (3_000, end), 9));
            (found.time, second(&found.times))
        };
        assert_eq!(of(10, 7_000), (4_000, 7));
        assert_eq!(of(10, 7_001), (4_001, 9));
        assert_eq!(of(9, 7_001), (4_000, 7), "the other rank was interrupted");
    }

    #[test]
    fn exchanges_of_ranks_that_both_send_at_once_are_in_the_order_of_their_functions() {
        let of = |own: u32, other: u32, answers: u64| {
            let [own, other] = [own, other].map(|calls| streak(calls, 10, (1_000, 5_000), 7));
            let found = exchanges((0, 1), &own, &Streak { answers, ..other });
            (found.ranks, found.calls.0.send, found.is_ordered)
        };
        assert_eq!([of(0, 1, 0), of(1, 0, 0)], [((0, 1), 0, false), ((1, 0), 0, false)]);
        assert_eq!(of(1, 0, 10), ((0, 1), 1, true), "the second rank answers");
    }

    #[test]
    fn windows_have_the_times_of_the_rank_on_which_they_took_longer_if_none_was_interrupted() {
        let of = |count: u64, end: i64| {
            let found = windows(0, &window(0, 8, 10, (1_000, 5_000)), &window(1, 1, count, (3_000, end)));
            (found.count, second(&found.times))
        };
        assert_eq!(of(10, 7_000), (10, 0));
        assert_eq!(of(10, 7_001), (10, 1));
        assert_eq!(of(9, 7_001), (10, 0), "the other rank was interrupted");
    }

    #[test]
    fn of_a_window_the_rank_that_sends_more_messages_is_first() {
        let first = |sends: u64| {
            let times = (1_000, 5_000);
            let found = windows(0, &window(0, sends, 10, times), &window(1, 9 - sends, 10, times));
            (found.ranks, found.shapes.0.sends.function)
        };
        assert_eq!([5, 4].map(first), [((0, 1), 0), ((1, 0), 1)]);
    }
}
