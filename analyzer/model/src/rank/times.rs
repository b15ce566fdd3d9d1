//! The times of a rank: of its selected part, and of the whole.

use traces::read::ThreadPages;

use super::{Rank, is_nested};
use crate::selection::{ALL, ActiveSpan, LEFT_OUT, Part};
use crate::sums::Total;
use crate::tally::CallTotal;

impl Rank {
    /// Parts of the selection that a thread's calls count for, over time.
    pub fn stretches(&self, thread: u32) -> &[(u64, Part)] {
        self.selection.as_ref().map_or(ALL, |selection| selection.thread(thread))
    }

    /// Number of the thread that first called MPI.
    pub fn first_thread(&self) -> u32 {
        self.threads.first().map_or(0, |thread| thread.number)
    }

    /// Seconds that would count without a selection: from MPI's start to its end.
    pub fn unselected(&self) -> f64 {
        let Some(active) = self.active() else { return self.whole() };
        let end = active.end.map_or(self.until, |end| end.min(self.until));
        self.clock.seconds(end.saturating_sub(active.begin))
    }

    /// The first and the last selected tick of the first thread, as far as the rank's time goes; equal if none is selected.
    pub fn selected_ends(&self) -> (u64, u64) {
        let stretches = self.stretches(self.first_thread());
        let end = self.active().and_then(|active| active.end).map_or(self.until, |end| end.min(self.until));
        let begin = self.active().map_or(self.header.begin.ticks, |active| active.begin).min(end);
        let ends = stretches.iter().skip(1).map(|(tick, _)| *tick).chain([end]);
        let mut selected = (end, begin);
        for ((from, part), until) in stretches.iter().zip(ends) {
            let (from, until) = ((*from).max(begin), until.min(end));
            if *part != LEFT_OUT && from < until {
                selected = (selected.0.min(from), selected.1.max(until));
            }
        }
        if selected.0 < selected.1 { selected } else { (begin, begin) }
    }

    /// True if the selection leaves out more than starting and ending MPI.
    pub fn is_part(&self) -> bool {
        self.selection.as_ref().is_some_and(|selection| selection.is_part)
    }

    /// Time between starting and ending MPI, if only that counts.
    pub fn active(&self) -> Option<ActiveSpan> {
        self.selection.as_ref()?.active
    }

    /// Seconds for starting MPI and for ending it, if those do not count.
    pub fn start_and_end(&self) -> Option<(f64, f64)> {
        let active = self.active()?;
        let ending = active.end.map_or(0, |end| self.until.saturating_sub(end));
        Some((self.clock.seconds(active.begin - active.start), self.clock.seconds(ending)))
    }

    /// Selected seconds of the first thread.
    pub fn wall(&self) -> f64 {
        self.selection.as_ref().map_or_else(|| self.whole(), |selection| self.clock.seconds(selection.time))
    }

    /// Sum of the selected seconds over the threads that called MPI.
    pub fn wall_of_threads(&self) -> f64 {
        match &self.selection {
            Some(selection) if selection.is_part => {
                self.clock.seconds(self.threads.iter().map(|thread| selection.time_of(thread.number)).total())
            }
            _ => self.of_threads(self.wall()),
        }
    }

    /// Sum of the whole seconds over the threads that called MPI.
    pub fn whole_of_threads(&self) -> f64 {
        self.of_threads(self.whole())
    }

    fn of_threads(&self, seconds: f64) -> f64 {
        seconds * self.thread_count().max(1) as f64
    }

    /// Number of threads that called MPI, with those that have no room in the file.
    pub fn thread_count(&self) -> usize {
        self.threads.len() + self.roomless
    }

    /// Seconds from the start of MPI_Init to the end of MPI_Finalize, or to [now or the last sign of life](Rank::until).
    pub fn whole(&self) -> f64 {
        self.since_begin(self.until)
    }

    pub fn entries(&self) -> impl Iterator<Item = &CallTotal> {
        self.threads.iter().flat_map(|thread| &thread.entries).chain(&self.shared)
    }

    /// Seconds in MPI, summed over the threads.
    pub fn time_in_mpi(&self) -> f64 {
        let ticks = self.entries().filter(|entry| !is_nested(entry)).map(|entry| entry.total).total();
        self.clock.seconds(ticks)
    }

    /// Seconds in MPI of the mean thread.
    pub fn mean_time_in_mpi(&self) -> f64 {
        self.time_in_mpi() / self.thread_count().max(1) as f64
    }

    /// Seconds outside MPI, summed over the threads.
    pub fn computation(&self) -> f64 {
        (self.wall_of_threads() - self.time_in_mpi()).max(0.0)
    }

    /// Seconds outside MPI of the mean thread.
    pub fn mean_computation(&self) -> f64 {
        self.computation() / self.thread_count().max(1) as f64
    }

    pub fn since_begin(&self, ticks: u64) -> f64 {
        self.clock.seconds(ticks.saturating_sub(self.header.begin.ticks))
    }
}

/// The tick from which a thread's records are kept, if some were dropped.
pub fn kept_from(thread: &ThreadPages<'_>) -> Option<u64> {
    let dropped = thread.dropped?;
    Some(thread.pages.first().map_or(dropped.head.until, |first| first.base))
}
