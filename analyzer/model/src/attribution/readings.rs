//! Readings of a thread's use of the machine, as intervals between them.

use traces::definitions::{Counters, Usage};

use crate::Rank;
use crate::common_clock::ClockLine;

/// The time between two readings of a rank's first thread. Nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    pub from: i64,
    pub until: i64,
    /// On a core, in the kernel included.
    pub ran: i64,
    /// Ready to run, without a core.
    pub delayed: i64,
    pub in_kernel: i64,
}

/// Share of an interval that may lie behind the end of a rank's life.
const MOST_BEHIND: f64 = 0.05;

impl Interval {
    /// True if all but a little of the interval lies before a time within it.
    pub fn ends_at(&self, at: i64) -> bool {
        self.from < at && (self.until - at) as f64 <= MOST_BEHIND * (self.until - self.from) as f64
    }

    /// The same without so much time in sleeps and accesses to files: sleeps, and those that sync, mostly sleep, all others mostly are in the
    /// kernel.
    pub fn without_accesses(&self, sleeping: i64, others: i64) -> Interval {
        let slept = sleeping.min(self.asleep());
        let copied = others.min(self.in_kernel);
        let asleep = slept + (others - copied).min(self.asleep() - slept);
        let in_kernel = copied + (sleeping - slept).min(self.in_kernel - copied);
        Interval { ran: self.ran + asleep, in_kernel: self.in_kernel - in_kernel, ..*self }
    }

    /// Neither on a core nor ready for one.
    pub fn asleep(&self) -> i64 {
        (self.until - self.from - self.ran - self.delayed).max(0)
    }
}

/// The intervals of a rank, in order; none if only a part of its time is selected, or the system told no delays.
pub fn intervals(rank: &Rank, line: &ClockLine) -> Vec<Interval> {
    let Some(main) = rank.usages.iter().find_map(|usage| usage.thread).filter(|_| !rank.is_part()) else {
        return Vec::new();
    };
    let readings = rank.usages.iter().filter(|usage| usage.thread == Some(main)).filter_map(Reading::of);
    let mut intervals = Vec::new();
    let mut last: Option<Reading> = None;
    for reading in readings {
        if let Some(last) = last.filter(|last| last.ticks < reading.ticks) {
            intervals.push(reading.since(&last, line));
        }
        last = Some(reading);
    }
    intervals
}

#[derive(Clone, Copy)]
struct Reading {
    ticks: u64,
    counters: Counters,
    delay: u64,
}

impl Reading {
    fn of(usage: &Usage) -> Option<Reading> {
        Some(Reading { ticks: usage.ticks, counters: usage.counters?, delay: usage.delay? })
    }

    fn since(&self, before: &Reading, line: &ClockLine) -> Interval {
        let (from, until) = (line.nanoseconds_at(before.ticks), line.nanoseconds_at(self.ticks));
        let most = (until - from).max(0);
        let between = |now: u64, then: u64| i64::try_from(now.saturating_sub(then)).unwrap_or(i64::MAX).min(most);
        let in_kernel = between(self.counters.system, before.counters.system);
        let ran = between(self.counters.user, before.counters.user).saturating_add(in_kernel).min(most);
        let delayed = between(self.delay, before.delay).min(most - ran);
        Interval { from, until, ran, delayed, in_kernel }
    }
}
