//! A thread's block: its current state, which readers find in the file even if the process has died.

use std::sync::atomic::Ordering::Relaxed;

use super::calls::LiveCalls;
use super::productive::{LiveProductive, LiveRun};
use super::still::still;
use super::words::LiveWords;
use crate::file::ThreadBlock;
use crate::orders::AtomicU64;
use crate::progress::{Entries, LINES, LedgerLine, Polls};
use crate::teams::Teams;

/// A [`ThreadBlock`] in the file, of which one thread writes every field and any process reads them.
///
/// All stores to calls, polls, productive and outside entries are Release: readers [copy](LiveBlock::copy) each of these
/// until it was still. The other fields mean something by themselves.
#[repr(C)]
pub struct LiveBlock {
    pub calls: LiveCalls,
    pub polls: LivePolls,
    pub productive: LiveProductive,
    pub outside: LiveRun,
    pub ledger: [LiveLine; LINES],
    pub off_line: AtomicU64,
    pub last_entry: AtomicU64,
    pub starting: AtomicU64,
    pub met: AtomicU64,
    pub idle_polls: AtomicU64,
    pub signatures: AtomicU64,
    pub totals: AtomicU64,
    pub teams: LiveTeams,
}

/// [`Teams`] in a thread's block. The count is written last, since 0 means that there are none.
#[repr(C)]
#[derive(Default)]
pub struct LiveTeams {
    pub start: AtomicU64,
    pub end: AtomicU64,
    pub count: AtomicU64,
    pub site: AtomicU64,
    pub threads: AtomicU64,
    pub unknown: AtomicU64,
    pub inside: AtomicU64,
    pub work: AtomicU64,
    pub longest: AtomicU64,
    pub own: AtomicU64,
    pub barriers: AtomicU64,
    pub locks: AtomicU64,
}

/// [`Polls`] in a thread's block. The count is written last, since 0 means that there are none.
#[repr(C)]
#[derive(Default)]
pub struct LivePolls {
    pub start: AtomicU64,
    pub end: AtomicU64,
    pub count: AtomicU64,
    pub total: AtomicU64,
    /// The shortest in the lower half, the longest in the upper.
    pub gaps: AtomicU64,
    pub durations: AtomicU64,
    pub signature: AtomicU64,
    pub last: AtomicU64,
}

/// A [`LedgerLine`] in a thread's block.
#[repr(C)]
pub struct LiveLine {
    pub entries: AtomicU64,
    pub productive: AtomicU64,
    pub ticks: AtomicU64,
    pub events: AtomicU64,
    pub ready_to_receive: AtomicU64,
    pub ready_to_send: AtomicU64,
}

#[cfg(not(loom))]
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<LiveBlock>() == size_of::<ThreadBlock>() && align_of::<LiveBlock>() == 8);
    assert!(size_of::<LiveCalls>() == offset_of!(ThreadBlock, polls));
    assert!(offset_of!(LiveBlock, productive) == offset_of!(ThreadBlock, productive));
    assert!(offset_of!(LiveBlock, outside) == offset_of!(ThreadBlock, outside));
    assert!(offset_of!(LiveBlock, ledger) == offset_of!(ThreadBlock, ledger));
    assert!(offset_of!(LivePolls, last) == offset_of!(Polls, last));
    assert!(offset_of!(LiveBlock, teams) == offset_of!(ThreadBlock, teams));
    assert!(offset_of!(LiveTeams, locks) == offset_of!(Teams, locks));
};

impl LiveBlock {
    /// The block at the begin of a page's body.
    pub fn at(body: LiveWords<'_>) -> Option<&LiveBlock> {
        let is_whole = body.len() >= size_of::<LiveBlock>() / size_of::<u64>();
        // SAFETY: a block is words, of which some are read by halves.
        is_whole.then(|| unsafe { &*body.as_ptr().cast() })
    }

    /// The block as it is now: calls, polls and entries each as they were at one moment. Data that never was still is
    /// left out, as if it were over: a thread that is never still makes calls all the time.
    pub fn copy(&self) -> ThreadBlock {
        // In the order in which a call moves on, from the end: so none is seen twice.
        let (polls, teams) = (self.polls.copy(), self.teams.copy());
        let (productive, outside) = (self.productive.copy(), self.outside.copy());
        let calls = self.calls.copy();
        ThreadBlock {
            tid: self.calls.tid.load(Relaxed),
            depth: calls.depth,
            begin: self.calls.begin.load(Relaxed),
            unnumbered: calls.unnumbered,
            levels: calls.levels,
            polls,
            productive,
            outside,
            ledger: self.ledger.each_ref().map(LiveLine::read),
            off_line: self.off_line.load(Relaxed),
            last_entry: self.last_entry.load(Relaxed),
            starting: self.starting.load(Relaxed),
            met: self.met.load(Relaxed),
            idle_polls: self.idle_polls.load(Relaxed),
            signatures: self.signatures.load(Relaxed),
            totals: self.totals.load(Relaxed),
            teams,
        }
    }
}

impl LivePolls {
    /// The polls, for the thread itself.
    pub fn read(&self) -> Polls {
        Polls {
            start: self.start.load(Relaxed),
            end: self.end.load(Relaxed),
            count: self.count.load(Relaxed),
            total: self.total.load(Relaxed),
            gaps: halves(self.gaps.load(Relaxed)),
            durations: halves(self.durations.load(Relaxed)),
            signature: self.signature.load(Relaxed),
            last: self.last.load(Relaxed),
        }
    }

    /// The polls as they were at one moment; none if they never were still.
    pub fn copy(&self) -> Polls {
        still(|| self.read())
    }
}

impl LiveTeams {
    /// The regions, for the thread itself.
    pub fn read(&self) -> Teams {
        Teams {
            start: self.start.load(Relaxed),
            end: self.end.load(Relaxed),
            count: self.count.load(Relaxed),
            site: self.site.load(Relaxed),
            threads: self.threads.load(Relaxed),
            unknown: self.unknown.load(Relaxed),
            inside: self.inside.load(Relaxed),
            work: self.work.load(Relaxed),
            longest: self.longest.load(Relaxed),
            own: self.own.load(Relaxed),
            barriers: self.barriers.load(Relaxed),
            locks: self.locks.load(Relaxed),
        }
    }

    /// The regions as they were at one moment; none if they never were still.
    pub fn copy(&self) -> Teams {
        still(|| self.read())
    }
}

/// The lower and the upper half of a word.
pub const fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

impl LiveLine {
    #[inline(always)]
    pub fn calls(&self) -> Entries {
        let productive = self.productive.load(Relaxed);
        Entries { entries: self.entries.load(Relaxed), productive, ticks: self.ticks.load(Relaxed) }
    }

    fn read(&self) -> LedgerLine {
        LedgerLine {
            calls: self.calls(),
            events: self.events.load(Relaxed),
            ready_to_receive: self.ready_to_receive.load(Relaxed),
            ready_to_send: self.ready_to_send.load(Relaxed),
        }
    }
}
