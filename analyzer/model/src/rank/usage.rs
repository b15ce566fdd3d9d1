//! The use of the machine by a rank, between the recorder's first and last reading.

use traces::definitions::{Counters, HostTime, Span, Throttling, Usage, UsageMoment};

use super::Rank;

/// Use by a process or thread between two readings. Fields are `None` or empty if the system did not report them.
pub struct UsageBetween {
    /// Seconds between the readings.
    pub wall: f64,
    /// True if the last reading is MPI_Finalize's; else the process was killed or still runs.
    pub is_whole: bool,
    pub counters: Option<Counters>,
    /// Seconds that threads were ready to run but did not run.
    pub delay: Option<f64>,
    /// Core at the last reading.
    pub core: Option<u32>,
    /// Cores that the process was allowed, at the last reading that lists them.
    pub allowed: Vec<u32>,
}

/// What the quota of a control group took from its processes between two readings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ThrottledBetween {
    /// Periods in which they were ready to run.
    pub periods: u64,
    /// Periods in which they had used up the quota.
    pub throttled: u64,
    /// Seconds for which they were stopped, summed over the cores that they were stopped on.
    pub time: f64,
}

const NANOS: f64 = 1e9;

impl UsageBetween {
    pub fn processor(&self) -> Option<f64> {
        self.counters.map(|counters| counters.user.saturating_add(counters.system) as f64 / NANOS)
    }
}

impl Rank {
    /// Use by the process between the end of MPI_Init and the start of MPI_Finalize, or until its last full page of records.
    pub fn process_usage(&self) -> Option<UsageBetween> {
        self.usage_of(None)
    }

    /// Use by the thread that initialized MPI, in the same time.
    pub fn main_usage(&self) -> Option<UsageBetween> {
        self.usage_of(Some(self.usages.iter().find(|usage| usage.thread.is_some())?.thread?))
    }

    fn usage_of(&self, thread: Option<u32>) -> Option<UsageBetween> {
        let (first, last) = self.first_and_last(thread, |_| true)?;
        let delay = self.first_and_last(thread, |usage| usage.delay.is_some());
        let allowed = self.usages.iter().rev().find(|usage| !usage.allowed.is_empty());
        Some(UsageBetween {
            wall: self.clock.seconds(last.ticks.saturating_sub(first.ticks)),
            is_whole: last.moment == UsageMoment::Finalizing,
            counters: first.counters.zip(last.counters).map(|(first, last)| counted_between(&first, &last)),
            delay: delay.and_then(|(first, last)| Some(last.delay?.saturating_sub(first.delay?) as f64 / NANOS)),
            core: last.core,
            allowed: allowed.map(|usage| cores(&usage.allowed)).unwrap_or_default(),
        })
    }

    /// First and last reading, if time lies between them.
    fn first_and_last(&self, thread: Option<u32>, is_meant: impl Fn(&Usage) -> bool) -> Option<(&Usage, &Usage)> {
        let readings = self.usages.iter().filter(|usage| usage.thread == thread && is_meant(usage));
        // Pages may fill up before MPI is initialized.
        let mut readings = readings.skip_while(|usage| usage.moment != UsageMoment::Initialized);
        let first = readings.next()?;
        Some((first, readings.last().filter(|last| last.ticks > first.ticks)?))
    }

    /// What a quota took from the process and the others of its control group, in the same time; `None` if there is no quota, or it was
    /// not read.
    pub fn throttled(&self) -> Option<ThrottledBetween> {
        let is_before = |reading: &&Throttling| reading.moment != UsageMoment::Initialized;
        let mut readings = self.throttlings.iter().skip_while(is_before);
        let first = readings.next()?;
        let last = readings.last().filter(|last| last.ticks > first.ticks)?;
        Some(ThrottledBetween {
            periods: last.periods.saturating_sub(first.periods),
            throttled: last.throttled.saturating_sub(first.throttled),
            time: last.time.saturating_sub(first.time) as f64 / NANOS,
        })
    }

    /// First and last reading of the host's time, with their ticks.
    pub fn host_times(&self) -> Option<[(u64, HostTime); 2]> {
        let (first, last) = self.first_and_last(None, |usage| usage.host.is_some())?;
        Some([(first.ticks, first.host?), (last.ticks, last.host?)])
    }
}

fn counted_between(first: &Counters, last: &Counters) -> Counters {
    Counters {
        user: last.user.saturating_sub(first.user),
        system: last.system.saturating_sub(first.system),
        voluntary: last.voluntary.saturating_sub(first.voluntary),
        involuntary: last.involuntary.saturating_sub(first.involuntary),
        minor_faults: last.minor_faults.saturating_sub(first.minor_faults),
        major_faults: last.major_faults.saturating_sub(first.major_faults),
    }
}

/// Maximum number of cores of a host, since a damaged list may name any number. Linux has up to 8,192.
const MOST_CORES: usize = 1 << 16;

/// Cores of a list, sorted.
pub fn cores(spans: &[Span]) -> Vec<u32> {
    let all = spans.iter().flat_map(|span| (0..span.count).map_while(|place| u32::try_from(span.rank_at(place)?).ok()));
    let mut cores: Vec<u32> = all.take(MOST_CORES).collect();
    cores.sort_unstable();
    cores.dedup();
    cores
}
