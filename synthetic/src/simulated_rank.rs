//! One rank: its clock, its past calls, and its file.

use std::io;

use super::program::{DIRECTIONS, HALO, RankProgram};
use super::random::Random;
use super::rank_output::RankOutput;
use super::truth::KnownTotals;

/// Ticks that a rank computes before each exchange or collective, without the parts that depend on the rank and the
/// step.
const COMPUTATION: u64 = 8_000;
/// One in this many computations takes far longer.
const SELDOM: u64 = 64;
/// Ticks between consecutive calls.
pub const BETWEEN: u64 = 50;
/// The least duration of a call, and the range by which it varies.
pub const LEAST: u64 = 200;
pub const VARIES: u64 = 100;

pub struct SimulatedRank {
    pub number: u32,
    pub now: u64,
    pub random: Random,
    pub slowness: u64,
    /// Some of its computations take far longer.
    pub is_sporadic: bool,
    pub program: RankProgram,
    pub output: RankOutput,
    pub totals: KnownTotals,
}

impl SimulatedRank {
    pub fn compute(&mut self) {
        let often = COMPUTATION * self.slowness / 256 + self.random.below(COMPUTATION / 2);
        let is_seldom = self.is_sporadic && self.random.below(SELDOM) == 0;
        let seldom = if is_seldom { 5 * COMPUTATION } else { 0 };
        self.now += often + seldom;
    }

    /// Begins the receives and sends of a halo, and notes when each send began.
    pub fn post(&mut self, directions: usize, size: usize, any: bool, sent: &mut [u64; DIRECTIONS]) -> io::Result<()> {
        let RankProgram { receive_halo, receive_any_halo, send_halo, .. } = self.program;
        for (direction, posted) in receive_halo[size].into_iter().enumerate().take(directions) {
            self.begins(if any && direction == 0 { receive_any_halo[size] } else { posted })?;
        }
        for (sent, send) in sent.iter_mut().zip(send_halo[size]).take(directions) {
            *sent = self.now;
            // The next number means that the request is complete at once.
            self.begins(send + u32::from(size == 0))?;
            self.totals.messages += 1;
            self.totals.bytes += HALO[size];
        }
        Ok(())
    }

    /// Writes a call that begins a request, and the gap to the next call.
    fn begins(&mut self, signature: u32) -> io::Result<()> {
        let duration = self.least() - self.now;
        self.output.starts(signature, self.now, duration)?;
        self.has_called(duration);
        self.now += BETWEEN;
        Ok(())
    }

    /// Writes a call that begins now.
    pub fn call_until(&mut self, signature: u32, end: u64) -> io::Result<()> {
        self.output.call(signature, self.now, end - self.now)?;
        self.has_called(end - self.now);
        Ok(())
    }

    fn has_called(&mut self, duration: u64) {
        self.totals.calls += 1;
        self.totals.in_mpi += duration;
        self.now += duration;
    }

    /// The end of a call that begins now, if it waits for nothing.
    pub fn least(&mut self) -> u64 {
        self.now + LEAST + self.random.below(VARIES)
    }
}
