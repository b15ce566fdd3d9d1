//! The run's time in equal parts, and counts that change over them.
//!
//! A count of what lies between its begin and its end needs two numbers, however many objects or messages there are: one comes into the
//! part where it began and leaves in the part where it ended. What begins and ends in one part is not counted.

use super::Rank;
use super::common_clock::CommonClock;

/// Two to each tenth of the run.
pub const PARTS: usize = 20;

/// Divides the selected time of all ranks into parts.
#[derive(Clone, Copy, Debug)]
pub struct RunParts {
    begin: i64,
    parts_per_nanosecond: f64,
}

impl RunParts {
    pub fn of(ranks: &[Rank], common_clock: &CommonClock) -> RunParts {
        let (mut begin, mut end) = (i64::MAX, i64::MIN);
        for (rank, line) in ranks.iter().zip(&common_clock.lines) {
            let spans = line.selected(rank, 0);
            let ready = line.nanoseconds_at(rank.header.ready.ticks.max(rank.header.begin.ticks));
            begin = begin.min(spans.first().map_or(ready, |span| span.0.max(ready)));
            let last = line.nanoseconds_at(rank.until);
            end = end.max(spans.last().map_or(last, |span| span.1.min(last)));
        }
        RunParts::between(begin, end)
    }

    pub fn between(begin: i64, end: i64) -> RunParts {
        let length = end.saturating_sub(begin).max(1);
        RunParts { begin, parts_per_nanosecond: PARTS as f64 / length as f64 }
    }

    /// The part in which a time lies; times before the first or after the last part lie in these.
    #[inline]
    pub fn at(&self, time: i64) -> usize {
        // A cast of a negative number yields zero.
        let part = (time.saturating_sub(self.begin) as f64 * self.parts_per_nanosecond) as usize;
        part.min(PARTS - 1)
    }
}

/// Changes of a count in each part of the run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CountOverTime {
    changes: [i32; PARTS],
}

impl CountOverTime {
    pub fn more(&mut self, part: usize) {
        self.change(part, 1);
    }

    pub fn less(&mut self, part: usize) {
        self.change(part, -1);
    }

    fn change(&mut self, part: usize, by: i32) {
        if let Some(changes) = self.changes.get_mut(part) {
            *changes = changes.saturating_add(by);
        }
    }

    pub fn grow(&mut self, more: &CountOverTime) {
        for (own, more) in self.changes.iter_mut().zip(more.changes) {
            *own = own.saturating_add(more);
        }
    }

    pub fn shrink(&mut self, less: &CountOverTime) {
        for (own, less) in self.changes.iter_mut().zip(less.changes) {
            *own = own.saturating_sub(less);
        }
    }

    /// The count at the end of each part.
    pub fn levels(&self) -> [i64; PARTS] {
        let mut level = 0;
        self.changes.map(|change| {
            level += i64::from(change);
            level
        })
    }

    pub fn at_end(&self) -> i64 {
        self.changes.iter().map(|change| i64::from(*change)).sum()
    }

    /// The largest count at the end of a part.
    pub fn most(&self) -> i64 {
        self.levels().into_iter().max().unwrap_or(0)
    }

    /// True if the count grew with the run, not in one phase of it: in eight of the twenty parts, and in three of the last five.
    /// A program that sets itself up grows at its begin, one that writes its results at its end.
    pub fn grows_with_the_run(&self) -> bool {
        let grew = |changes: &[i32]| changes.iter().filter(|change| **change > 0).count();
        grew(&self.changes) >= 8 && grew(&self.changes[PARTS - 5..]) >= 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_over_the_end_of_a_part_counts_until_it_is_taken() {
        let parts = RunParts::between(1_000, 21_000);
        assert_eq!([0, 1_000, 1_999, 2_000, 20_999, 50_000].map(|at| parts.at(at)), [0, 0, 0, 1, 19, 19]);
        let mut count = CountOverTime::default();
        for at in 0..PARTS {
            count.more(at);
        }
        assert_eq!((count.levels()[4], count.most(), count.at_end()), (5, 20, 20));
        for at in 10..PARTS {
            count.less(at);
        }
        assert_eq!((count.levels()[15], count.most(), count.at_end()), (10, 10, 10));
    }

    #[test]
    fn a_count_that_grows_in_one_phase_alone_does_not_grow_with_the_run() {
        let grown = |parts: std::ops::Range<usize>| {
            let mut count = CountOverTime::default();
            for part in parts {
                count.more(part);
            }
            count.grows_with_the_run()
        };
        assert_eq!([grown(0..20), grown(10..20), grown(0..18)], [true; 3]);
        assert_eq!([grown(0..17), grown(14..20), grown(0..1)], [false; 3]);
    }
}
