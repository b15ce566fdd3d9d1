//! One rank's file that is followed.

use std::collections::BTreeMap;
use std::path::Path;

use traces::clock::ClockSample;
use traces::definitions::Definition;
use traces::error::Error;
use traces::file::{PageKind, ThreadBlock};
use traces::progress::{INSIDE, LedgerLine};
use traces::read::{Follower, FoundPage};

use super::account::RankAccount;
use super::thread::{ThreadMoment, WatchedThread};
use crate::Rank;
use crate::clock::Clock;
use crate::rank::Latest;
use crate::standing::Spot;
use crate::sums::Total;

/// See the module.
pub struct WatchedFile {
    follower: Follower,
    threads: BTreeMap<u32, WatchedThread>,
    /// Pages of definitions, with the byte behind the last one that was read.
    definitions: Vec<(FoundPage, usize)>,
    /// The clocks when the newest page was begun.
    sample: Option<ClockSample>,
    account: RankAccount,
}

/// What a file says at one moment. Times in ticks.
pub struct FileMoment {
    /// Where the rank is.
    pub spot: Spot,
    /// Since when each thread that is in a call is there.
    pub inside: Vec<u64>,
    /// Time in calls that ended, all threads.
    pub in_mpi: u64,
    /// Bytes handed out.
    pub sent: u64,
    /// Threads that called MPI.
    pub threads: usize,
    /// Entries into the progress engine inside calls that achieved nothing.
    pub empty_entries: u64,
    /// Requests that are pending.
    pub pending: usize,
    /// When the oldest of them was begun.
    pub oldest: Option<u64>,
    /// The last that is known of the rank.
    pub newest: u64,
}

impl WatchedFile {
    /// Maps a file, of which nothing was read.
    pub fn open(path: &Path) -> Result<(WatchedFile, Rank), Error> {
        let follower = Follower::open(path)?;
        let rank = Rank::begun(follower.file());
        let account = RankAccount::default();
        let (threads, definitions) = (BTreeMap::new(), Vec::new());
        Ok((WatchedFile { follower, threads, definitions, sample: None, account }, rank))
    }

    /// What its calls add up to.
    pub fn account(&self) -> &RankAccount {
        &self.account
    }

    /// What it defines behind the byte of each page up to which that was asked for.
    pub fn definitions(&self, from: &mut Vec<usize>) -> Vec<Definition> {
        from.resize(self.definitions.len(), 0);
        let pages = self.definitions.iter().zip(from);
        pages.flat_map(|((page, _), from)| self.follower.definitions(page, from)).collect()
    }

    /// Reads of what process the file is, and nothing else.
    pub fn identify(&self, rank: &mut Rank) {
        rank.process = self.follower.process().unwrap_or_default();
    }

    /// Whether it is still the file that was opened, by the same process.
    pub fn is_same(&mut self, rank: &Rank) -> bool {
        self.follower.refresh() && self.follower.header().pid == rank.header.pid
    }

    /// Reads what is new. Whether there were definitions among it.
    pub fn read(&mut self, rank: &mut Rank) -> (bool, FileMoment) {
        rank.trace = self.follower.file().clone();
        rank.bytes = rank.trace.len();
        self.find();
        let file = &self.follower;
        // Records first, then what they need: that was written before them.
        let written: BTreeMap<u32, _> =
            self.threads.iter().map(|(number, thread)| (*number, (thread.written(file), thread.block(file)))).collect();
        rank.header = file.header();
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

    /// Reads definitions that were added. Whether there are any.
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
            self.threads.get(number).map(|thread| thread.moment(&self.follower, block.as_ref()))
        };
        let moments: Vec<ThreadMoment> = blocks.iter().filter_map(moment).collect();
        let mut latest = Latest::default();
        moments.iter().for_each(|thread| latest.add(thread.inside, thread.ended));
        rank.end = latest.end(rank);
        let asks = moments.first().and_then(|first| first.asks);
        let spot = Spot::new(&rank.end, asks.map(|(call, since)| (call, rank.since_begin(since))));
        let mut ledger = LedgerLine::default();
        blocks.values().flatten().for_each(|block| ledger += block.ledger[INSIDE]);
        let called = |thread: &&ThreadMoment| thread.inside.is_some() || thread.ended.is_some() || thread.ticks > 0;
        FileMoment {
            spot,
            inside: moments.iter().filter_map(|thread| thread.inside).map(|(since, _)| since).collect(),
            in_mpi: moments.iter().map(|thread| thread.ticks).total(),
            sent: moments.iter().map(|thread| thread.sent).chain([self.account.sent]).total(),
            threads: moments.iter().filter(called).count().max(1),
            empty_entries: ledger.calls.entries.saturating_sub(ledger.calls.productive),
            pending: self.account.pending.len(),
            oldest: self.account.pending.values().min().copied(),
            newest: moments.iter().map(|thread| thread.newest).max().unwrap_or(0).max(rank.header.begin.ticks),
        }
    }
}
