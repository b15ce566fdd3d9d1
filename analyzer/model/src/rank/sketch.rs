//! Reads a rank by its newest pages and a sample of the others, so that `record` can report on a launch however long it ran.

use std::path::Path;
use std::sync::Arc;

use traces::error::Error;
use traces::read::{EventPage, RankFile, ThreadPages};

use super::{Latest, Rank, ThreadTotals, has_called};
use crate::clock::clocks;
use crate::selection::{ALL, ProfilePart};
use crate::sums::Total;
use crate::tally::{self, CallTotal};

/// A rank without its calls, and an estimate of their number.
pub struct Sketch {
    /// The rank with its end and its threads, but without its calls.
    pub rank: Rank,
    /// Number of calls; exact if no page was skipped.
    pub calls: u64,
}

impl Sketch {
    /// Reads a rank's file, with one in `one_in` of each thread's full pages.
    pub fn read(path: &Path, one_in: usize) -> Result<Sketch, Error> {
        let trace = Arc::new(RankFile::open(path)?);
        let contents = trace.contents();
        let mut rank = Rank::described(&trace, &contents);
        let mut calls = count(&tally::by_function(&contents.shared, ProfilePart::All));
        let mut threads = contents.threads;
        let full: Vec<Vec<EventPage<'_>>> = threads.iter_mut().map(set_apart_full).collect();
        let read: Vec<_> = threads.iter().map(|thread| tally::read(thread, ALL, |_| ())).collect();
        let last_signs = read.iter().map(|read| read.last_sign);
        rank.until = rank.lives_until(last_signs.chain([contents.newest.ticks]), clocks().0);
        let mut latest = Latest::default();
        for ((thread, read), full) in threads.into_iter().zip(read).zip(full) {
            let (tally, tail) = read.finish(&thread, rank.until, ProfilePart::All);
            latest.see(&thread, &tally, &tail);
            if has_called(&thread, &tally, &tail) {
                let tid = thread.tid();
                rank.threads.push(ThreadTotals { number: thread.number, tid, entries: Vec::new() });
            }
            calls = [calls, count(&tally.entries), calls_of_full(thread, full, one_in)].into_iter().total();
        }
        rank.end = latest.end(&rank);
        Ok(Sketch { rank, calls })
    }
}

/// Keeps the newest page with a record and the pages after it in `thread`. Returns the earlier pages.
fn set_apart_full<'a>(thread: &mut ThreadPages<'a>) -> Vec<EventPage<'a>> {
    let begun = |page: &EventPage| page.words.get(0).is_some_and(|word| word != 0);
    let newest = thread.pages.iter().rposition(begun).unwrap_or(0);
    let behind = thread.pages.split_off(newest);
    std::mem::replace(&mut thread.pages, behind)
}

/// Estimates the number of calls in full pages from one in `one_in` of them.
fn calls_of_full<'a>(mut thread: ThreadPages<'a>, pages: Vec<EventPage<'a>>, one_in: usize) -> u64 {
    if pages.is_empty() {
        return 0;
    }
    let words = |pages: &[EventPage]| pages.iter().map(|page| page.words.len() as u128).sum::<u128>();
    let all = words(&pages);
    let first = (one_in / 2).min(pages.len() - 1);
    // Calls outside the pages were counted with the newest page.
    (thread.block, thread.profile, thread.dropped) = (None, Vec::new(), None);
    thread.pages = pages.into_iter().skip(first).step_by(one_in.max(1)).collect();
    let (tally, _) = tally::read(&thread, ALL, |_| ()).finish(&thread, 0, ProfilePart::Nothing);
    let calls = count(&tally.entries);
    u64::try_from(u128::from(calls) * all / words(&thread.pages).max(1)).unwrap_or(u64::MAX)
}

fn count(entries: &[CallTotal]) -> u64 {
    entries.iter().map(|entry| entry.count).total()
}
