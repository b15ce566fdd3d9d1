//! Entries into the progress engine that have no record yet.

use std::sync::atomic::Ordering::{Relaxed, Release};

use super::still::still;
use crate::orders::AtomicU64;
use crate::progress::{EntryRun, Productive, RUNS};

/// An [`EntryRun`] in a thread's block.
#[repr(C)]
#[derive(Default)]
pub struct LiveRun {
    start: AtomicU64,
    end: AtomicU64,
    /// Written last, since 0 means that there is no run.
    count: AtomicU64,
}

impl LiveRun {
    /// The run, for the thread itself.
    #[inline(always)]
    pub fn read(&self) -> EntryRun {
        let (start, end) = (self.start.load(Relaxed), self.end.load(Relaxed));
        EntryRun { start, end, count: self.count.load(Relaxed) }
    }

    #[inline(always)]
    pub fn write(&self, run: EntryRun) {
        self.start.store(run.start, Release);
        self.end.store(run.end, Release);
        self.count.store(run.count, Release);
    }

    /// Adds an entry. Returns the start of the first one.
    pub fn add(&self, start: u64, end: u64) -> u64 {
        let run = self.read();
        let first = if run.count == 0 { start } else { run.start };
        self.write(EntryRun { start: first, end, count: run.count + 1 });
        first
    }

    #[inline(always)]
    pub fn clear(&self) {
        self.count.store(0, Release);
    }

    /// The run as it was at one moment; empty if it never was still.
    pub fn copy(&self) -> EntryRun {
        still(|| self.read())
    }
}

/// The [`Productive`] entries in a thread's block.
#[repr(C)]
#[derive(Default)]
pub struct LiveProductive {
    /// Written after the runs.
    runs: AtomicU64,
    all: [LiveRun; RUNS],
}

impl LiveProductive {
    /// Adds an entry. If there is no room, neighboring runs are merged in pairs, and from then on a run holds up to
    /// `most` entries, twice as many as before. So any number of entries ends up in runs of about equal size.
    #[inline(always)]
    pub fn add(&self, start: u64, end: u64, most: &mut u64) {
        let runs = self.runs();
        match self.all.get(runs as usize) {
            Some(next) if runs == 0 || *most == 1 => {
                next.write(EntryRun { start, end, count: 1 });
                self.set_runs(runs + 1);
            }
            _ => self.join(start, end, most),
        }
    }

    #[inline(never)]
    fn join(&self, start: u64, end: u64, most: &mut u64) {
        let runs = (self.runs() as usize).min(RUNS);
        let last = self.all.get(runs.wrapping_sub(1)).map(|last| (last, last.read()));
        if let Some((place, last)) = last.filter(|(_, last)| last.count < *most) {
            place.write(EntryRun { start: last.start, end, count: last.count + 1 });
            return;
        }
        if runs == RUNS {
            *most *= 2;
            let (pairs, _) = self.all.as_chunks();
            for (place, [first, second]) in self.all.iter().zip(pairs) {
                let (first, second) = (first.read(), second.read());
                place.write(EntryRun { start: first.start, end: second.end, count: first.count + second.count });
            }
            self.set_runs(RUNS as u64 / 2);
        }
        let runs = self.runs();
        if let Some(next) = self.all.get(runs as usize) {
            next.write(EntryRun { start, end, count: 1 });
            self.set_runs(runs + 1);
        }
    }

    /// The number of runs, for the thread itself.
    #[inline(always)]
    pub fn runs(&self) -> u64 {
        self.runs.load(Relaxed)
    }

    #[inline(always)]
    pub fn set_runs(&self, runs: u64) {
        self.runs.store(runs, Release);
    }

    /// The first run, for the thread itself.
    #[inline(always)]
    pub fn first(&self) -> EntryRun {
        let [first, ..] = &self.all;
        first.read()
    }

    /// Keeps these runs alone, which are the last ones.
    pub fn keep(&self, runs: &[EntryRun]) {
        for (place, run) in self.all.iter().zip(runs) {
            place.write(*run);
        }
        self.set_runs(runs.len() as u64);
    }

    /// All runs, for the thread itself.
    pub fn read(&self) -> Productive {
        Productive { runs: self.runs(), all: self.all.each_ref().map(LiveRun::read) }
    }

    /// The runs as they were at one moment; none if they never were still.
    pub fn copy(&self) -> Productive {
        still(|| self.read())
    }
}
