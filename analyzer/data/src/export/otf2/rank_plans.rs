//! Prepares the ranks one after another: strings, regions and locations are numbered in the order of ranks. Their events are then
//! written in parallel.

use std::iter::Enumerate;
use std::slice::Iter;

use super::event_meanings::{self, Definitions, EventMeaning};
use super::event_writer::Region;
use super::processes::Processes;
use crate::DataSet;
use crate::export::table_files::each;
use model::error::Error;
use model::levels::{self, Life};
use tables::Cell;

/// A rank to be written, by its place in the run.
pub struct RankPlan {
    pub at: usize,
    /// The location of a rank without threads.
    pub empty: Option<u64>,
    pub threads: Vec<ThreadPlan>,
    /// Number of its regions.
    pub regions: u64,
}

pub struct ThreadPlan {
    pub location: u64,
    pub meanings: Vec<EventMeaning>,
    pub regions: Vec<Region>,
    /// Time and calling context of samples, the first one last.
    pub samples: Vec<(i64, u32)>,
}

/// The ranks of a run, each prepared when it is taken.
pub struct RankPlans<'p, 'r> {
    set: &'p DataSet<'r>,
    lives: Enumerate<Iter<'p, Life>>,
    origin: i64,
    definitions: &'p mut Definitions,
    processes: &'p mut Processes,
}

impl<'p, 'r> RankPlans<'p, 'r> {
    pub fn new(
        set: &'p DataSet<'r>,
        lives: &'p [Life],
        origin: i64,
        definitions: &'p mut Definitions,
        processes: &'p mut Processes,
    ) -> RankPlans<'p, 'r> {
        RankPlans { set, lives: lives.iter().enumerate(), origin, definitions, processes }
    }

    fn plan(&mut self, at: usize, life: &Life) -> Result<RankPlan, Error> {
        let rank = &self.set.run.ranks[at];
        let pages = if rank.is_asked { self.set.threads(at) } else { &[] };
        if pages.is_empty() {
            return Ok(RankPlan { at, empty: Some(self.processes.add(at, 0)), threads: Vec::new(), regions: 0 });
        }
        let mut regions = self.regions(at, life.end)?;
        let mut samples = levels::samples(rank, &self.set.common_clock.lines[at]);
        samples.reverse();
        let (mut threads, count) = (Vec::new(), regions.len() as u64);
        for thread in pages {
            let meanings = event_meanings::of_thread(self.definitions, self.set.run, at, thread);
            let own = samples.iter().filter(|sample| sample.thread == thread.number);
            threads.push(ThreadPlan {
                location: self.processes.add(at, thread.number),
                meanings,
                regions: regions.extract_if(.., |region| region.0 == thread.number).map(|region| region.1).collect(),
                samples: own.filter_map(|sample| Some((sample.at, self.definitions.context(at, sample)?))).collect(),
            });
        }
        Ok(RankPlan { at, empty: None, threads, regions: count })
    }

    /// Regions of a rank that ends at `end`, with their threads.
    fn regions(&mut self, at: usize, end: i64) -> Result<Vec<(u32, Region)>, Error> {
        let (set, definitions, origin) = (self.set, &mut *self.definitions, self.origin);
        let line = &set.common_clock.lines[at];
        let mut regions = Vec::new();
        let keys = ["thread", "region", "start_ticks", "end_ticks"];
        let rows = each(set, "regions", at, &keys, &mut |cells| {
            let [Cell::Whole(thread), Cell::Text(name), Cell::Whole(start), left] = *cells else { return Ok(0) };
            let from = line.nanoseconds_at(start);
            let to = if let Cell::Whole(left) = left { line.nanoseconds_at(left) } else { end };
            let time = |at: i64| at.saturating_sub(origin).max(0) as u64;
            let number = definitions.region(name, event_meanings::CODE, event_meanings::USER);
            regions.push((thread as u32, Region { from: time(from), to: time(to.max(from)), number }));
            Ok(1)
        });
        rows.map_err(|source| Error::Write { path: set.run.folder.clone(), source })?;
        Ok(regions)
    }
}

impl Iterator for RankPlans<'_, '_> {
    type Item = Result<RankPlan, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (at, life) = self.lives.next()?;
        Some(self.plan(at, life))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.lives.size_hint()
    }
}

impl ExactSizeIterator for RankPlans<'_, '_> {}
