//! Converts a file's ticks to seconds.

use traces::clock::{ClockKind, ClockSample};
use traces::file::FileHeader;

/// One rank's clock, fitted from its own file.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    seconds_per_tick: f64,
}

impl Clock {
    /// Fits the rate between the file's first sample of ticks and system clock and its latest one.
    ///
    /// A process that was killed at once has one sample; then the rate is the processor's nominal frequency.
    pub fn fit<'a>(header: &'a FileHeader, pages: impl Iterator<Item = &'a ClockSample>) -> Clock {
        let begin = &header.begin;
        let samples = [&header.ready, &header.end].into_iter().chain(pages);
        let latest = samples.filter(|sample| sample.is_set()).max_by_key(|sample| sample.ticks).unwrap_or(begin);
        let ticks = latest.ticks.saturating_sub(begin.ticks);
        let nanoseconds = (latest.monotonic.wrapping_sub(begin.monotonic) as i64).max(0);
        // Relative to the time between the samples.
        let error = begin.width.saturating_add(latest.width) as f64 / ticks.max(1) as f64;
        // Over a short time, the nominal frequency is more accurate than the samples.
        const GOOD: f64 = 1e-3;
        if error < GOOD || header.nominal_frequency == 0 {
            let seconds_per_tick = nanoseconds as f64 / 1e9 / ticks.max(1) as f64;
            return Clock { seconds_per_tick };
        }
        Clock { seconds_per_tick: 1.0 / header.nominal_frequency as f64 }
    }

    pub fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 * self.seconds_per_tick
    }

    /// Ticks of the process's counter at `monotonic`, a time of its host's monotonic clock in nanoseconds.
    pub fn ticks_at(&self, header: &FileHeader, monotonic: i64) -> u64 {
        let since = (monotonic - header.begin.monotonic as i64).max(0) as f64 / 1e9;
        // The rate of a process that has just begun is not known yet.
        let ticks = if self.seconds_per_tick > 0.0 { since / self.seconds_per_tick } else { 0.0 };
        header.begin.ticks.saturating_add(ticks as u64)
    }
}

/// The system's clocks, CLOCK_MONOTONIC and CLOCK_REALTIME, in nanoseconds.
pub fn clocks() -> (i64, i64) {
    let now = |clock| {
        let time = rustix::time::clock_gettime(clock);
        time.tv_sec * 1_000_000_000 + time.tv_nsec
    };
    (now(rustix::time::ClockId::Monotonic), now(rustix::time::ClockId::Realtime))
}

/// The clock source of a file, in words.
pub fn kind_in_words(header: &FileHeader) -> &'static str {
    match ClockKind::from_number(header.clock) {
        Some(ClockKind::Tsc) => "RDTSC, invariant",
        Some(ClockKind::Counter) => "CNTVCT_EL0",
        Some(ClockKind::Monotonic) => "clock_gettime, since the processor's counter is not invariant",
        None => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use traces::write::blank_header;

    use super::*;

    #[test]
    fn what_ticks_count_is_said_of_each_kind_of_clock() {
        let said = |clock| kind_in_words(&FileHeader { clock, ..blank_header() });
        assert!(said(ClockKind::Tsc as u16).starts_with("RDTSC"));
        assert!(said(ClockKind::Counter as u16).starts_with("CNTVCT_EL0"));
        assert!(said(ClockKind::Monotonic as u16).starts_with("clock_gettime"));
        assert_eq!(said(u16::MAX), "unknown");
    }
}
