//! The clock that calls are timed by: the processor's tick counter, or the system's clock if the counter is not steady.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::clock::{ClockKind, ClockSample};

use crate::config::FalseClock;
use crate::notes;

struct TickCounter {
    /// True if its rate is constant.
    steady: bool,
    kind: ClockKind,
    /// Ticks a second; 0 if the processor does not say.
    frequency: u64,
}

struct ClockChoice {
    counter: TickCounter,
    /// A false clock adds this to every reading, for tests: an offset in ticks, and a fraction of the reading.
    added: (f64, f64),
}

static CHOICE: OnceLock<ClockChoice> = OnceLock::new();
/// Set if [`now`] is not simply [`ticks`].
static INDIRECT: AtomicBool = AtomicBool::new(false);

/// The current time in ticks. Reading the counter is not serializing, so the processor may shift it by a few
/// nanoseconds.
#[inline(always)]
pub fn now() -> u64 {
    if INDIRECT.load(Relaxed) { indirect() } else { ticks() }
}

/// True if [`now`] is simply [`ticks`].
pub fn is_ticks() -> bool {
    !INDIRECT.load(Relaxed)
}

#[cold]
fn indirect() -> u64 {
    let Some(ClockChoice { counter, added: (offset, share) }) = CHOICE.get() else { return ticks() };
    let ticks = if counter.steady { ticks() } else { nanoseconds(libc::CLOCK_MONOTONIC) };
    ticks.wrapping_add_signed((offset + ticks as f64 * share) as i64)
}

/// The processor's tick counter.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn ticks() -> u64 {
    // SAFETY: reads a register.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// The processor's tick counter.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn ticks() -> u64 {
    let ticks: u64;
    // SAFETY: reads a register that Linux lets programs read.
    unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags)) };
    ticks
}

fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes `time`; these clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Chooses the clock. Returns its kind and its nominal frequency in ticks a second, 0 if unknown.
pub fn choose(wrong: Option<FalseClock>) -> (ClockKind, u64) {
    const NANOSECONDS: u64 = 1_000_000_000;
    let choice = CHOICE.get_or_init(|| {
        let mut counter = counter();
        if !counter.steady {
            notes::add(
                "the processor's tick counter does not run at a constant rate: calls are timed by clock_gettime, which \
                 costs more",
            );
            (counter.kind, counter.frequency) = (ClockKind::Monotonic, NANOSECONDS);
        }
        let frequency = if counter.frequency == 0 { NANOSECONDS } else { counter.frequency };
        let added = wrong.map_or((0.0, 0.0), |wrong| (wrong.offset * frequency as f64, wrong.drift / 1e6));
        ClockChoice { counter, added }
    });
    INDIRECT.store(!choice.counter.steady || wrong.is_some(), Relaxed);
    (choice.counter.kind, choice.counter.frequency)
}

/// The number of the [`ClockKind`] that was chosen; `None` before [`choose`].
pub fn kind() -> Option<u16> {
    CHOICE.get().map(|choice| choice.counter.kind as u16)
}

#[cfg(target_arch = "x86_64")]
fn counter() -> TickCounter {
    let cpuid = raw_cpuid::CpuId::new();
    let steady = cpuid.get_advanced_power_mgmt_info().is_some_and(|info| info.has_invariant_tsc());
    let frequency = cpuid.get_tsc_info().and_then(|info| info.tsc_frequency()).unwrap_or(0);
    TickCounter { steady, kind: ClockKind::Tsc, frequency }
}

#[cfg(target_arch = "aarch64")]
fn counter() -> TickCounter {
    let frequency: u64;
    // SAFETY: reads a register that Linux lets programs read.
    unsafe { std::arch::asm!("mrs {}, cntfrq_el0", out(reg) frequency, options(nomem, nostack, preserves_flags)) };
    TickCounter { steady: true, kind: ClockKind::Counter, frequency }
}

/// Reads ticks and the system's clocks together: the narrowest of several readings.
pub fn sample() -> ClockSample {
    let read = || {
        let before = now();
        let monotonic = nanoseconds(libc::CLOCK_MONOTONIC);
        let after = now();
        let width = after.wrapping_sub(before);
        let realtime = nanoseconds(libc::CLOCK_REALTIME);
        ClockSample { ticks: before.wrapping_add(width / 2), width, monotonic, realtime }
    };
    (0..5).map(|_| read()).min_by_key(|sample| sample.width).unwrap_or_default()
}
