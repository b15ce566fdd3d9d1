//! A rank's accesses to files between its calls of MPI, and its sleeps.
//!
//! In: a rank's records. Out: sums by file, call site and operation, over the threads that call MPI.

use std::collections::BTreeMap;

use traces::accesses::{Accesses, Operation};
use traces::definitions::CalledFrom;
use traces::file::WITH_ACCESSES;
use traces::read::{Visitor, walk_thread};

use super::Rank;
use super::selection::{Cursor, LEFT_OUT};
use super::sums::Grow;

/// What accesses have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AccessKey {
    /// The rank's number of the file; 0 if it has none.
    pub file: u32,
    /// The rank's number of the call site in the program.
    pub site: u32,
    pub operation: Operation,
}

/// Accesses, times in ticks of the rank's clock.
#[derive(Clone, Copy, Default, Debug)]
pub struct AccessSums {
    pub count: u64,
    pub time: u64,
    pub longest: u64,
    pub bytes: u64,
    /// Bytes of the smallest and of the largest access.
    pub smallest: u64,
    pub largest: u64,
    /// Accesses that began elsewhere than where the one before had ended.
    pub jumps: u64,
    pub failed: u64,
}

impl AccessSums {
    fn of(accesses: &Accesses) -> AccessSums {
        AccessSums {
            count: accesses.count,
            time: accesses.time,
            longest: accesses.longest,
            bytes: accesses.bytes,
            smallest: accesses.smallest.into(),
            largest: accesses.largest.into(),
            jumps: accesses.jumps.into(),
            failed: accesses.failed.into(),
        }
    }

    pub fn merge(&mut self, other: &AccessSums) {
        self.smallest = if self.count == 0 { other.smallest } else { self.smallest.min(other.smallest) };
        self.largest = self.largest.max(other.largest);
        self.longest = self.longest.max(other.longest);
        for (own, more) in [
            (&mut self.count, other.count),
            (&mut self.time, other.time),
            (&mut self.bytes, other.bytes),
            (&mut self.jumps, other.jumps),
            (&mut self.failed, other.failed),
        ] {
            own.grow(more);
        }
    }
}

/// True if some rank accessed files, or slept, where the recorder saw it.
pub fn has_accesses(ranks: &[Rank]) -> bool {
    ranks.iter().any(|rank| rank.header.version >= WITH_ACCESSES)
}

/// The selected accesses of a rank.
pub fn of_rank(rank: &Rank) -> BTreeMap<AccessKey, AccessSums> {
    let mut found = BTreeMap::new();
    if rank.header.version < WITH_ACCESSES {
        return found;
    }
    for thread in &rank.contents().threads {
        let mut reader = Reader { rank, cursor: Cursor::new(rank.stretches(thread.number)), found };
        walk_thread(thread, &mut reader);
        found = reader.found;
    }
    found
}

/// A record of accesses of one thread. Ticks.
#[derive(Clone, Copy, Debug)]
pub struct AccessRun {
    pub key: AccessKey,
    pub start: u64,
    pub end: u64,
    /// Time in the accesses, at most from `start` to `end`.
    pub time: u64,
}

/// All accesses of a thread, in the order in which they began.
pub fn of_thread(rank: &Rank, thread: u32) -> Vec<AccessRun> {
    if rank.header.version < WITH_ACCESSES {
        return Vec::new();
    }
    let mut runs = Runs { rank, found: Vec::new() };
    for thread in rank.contents().threads.iter().filter(|one| one.number == thread) {
        walk_thread(thread, &mut runs);
    }
    runs.found.sort_by_key(|run| run.start);
    runs.found
}

struct Runs<'a> {
    rank: &'a Rank,
    found: Vec<AccessRun>,
}

impl Visitor for Runs<'_> {
    fn call(&mut self, _signature: u32, _start: u64, _duration: u64) {}

    fn accesses(&mut self, accesses: &Accesses) {
        let Some(operation) = Operation::from_number(accesses.operation) else { return };
        let key = AccessKey { file: accesses.file, site: site_in_program(self.rank, accesses.site), operation };
        let (start, end) = (accesses.start, accesses.end);
        self.found.push(AccessRun { key, start, end, time: accesses.time.min(end.saturating_sub(start)) });
    }
}

struct Reader<'a> {
    rank: &'a Rank,
    cursor: Cursor<'a>,
    found: BTreeMap<AccessKey, AccessSums>,
}

impl Visitor for Reader<'_> {
    fn call(&mut self, _signature: u32, _start: u64, _duration: u64) {}

    fn accesses(&mut self, accesses: &Accesses) {
        let Some(operation) = Operation::from_number(accesses.operation) else { return };
        if self.cursor.part_at(accesses.start) != LEFT_OUT {
            let site = site_in_program(self.rank, accesses.site);
            let key = AccessKey { file: accesses.file, site, operation };
            self.found.entry(key).or_default().merge(&AccessSums::of(accesses));
        }
    }
}

/// The beginnings of the names of run times of languages, which access files for the program.
const RUN_TIMES: [&str; 8] =
    ["libgfortran", "libstdc++", "libc++", "libflang", "libFortran", "libifcore", "libifport", "libquadmath"];

/// The call site in the program that leads to one in the run time of its language.
fn site_in_program(rank: &Rank, mut site: u32) -> u32 {
    // Paths are shorter than this; numbers of a damaged file may lead in a circle.
    for _ in 0..64 {
        let module = rank.sites.get(&site).and_then(|site| rank.modules.get(&site.module));
        let name = module.map_or("", |module| module.path.rsplit('/').next().unwrap_or_default());
        let Some(CalledFrom::Site(caller)) = rank.callers.get(&site) else { break };
        if !RUN_TIMES.iter().any(|begin| name.starts_with(begin)) {
            break;
        }
        site = *caller;
    }
    site
}
