//! Samples of two clocks read together, as they were measured.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The tick counter and the system's clocks at one moment.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ClockSample {
    /// Ticks, midway between a reading before and one after the system's clock was read. 0 means no sample.
    pub ticks: u64,
    /// Ticks between those two readings, which bound the error of the sample.
    pub width: u64,
    /// `CLOCK_MONOTONIC`, nanoseconds.
    pub monotonic: u64,
    /// `CLOCK_REALTIME`, nanoseconds since 1970.
    pub realtime: u64,
}

impl ClockSample {
    pub fn is_set(&self) -> bool {
        self.ticks != 0
    }
}

/// The counter whose ticks a file holds.
#[repr(u16)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockKind {
    /// RDTSC, if CPUID says that it is invariant.
    Tsc = 1,
    /// `CNTVCT_EL0`.
    Counter = 2,
    /// `CLOCK_MONOTONIC` in nanoseconds, because the processor's counter is not steady.
    Monotonic = 3,
}

impl ClockKind {
    pub fn from_number(number: u16) -> Option<ClockKind> {
        [ClockKind::Tsc, ClockKind::Counter, ClockKind::Monotonic].into_iter().find(|k| *k as u16 == number)
    }
}
