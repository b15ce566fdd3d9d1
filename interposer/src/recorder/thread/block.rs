//! A thread's block in the file: its current state, which readers find even if the process has died.
//!
//! Readers may look at the block while it changes, and the system may write it out at any time. So it is never borrowed
//! but written field by field, and a field that validates others is written last.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering::*};

use traces::file::{LEVELS, Level, ThreadBlock};
use traces::progress::{EntryRun, Productive};
use traces::signature::Signature;

use super::engine::{LastEntry, Ledger};
use crate::clock;
use recorder_core::polls::PollRun;

pub struct Block(NonNull<ThreadBlock>);

impl Block {
    /// Begins a zeroed block, at the current time.
    ///
    /// # Safety
    /// It must stay mapped while the process lives, and only this `Block` may use it.
    pub unsafe fn begin(block: NonNull<ThreadBlock>) -> Block {
        // SAFETY: the caller's promise.
        unsafe { (&raw mut (*block.as_ptr()).begin).write(clock::now()) };
        Block(block)
    }

    pub fn set_tid(&self, tid: u32) {
        // SAFETY: a field of the block.
        unsafe { (&raw mut (*self.0.as_ptr()).tid).write(tid) };
    }

    /// Writes the call as the only open one.
    #[inline(always)]
    pub fn enter_first(&self, level: Level) {
        // A local, since for the compiler each write may change `self.0`.
        let block = self.0.as_ptr();
        // SAFETY: fields of the block. The depth is written last, by an atomic operation.
        unsafe {
            (&raw mut (*block).levels).cast::<Level>().write(level);
            AtomicU32::from_ptr(&raw mut (*block).depth).store(1, Release);
        }
    }

    /// Writes the call at nesting level `depth`; levels beyond LEVELS are not stored.
    #[inline(always)]
    pub fn set_level(&self, depth: u32, level: impl FnOnce() -> Level) {
        if depth < LEVELS as u32 {
            // SAFETY: `depth` is below the number of levels.
            unsafe { (&raw mut (*self.0.as_ptr()).levels).cast::<Level>().add(depth as usize).write(level()) };
        }
    }

    /// The innermost of `depth` open calls that is stored.
    pub fn level(&self, depth: u32) -> Level {
        let at = (depth as usize).saturating_sub(1).min(LEVELS - 1);
        // SAFETY: `at` is below the number of levels.
        unsafe { (&raw const (*self.0.as_ptr()).levels).cast::<Level>().add(at).read() }
    }

    /// The start of the outermost call, in ticks; 0 if it was left.
    #[inline(always)]
    pub fn since(&self) -> u64 {
        // SAFETY: a field of the first level.
        unsafe { (&raw const (*(&raw const (*self.0.as_ptr()).levels).cast::<Level>()).start).read() }
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

    /// All levels; those of open calls come first.
    pub fn levels(&self) -> [Level; LEVELS] {
        // SAFETY: a field of the block.
        unsafe { (&raw const (*self.0.as_ptr()).levels).read() }
    }

    /// Sets the number of open calls, after their levels: readers trust the levels below it.
    #[inline(always)]
    pub fn set_depth(&self, depth: u32) {
        self.atomic_depth().store(depth, Release);
    }

    pub fn depth(&self) -> u32 {
        self.atomic_depth().load(Relaxed)
    }

    #[inline(always)]
    fn atomic_depth(&self) -> &AtomicU32 {
        // SAFETY: a field of the block, which only atomic operations touch.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.0.as_ptr()).depth) }
    }

    /// Sets the last signature that got no number.
    pub fn set_unnumbered(&self, signature: Signature) {
        // SAFETY: a field of the block.
        unsafe { (&raw mut (*self.0.as_ptr()).unnumbered).write(signature) };
    }

    /// The field for the ticks spent off the straight line: [`spent`](crate::recorder::guard::spent) writes it, and any
    /// thread may read it.
    pub fn off_line(&self) -> *mut u64 {
        // SAFETY: the address of a field of the block.
        unsafe { &raw mut (*self.0.as_ptr()).off_line }
    }

    /// The part of the ticks off the straight line that starting and ending MPI took.
    pub fn starting(&self) -> u64 {
        // SAFETY: a field of the block, which only its thread writes.
        unsafe { (*self.0.as_ptr()).starting }
    }

    /// Sets it, and the ticks of waiting for other ranks meanwhile.
    pub fn set_starting(&self, ticks: u64, met: u64) {
        // SAFETY: fields of the block, which only its thread writes.
        unsafe { ((*self.0.as_ptr()).starting, (*self.0.as_ptr()).met) = (ticks, met) };
    }

    /// The field for polls in vain that the program did nothing else between, which any thread may read.
    pub fn idle_polls(&self) -> *mut u64 {
        // SAFETY: the address of a field of the block.
        unsafe { &raw mut (*self.0.as_ptr()).idle_polls }
    }

    pub fn ledger(&self) -> Ledger {
        // SAFETY: the block has the lines of a ledger, and only this function returns them.
        unsafe { Ledger::at(NonNull::new_unchecked(&raw mut (*self.0.as_ptr()).ledger).cast()) }
    }

    /// The field for the end of the last entry into the engine.
    pub fn last_entry(&self) -> LastEntry {
        // SAFETY: a field of the block, and only this function returns it.
        unsafe { LastEntry::at(NonNull::new_unchecked(&raw mut (*self.0.as_ptr()).last_entry)) }
    }

    /// The run of unsuccessful polls since the last record.
    #[inline(always)]
    pub fn polls(&self) -> PollRun {
        // SAFETY: a field of the block, which only its thread uses.
        unsafe { PollRun::at(NonNull::new_unchecked(&raw mut (*self.0.as_ptr()).polls)) }
    }

    /// Productive entries since the last record.
    #[inline(always)]
    pub fn productive(&self) -> *mut Productive {
        // SAFETY: the address of a field of the block.
        unsafe { &raw mut (*self.0.as_ptr()).productive }
    }

    /// Entries outside MPI calls since the last record.
    #[inline(always)]
    pub fn outside(&self) -> *mut EntryRun {
        // SAFETY: the address of a field of the block.
        unsafe { &raw mut (*self.0.as_ptr()).outside }
    }
}
