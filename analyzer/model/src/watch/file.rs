//! Follows one rank's file while it grows.

use std::collections::BTreeMap;
use std::path::Path;

use traces::clock::ClockSample;
use traces::definitions::Definition;
use traces::error::Error;
use traces::file::{PageKind, ThreadBlock};
use traces::progress::{INSIDE, LedgerLine};
use traces::read::{Follower, FoundPage};

use super::account::{BegunRequest, RankAccount};
use super::thread::{ThreadMoment, WatchedThread};
use crate::Rank;
use crate::clock::Clock;
use crate::rank::Latest;
use crate::standing::Spot;
use crate::sums::Total;

/// Maximum number of pending requests that a look lists one by one.
pub const MOST_REQUESTS: usize = 20;

pub struct WatchedFile {
    follower: Follower,
    threads: BTreeMap<u32, WatchedThread>,
    /// Pages of definitions, each with the number of its bytes that were read.
    definitions: Vec<(FoundPage, usize)>,
    /// The clocks when the newest page was begun.
    sample: Option<ClockSample>,
    account: RankAccount,
}

/// State of a file at one moment. Times in ticks.
pub struct FileMoment {
    pub spot: Spot,
    /// Begin of the call of each thread that is in one.
    pub inside: Vec<u64>,
    /// Time in calls that ended, all threads.
    pub in_mpi: u64,
    pub sent: u64,
    /// Number of threads that called MPI.
    pub threads: usize,
    /// Entries into the progress engine inside calls without progress.
    pub empty_entries: u64,
    pub pending: usize,
    pub requests: Vec<BegunRequest>,
    /// Number and position of each thread that called MPI.
    pub spots: Vec<(u32, Spot)>,
    /// The last tick known of the rank.
    pub newest: u64,
}

impl WatchedFile {
    /// Maps a file without reading it.
    pub fn open(path: &Path) -> Result<(WatchedFile, Rank), Error> {
        let follower = Follower::open(path)?;
        let rank = Rank::begun(follower.file());
        let account = RankAccount::default();
        let (threads, definitions) = (BTreeMap::new(), Vec::new());
        Ok((WatchedFile { follower, threads, definitions, sample: None, account }, rank))
    }

    pub fn account(&self) -> &RankAccount {
        &self.account
    }

    /// Definitions after the byte `from` of each page; advances `from`.
    pub fn definitions(&self, from: &mut Vec<usize>) -> Vec<Definition> {
        from.resize(self.definitions.len(), 0);
        let pages = self.definitions.iter().zip(from);
        pages.flat_map(|((page, _), from)| self.follower.definitions(page, from)).collect()
    }

    /// Reads only the identity of the file's process.
    pub fn identify(&self, rank: &mut Rank) {
        rank.process = self.follower.process().unwrap_or_default();
    }

    /// True if the path still names the file that was opened, by the same process.
    pub fn is_same(&mut self, rank: &Rank) -> bool {
        self.follower.refresh() && self.follower.header().pid == rank.header.pid
    }

    /// Reads new data. Returns whether it includes definitions.
    pub fn read(&mut self, rank: &mut Rank) -> (bool, FileMoment) {
        rank.trace = self.follower.file().clone();
        rank.bytes = rank.trace.len();
        self.find();
        let file = &self.follower;
        // The end of the records is read first, then the definitions they need, which were written earlier.
        let written: BTreeMap<u32, _> =
            self.threads.iter().map(|(number, thread)| (*number, (thread.written(file), thread.block(file)))).collect();
        rank.header = file.header();
        // The signatures of these records may be in a page that began meanwhile, beyond the mapped part.
        self.follower.refresh();
        self.find();
        let file = &self.follower;
        for (number, (written, _)) in &written {
            let Some(thread) = self.threads.get_mut(number) else { continue };
            thread.learn(file);
            thread.read(file, *written, &mut self.account);
        }
        let is_new = self.define(rank);
        rank.clock = Clock::fit(&rank.header, self.sample.iter());
        let blocks = written.into_iter().map(|(number, (_, block))| (number, block)).collect();
        (is_new, self.moment(rank, &blocks))
    }

    fn find(&mut self) {
        for page in self.follower.find() {
            let sample = self.follower.page_header(&page).map(|header| header.sample);
            self.sample = [self.sample, sample].into_iter().flatten().max_by_key(|sample| sample.ticks);
            if page.kind == PageKind::Definitions {
                self.definitions.push((page, 0));
                continue;
            }
            self.threads.entry(page.thread).or_insert_with(|| WatchedThread::new(page.thread)).add(page);
        }
    }

    /// Reads new definitions. Returns whether there are any.
    fn define(&mut self, rank: &mut Rank) -> bool {
        let mut is_new = false;
        for (page, at) in &mut self.definitions {
            for definition in self.follower.definitions(page, at) {
                rank.define(definition);
                is_new = true;
            }
        }
        is_new
    }

    fn moment(&self, rank: &mut Rank, blocks: &BTreeMap<u32, Option<ThreadBlock>>) -> FileMoment {
        let moment = |(number, block): (&u32, &Option<ThreadBlock>)| {
            Some((*number, self.threads.get(number)?.moment(&self.follower, block.as_ref())))
        };
        let (numbers, moments): (Vec<u32>, Vec<ThreadMoment>) = blocks.iter().filter_map(moment).unzip();
        let mut latest = Latest::default();
        for thread in &moments {
            latest.add(thread.inside, thread.ended);
        }
        rank.end = latest.end(rank);
        let asks = moments.first().and_then(|first| first.asks);
        let spot = Spot::new(&rank.end, asks.map(|(call, since)| (call, rank.since_begin(since))));
        let spots = numbers.into_iter().zip(&moments).filter(|(_, thread)| thread.has_called());
        let spots = spots.map(|(number, thread)| (number, spot_of(rank, thread))).collect();
        let mut ledger = LedgerLine::default();
        for block in blocks.values().flatten() {
            ledger += block.ledger[INSIDE];
        }
        FileMoment {
            spot,
            inside: moments.iter().filter_map(|thread| thread.inside).map(|(since, _)| since).collect(),
            in_mpi: moments.iter().map(|thread| thread.ticks).total(),
            sent: moments.iter().map(|thread| thread.sent).chain([self.account.sent]).total(),
            threads: moments.iter().filter(|thread| thread.has_called()).count().max(1),
            empty_entries: ledger.calls.entries.saturating_sub(ledger.calls.productive),
            pending: self.account.pending.len(),
            requests: self.oldest(),
            spots,
            newest: moments.iter().map(|thread| thread.newest).max().unwrap_or(0).max(rank.header.begin.ticks),
        }
    }

    fn oldest(&self) -> Vec<BegunRequest> {
        let mut all: Vec<BegunRequest> = self.account.pending.values().copied().collect();
        if all.len() > MOST_REQUESTS {
            all.select_nth_unstable_by_key(MOST_REQUESTS, |request| request.at);
            all.truncate(MOST_REQUESTS);
        }
        all.sort_by_key(|request| (request.at, request.call.number));
        all
    }
}

/// Position of a thread alone.
fn spot_of(rank: &Rank, thread: &ThreadMoment) -> Spot {
    let mut latest = Latest::default();
    latest.add(thread.inside, thread.ended);
    Spot::new(&latest.end(rank), thread.asks.map(|(call, since)| (call, rank.since_begin(since))))
}
