//! Two clocks read against each other, stored as measured.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The tick counter and the system's clocks at one moment.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ClockSample {
    /// Ticks, midway between a reading before and one after the system's clock was read. Zero: no sample.
    pub ticks: u64,
    /// Ticks between those two readings: the sample is this far off at most.
    pub width: u64,
    /// `CLOCK_MONOTONIC`, nanoseconds.
    pub monotonic: u64,
    /// `CLOCK_REALTIME`, nanoseconds since 1970.
    pub realtime: u64,
}

impl ClockSample {
    /// Whether anything was sampled.
    pub fn is_set(&self) -> bool {
        self.ticks != 0
    }
}

/// What the ticks of a file count.
#[repr(u16)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockKind {
    /// RDTSC, invariant by what CPUID says.
    Tsc = 1,
    /// `CNTVCT_EL0`.
    Counter = 2,
    /// `CLOCK_MONOTONIC` in nanoseconds, because the processor's counter is not steady.
    Monotonic = 3,
}

impl ClockKind {
    /// The kind of a number read from disk.
    pub fn from_number(number: u16) -> Option<ClockKind> {
        [ClockKind::Tsc, ClockKind::Counter, ClockKind::Monotonic].into_iter().find(|k| *k as u16 == number)
    }
}
