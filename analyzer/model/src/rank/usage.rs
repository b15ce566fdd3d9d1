//! How much of the machine a rank has had, between the recorder's first and last reading.

use traces::definitions::{Counters, HostTime, Span, Usage, UsageMoment};

use super::Rank;

/// What a process, or a thread, has had between two readings. `None` and empty where the system did not say.
pub struct UsageBetween {
    /// Seconds from the first reading to the last.
    pub wall: f64,
    /// Whether the last reading is MPI_Finalize's; else the process was killed, or goes on.
    pub is_whole: bool,
    pub counters: Option<Counters>,
    /// Seconds that threads were ready to run, but did not.
    pub delay: Option<f64>,
    /// The core at the last reading.
    pub core: Option<u32>,
    /// The cores that the process was allowed at the last reading that says it.
    pub allowed: Vec<u32>,
}

const NANOS: f64 = 1e9;

impl UsageBetween {
    /// Seconds of processor time.
    pub fn processor(&self) -> Option<f64> {
        self.counters.map(|counters| counters.user.saturating_add(counters.system) as f64 / NANOS)
    }
}

impl Rank {
    /// What its process has had between the end of MPI_Init and the start of MPI_Finalize. Of a process that did not get
    /// there, until its last full page of records.
    pub fn process_usage(&self) -> Option<UsageBetween> {
        self.usage_of(None)
    }

    /// What the thread that initialized MPI has had, likewise.
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

    /// Two readings between which there is time.
    fn first_and_last(&self, thread: Option<u32>, is_meant: impl Fn(&Usage) -> bool) -> Option<(&Usage, &Usage)> {
        let readings = self.usages.iter().filter(|usage| usage.thread == thread && is_meant(usage));
        // Pages may be full before MPI is initialized.
        let mut readings = readings.skip_while(|usage| usage.moment != UsageMoment::Initialized);
        let first = readings.next()?;
        Some((first, readings.last().filter(|last| last.ticks > first.ticks)?))
    }

    /// The host's time at the first and last reading of it, with the ticks.
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

/// The most cores of a host, so that a damaged list does not take all memory. Linux can have 8,192.
const MOST_CORES: usize = 1 << 16;

/// The cores of a list, in order.
pub fn cores(spans: &[Span]) -> Vec<u32> {
    let all = spans.iter().flat_map(|span| (0..span.count).map_while(|place| u32::try_from(span.rank_at(place)?).ok()));
    let mut cores: Vec<u32> = all.take(MOST_CORES).collect();
    cores.sort_unstable();
    cores.dedup();
    cores
}
