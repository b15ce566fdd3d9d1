//! A thread's block in the file: what holds at any moment, for whoever finds the process dead.
//!
//! Readers of the file may look while it changes, and so may the system, which writes it out. So nothing of it is borrowed: it is
//! written field by field, and what is only valid together with something else goes first.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering::*};

use traces::file::{LEVELS, Level, ThreadBlock};
use traces::progress::{EntryRun, Productive};
use traces::signature::Signature;

use super::engine::{LastEntry, Ledger};
use crate::clock;
use recorder_core::polls::PollRun;

/// See the module.
pub struct Block(NonNull<ThreadBlock>);

impl Block {
    /// A block of zeros, whose time begins.
    ///
    /// # Safety
    /// It is there as long as the process lives, and nothing refers to it but this.
    pub unsafe fn begin(block: NonNull<ThreadBlock>) -> Block {
        // SAFETY: the caller's promise.
        unsafe { (&raw mut (*block.as_ptr()).begin).write(clock::now()) };
        Block(block)
    }

    /// Which thread of the system fills it.
    pub fn set_tid(&self, tid: u32) {
        // SAFETY: a field of the block.
        unsafe { (&raw mut (*self.0.as_ptr()).tid).write(tid) };
    }

    /// The thread is in this call, and in no other.
    #[inline(always)]
    pub fn enter_first(&self, level: Level) {
        // The block is looked up once: as far as the compiler knows, each write may change where it is.
        let block = self.0.as_ptr();
        // SAFETY: fields of the block, of which the depth goes last, and by an atomic operation.
        unsafe {
            (&raw mut (*block).levels).cast::<Level>().write(level);
            AtomicU32::from_ptr(&raw mut (*block).depth).store(1, Release);
        }
    }

    /// The call that so many others are around. Further inside there is no room.
    #[inline(always)]
    pub fn set_level(&self, depth: u32, level: impl FnOnce() -> Level) {
        if depth < LEVELS as u32 {
            // SAFETY: there are so many.
            unsafe { (&raw mut (*self.0.as_ptr()).levels).cast::<Level>().add(depth as usize).write(level()) };
        }
    }

    /// The innermost of so many calls that has a place.
    pub fn level(&self, depth: u32) -> Level {
        let at = (depth as usize).saturating_sub(1).min(LEVELS - 1);
        // SAFETY: there are so many.
        unsafe { (&raw const (*self.0.as_ptr()).levels).cast::<Level>().add(at).read() }
    }

    /// Since when the outermost call is open; 0 where it was left.
    #[inline(always)]
    pub fn since(&self) -> u64 {
        // SAFETY: the first level's.
        unsafe { (&raw const (*(&raw const (*self.0.as_ptr()).levels).cast::<Level>()).start).read() }
    }

    /// The thread is in no call any more, and none returns.
    pub fn close(&self) {
        self.set_depth(0);
        self.set_level(0, || Level { start: 0, signature: 0 });
    }

    /// The thread is in so many calls that were suspended, besides the `outer` ones.
    pub fn open_further(&self, outer: u32, levels: &[Level; LEVELS], depth: u32) {
        for (at, level) in (0..depth).zip(levels) {
            self.set_level(outer + at, || *level);
        }
        self.set_depth(outer + depth);
    }

    /// All levels, those of calls the thread is in first.
    pub fn levels(&self) -> [Level; LEVELS] {
        // SAFETY: a field of the block.
        unsafe { (&raw const (*self.0.as_ptr()).levels).read() }
    }

    /// How many calls the thread is in. Readers trust the levels below, so this goes last.
    #[inline(always)]
    pub fn set_depth(&self, depth: u32) {
        self.atomic_depth().store(depth, Release);
    }

    /// What [`set_depth`](Self::set_depth) has set.
    pub fn depth(&self) -> u32 {
        self.atomic_depth().load(Relaxed)
    }

    #[inline(always)]
    fn atomic_depth(&self) -> &AtomicU32 {
        // SAFETY: a field of the block, which only atomic operations touch.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.0.as_ptr()).depth) }
    }

    /// The last signature that found no number.
    pub fn set_unnumbered(&self, signature: Signature) {
        // SAFETY: a field of the block.
        unsafe { (&raw mut (*self.0.as_ptr()).unnumbered).write(signature) };
    }

    /// What was spent off the straight line: [`spent`](crate::recorder::guard::spent) keeps it, any thread reads it.
    pub fn off_line(&self) -> *mut u64 {
        // SAFETY: the address of a field of the block.
        unsafe { &raw mut (*self.0.as_ptr()).off_line }
    }

    /// What the engine did, for each component.
    pub fn ledger(&self) -> Ledger {
        // SAFETY: the block has the lines of a ledger, and nobody else hands them out.
        unsafe { Ledger::at(NonNull::new_unchecked(&raw mut (*self.0.as_ptr()).ledger).cast()) }
    }

    /// When the last entry into the engine ended.
    pub fn last_entry(&self) -> LastEntry {
        // SAFETY: a field of the block, and nobody else hands it out.
        unsafe { LastEntry::at(NonNull::new_unchecked(&raw mut (*self.0.as_ptr()).last_entry)) }
    }

    /// The calls that asked in vain since the last record.
    #[inline(always)]
    pub fn polls(&self) -> PollRun {
        // SAFETY: a field of the block, which its thread alone touches.
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
