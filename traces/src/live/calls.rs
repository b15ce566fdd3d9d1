//! The calls that a thread is in.
//!
//! The depth says which levels count. It goes down before the level of a call is written, and up afterwards.

use std::sync::atomic::Ordering::{Relaxed, Release};

use zerocopy::transmute;

use super::still::copies;
use super::words::see_published;
use crate::file::{LEVELS, Level};
use crate::orders::{AtomicU32, AtomicU64};
use crate::signature::Signature;

const WORDS: usize = size_of::<Signature>() / size_of::<u64>();

/// The begin of a thread's block.
#[repr(C)]
pub struct LiveCalls {
    pub tid: AtomicU32,
    depth: AtomicU32,
    pub begin: AtomicU64,
    unnumbered: [AtomicU64; WORDS],
    levels: [LiveLevel; LEVELS],
}

#[repr(C)]
struct LiveLevel {
    start: AtomicU64,
    signature: AtomicU64,
}

/// A copy of the open calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenLevels {
    pub depth: u32,
    /// The signature of a call without a number.
    pub unnumbered: Signature,
    /// Valid below `depth`, zero otherwise.
    pub levels: [Level; LEVELS],
}

impl LiveCalls {
    #[cfg(loom)]
    pub fn new() -> LiveCalls {
        let level = |_| LiveLevel { start: AtomicU64::new(0), signature: AtomicU64::new(0) };
        LiveCalls {
            tid: AtomicU32::new(0),
            depth: AtomicU32::new(0),
            begin: AtomicU64::new(0),
            unnumbered: std::array::from_fn(|_| AtomicU64::new(0)),
            levels: std::array::from_fn(level),
        }
    }

    /// Writes the call as the only open one.
    #[inline(always)]
    pub fn enter_first(&self, level: Level) {
        let [first, ..] = &self.levels;
        first.write(level);
        self.set_depth(1);
    }

    /// Writes the call at nesting level `depth`, which is not open; levels beyond LEVELS are not stored.
    #[inline(always)]
    pub fn set_level(&self, depth: u32, level: impl FnOnce() -> Level) {
        if let Some(place) = self.levels.get(depth as usize) {
            place.write(level());
        }
    }

    /// Notes of the innermost of `depth` open calls that it counts as the call number `count` in the profile's entry of a
    /// signature: if the entry has that count, the call is in it.
    #[inline(always)]
    pub fn set_counted(&self, depth: u32, number: u32, count: u64) {
        if let Some(place) = self.levels.get((depth as usize).wrapping_sub(1)) {
            place.signature.store(count << 32 | u64::from(number), Release);
        }
    }

    /// Sets the number of open calls, after their levels.
    #[inline(always)]
    pub fn set_depth(&self, depth: u32) {
        self.depth.store(depth, Release);
    }

    /// Sets the last signature that got no number, before its call is entered.
    pub fn set_unnumbered(&self, signature: Signature) {
        let words: [u64; WORDS] = transmute!(signature);
        for (place, word) in self.unnumbered.iter().zip(words) {
            place.store(word, Release);
        }
    }

    /// The number of open calls, for the thread itself.
    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.depth.load(Relaxed)
    }

    /// The start of the outermost call, for the thread itself; 0 if it was left.
    #[inline(always)]
    pub fn since(&self) -> u64 {
        let [first, ..] = &self.levels;
        first.start.load(Relaxed)
    }

    /// A level, for the thread itself.
    pub fn level(&self, at: usize) -> Level {
        self.levels.get(at).map_or(Level { start: 0, signature: 0 }, LiveLevel::read)
    }

    /// All levels, for the thread itself.
    pub fn levels(&self) -> [Level; LEVELS] {
        self.levels.each_ref().map(LiveLevel::read)
    }

    /// The open calls as they were at one moment. If they never were still, only the outer ones that were.
    ///
    /// A call's start tells its level from all earlier ones. That of a call whose stack goes on is older, so the copy is
    /// wrong if another stack's call came and went between two loads of this one.
    pub fn copy(&self) -> OpenLevels {
        let (before, mut now) = copies(|| self.copy_once());
        // The depth was read before the levels, and is zero while the outermost is written.
        let is_still = |(level, before): &(&Level, &Level)| level == before;
        let still = now.levels.iter().zip(&before.levels).take_while(is_still).count();
        if still < LEVELS {
            now.depth = now.depth.min(still as u32);
        }
        now
    }

    fn copy_once(&self) -> OpenLevels {
        let depth = self.depth.load(Relaxed);
        see_published();
        let mut levels = [Level { start: 0, signature: 0 }; LEVELS];
        for (place, level) in levels.iter_mut().zip(&self.levels).take(depth as usize) {
            *place = level.read();
        }
        let unnumbered = self.unnumbered.each_ref().map(|word| word.load(Relaxed));
        OpenLevels { depth, levels, unnumbered: transmute!(unnumbered) }
    }
}

impl LiveLevel {
    #[inline(always)]
    fn write(&self, level: Level) {
        self.start.store(level.start, Release);
        self.signature.store(level.signature, Release);
    }

    /// The start is read last, since it is written first: with the signature of a later call it is that call's, too.
    #[inline(always)]
    fn read(&self) -> Level {
        let signature = self.signature.load(Relaxed);
        see_published();
        Level { start: self.start.load(Relaxed), signature }
    }
}
