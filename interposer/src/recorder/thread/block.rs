//! A thread's block in the file: its current state, which readers find even if the process has died.
//!
//! Readers may look at the block while it changes, and the system may write it out at any time. So a field that
//! validates others is written last.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, Release};

use traces::file::{LEVELS, Level};
use traces::live::{LiveBlock, LiveProductive, LiveRun, LiveTeams};
use traces::signature::Signature;

use super::engine::Ledger;
use crate::clock;
use recorder_core::polls::PollRun;

/// The block, which only its thread writes.
pub struct Block(&'static LiveBlock);

impl Block {
    /// Begins a zeroed block, at the current time.
    pub fn begin(block: &'static LiveBlock) -> Block {
        block.calls.begin.store(clock::now(), Relaxed);
        Block(block)
    }

    pub fn set_tid(&self, tid: u32) {
        self.0.calls.tid.store(tid, Relaxed);
    }

    /// Writes the call as the only open one.
    #[inline(always)]
    pub fn enter_first(&self, level: Level) {
        self.0.calls.enter_first(level);
    }

    /// Writes the call at nesting level `depth`; levels beyond LEVELS are not stored.
    #[inline(always)]
    pub fn set_level(&self, depth: u32, level: impl FnOnce() -> Level) {
        self.0.calls.set_level(depth, level);
    }

    /// The innermost of `depth` open calls that is stored.
    pub fn level(&self, depth: u32) -> Level {
        self.0.calls.level((depth as usize).saturating_sub(1).min(LEVELS - 1))
    }

    /// The start of the outermost call, in ticks; 0 if it was left.
    #[inline(always)]
    pub fn since(&self) -> u64 {
        self.0.calls.since()
    }

    /// Notes that no call is open, and that none will return.
    pub fn close(&self) {
        self.set_depth(0);
        self.set_level(0, || Level { start: 0, signature: 0 });
    }

    /// Writes `depth` calls that were suspended inside the `outer` open ones.
    pub fn open_further(&self, outer: u32, levels: &[Level; LEVELS], depth: u32) {
        for (at, level) in (0..depth).zip(levels) {
            self.set_level(outer + at, || *level);
        }
        self.set_depth(outer + depth);
    }

    /// Notes of the innermost of `depth` open calls as which one the profile's entry of a signature counts it.
    #[inline(always)]
    pub fn set_counted(&self, depth: u32, number: u32, count: u64) {
        self.0.calls.set_counted(depth, number, count);
    }

    /// All levels; those of open calls come first.
    pub fn levels(&self) -> [Level; LEVELS] {
        self.0.calls.levels()
    }

    /// Sets the number of open calls, after their levels: readers trust the levels below it.
    #[inline(always)]
    pub fn set_depth(&self, depth: u32) {
        self.0.calls.set_depth(depth);
    }

    pub fn depth(&self) -> u32 {
        self.0.calls.depth()
    }

    /// Sets the last signature that got no number.
    pub fn set_unnumbered(&self, signature: Signature) {
        self.0.calls.set_unnumbered(signature);
    }

    /// Ticks off the straight line that the start and the end of MPI took.
    pub fn starting(&self) -> u64 {
        self.0.starting.load(Relaxed)
    }

    /// Sets the ticks of [`starting`](Self::starting), and `met`, the ticks of waiting for other ranks during them.
    pub fn set_starting(&self, ticks: u64, met: u64) {
        self.0.starting.store(ticks, Relaxed);
        self.0.met.store(met, Relaxed);
    }

    /// Counts a signature that was written.
    pub fn signature_written(&self) {
        self.0.signatures.store(self.0.signatures.load(Relaxed) + 1, Release);
    }

    /// Number of entries of the thread's profile that were begun.
    pub fn totals(&self) -> &'static AtomicU64 {
        &self.0.totals
    }

    pub fn ledger(&self) -> Ledger {
        Ledger(&self.0.ledger)
    }

    /// The run of unsuccessful polls since the last record.
    #[inline(always)]
    pub fn polls(&self) -> PollRun<'static> {
        PollRun(&self.0.polls)
    }

    /// Parallel regions since the last record.
    #[inline(always)]
    pub fn teams(&self) -> &'static LiveTeams {
        &self.0.teams
    }

    /// Productive entries since the last record.
    #[inline(always)]
    pub fn productive(&self) -> &'static LiveProductive {
        &self.0.productive
    }

    /// Entries outside MPI calls since the last record.
    #[inline(always)]
    pub fn outside(&self) -> &'static LiveRun {
        &self.0.outside
    }
}
