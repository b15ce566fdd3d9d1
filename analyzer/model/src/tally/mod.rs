//! Sums up a thread's calls by signature.
//!
//! In: the pages of a thread, its calls without a record, and the stretches of its time. Out: for every signature in every part,
//! the number of calls, their time and bytes. Memory grows with the number of signatures, not with the length of the trace.

mod call_sum;
mod counter;
mod profile;
mod samples;

use traces::error::Damage;
use traces::file::ThreadBlock;
use traces::progress::Entries;
use traces::read::{PIECE, ReadUntil, Recorded, RecordedCall, Tail, ThreadPages, Visitor, Walk};
use traces::record::{RecordKind, UNNUMBERED};
use traces::signature::{CREATES, Signature};

use super::request_numbers::RequestId;
use super::selection::{Part, ProfilePart};
use super::sums::Grow;
use counter::Counter;
pub use profile::by_function;
pub use samples::{Samples, SiteCall};

const LONGEST_RECORD: u64 = (RecordKind::MOST_WORDS * size_of::<u64>()) as u64;

/// The calls of one signature. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct CallTotal {
    pub part: Part,
    /// Their signature. In an entry for calls that found no place, only the function is valid.
    pub signature: Signature,
    /// Number of calls, including those that have not returned.
    pub count: u64,
    /// Calls that have not returned. They count for as long as they lasted for certain, and moved nothing.
    pub open: u64,
    /// Sum of the durations.
    pub total: u64,
    /// Shortest duration of a call that returned, if one has.
    pub min: u64,
    pub max: u64,
    /// Calls that returned an error.
    pub failed: u64,
    pub sent: u64,
    /// Bytes received in all, by status if there was one, else as posted.
    pub received: u64,
    /// Bytes that each start of the persistent requests they created will send and receive.
    pub prepared: (u64, u64),
    /// Starts of persistent requests that they created.
    pub starts: u64,
    /// Entries into the progress engine during them.
    pub engine: Entries,
}

/// Counts of a thread.
#[derive(Default)]
pub struct Tally {
    pub entries: Vec<CallTotal>,
    pub last: Option<RecordedCall>,
    pub last_end: Option<u64>,
    pub cancelled: Vec<RequestId>,
    /// Entries into the progress engine outside the selection.
    pub left_out: Entries,
    pub damage: Vec<Damage>,
    pub samples: Samples,
}

/// A thread whose records were counted; its calls without a record are still to be added.
pub struct ReadThread<'a> {
    /// Calls without a record.
    pub tail: Tail,
    /// End of the records.
    pub until: ReadUntil,
    /// Its last page has no room: the next record is in another one.
    pub is_full: bool,
    /// The last tick known of the thread.
    pub last_sign: u64,
    /// The records end before a call that was made, unless the process runs on or counts calls by now.
    pub lost_end: Option<Damage>,
    counter: Counter<'a>,
    last_end: Option<u64>,
    damage: Vec<Damage>,
}

/// Counts a thread's records by part. Calls `seen` with the bytes of every page.
pub fn read<'a>(thread: &ThreadPages<'_>, stretches: &'a [(u64, Part)], seen: impl Fn(u64)) -> ReadThread<'a> {
    let mut counter = Counter::new(thread, stretches);
    let mut damage = Vec::new();
    let (mut last_end, mut last_sign) = (None, 0);
    let mut until = ReadUntil::default();
    let (mut next, mut is_torn) = (thread.dropped.map_or(0, |dropped| dropped.pages), false);
    let mut last_walk = None;
    for page in &thread.pages {
        if is_torn || page.sequence != next {
            counter.torn(Some(page.requests));
        }
        until.requests.push((page.sequence, counter.numbers.next()));
        (next, is_torn) = (page.sequence.wrapping_add(1), false);
        let mut walk = Walk::new(page);
        match walk.step(&mut counter, usize::MAX) {
            Ok(_) if counter.last_call.is_some() => last_end = Some(walk.last()),
            Ok(_) => {}
            Err(problem) => {
                is_torn = true;
                damage.push(problem);
            }
        }
        last_sign = last_sign.max(walk.last());
        until.words = walk.words();
        seen((page.words.len() * size_of::<u64>()) as u64);
        last_walk = Some(walk).filter(|_| !is_torn);
    }
    let calls_before = counter.last_call;
    let block = thread.block_behind(last_walk.as_mut(), &mut counter).unwrap_or_else(|problem| {
        damage.push(problem);
        None
    });
    if let Some(walk) = &last_walk {
        until.words = walk.words();
        last_sign = last_sign.max(walk.last());
        if counter.last_call != calls_before {
            last_end = Some(walk.last());
        }
    }
    damage.extend(block.iter().flat_map(|block| without_signature(thread, block)));
    let lost_end = if is_torn { None } else { lost_end(thread, last_walk.as_ref()) };
    let tail = thread.behind(block, &recorded(&counter, thread, damage.is_empty()));
    last_sign = last_sign.max(tail.last_sign());
    let is_full = last_walk.is_some_and(|walk| !walk.has_room());
    ReadThread { tail, until, is_full, last_sign, lost_end, counter, last_end, damage }
}

/// The calls that a thread is in, and whose signatures are not in the file.
fn without_signature(thread: &ThreadPages<'_>, block: &ThreadBlock) -> Vec<Damage> {
    let open = block.levels.iter().take(block.depth as usize).map(|level| level.signature as u32);
    let without = open.filter(|number| ![0, UNNUMBERED].contains(number) && thread.signatures.get(*number).is_none());
    without.map(|number| Damage::NoSignature { thread: thread.number, number, calls: 1 }).collect()
}

/// The damage of a thread that has made a call since its last record, which ends where zeros of a crash may begin.
///
/// A process that was killed while it entered a call may have written when that began, and no more: hence the second
/// condition.
fn lost_end(thread: &ThreadPages<'_>, last: Option<&Walk<'_>>) -> Option<Damage> {
    let calls = &thread.block?.calls;
    let end = last.map_or(0, Walk::offset);
    let may_be_cut = last.is_none_or(|last| !last.has_room() || end % PIECE < LONGEST_RECORD);
    let is_later = calls.since() > last.map_or(0, Walk::last).max(thread.block?.polls.copy().end);
    (calls.depth() == 0 && may_be_cut && is_later).then_some(Damage::NoLastRecords { thread: thread.number, end })
}

/// Last state that the records show.
fn recorded(counter: &Counter<'_>, thread: &ThreadPages<'_>, is_whole: bool) -> Recorded {
    let mut entries = counter.told;
    for counted in &thread.profile {
        entries += counted.engine;
    }
    for total in thread.dropped.iter().flat_map(|dropped| dropped.totals) {
        entries += total.entry.engine;
    }
    if !is_whole {
        // Lost records may have held any entries, so none counts as unrecorded.
        entries = Entries { entries: u64::MAX, productive: u64::MAX, ticks: u64::MAX };
    }
    Recorded {
        call: counter.last_call,
        productive: counter.last_productive,
        outside: counter.last_outside,
        teams: counter.last_teams,
        entries,
    }
}

impl ReadThread<'_> {
    /// Adds calls without a record, open ones until a tick, and the selected part of the thread's profile.
    pub fn finish(mut self, thread: &ThreadPages<'_>, until: u64, part: ProfilePart) -> (Tally, Tail) {
        self.tail.close(until);
        self.tail.show(&mut self.counter);
        let last_end = self.tail.polls.map_or(self.last_end, |polls| Some(polls.end));
        let mut tally = Tally {
            last: self.counter.last_call,
            last_end,
            damage: self.damage,
            cancelled: std::mem::take(&mut self.counter.cancelled),
            ..Tally::default()
        };
        let corrections = self.counter.corrections();
        self.counter.entries(thread, &mut tally);
        profile::add(thread, part, &corrections, &mut tally);
        // For 100,000 ranks, the spare capacity would be half a GiB.
        tally.entries.shrink_to_fit();
        (tally, self.tail)
    }
}

impl CallTotal {
    /// Number of calls that did not fail or, for calls that create persistent requests, of starts.
    pub fn transfers(&self) -> u64 {
        if self.signature.flags & CREATES != 0 { self.starts } else { self.count.saturating_sub(self.failed) }
    }

    /// Adds calls that have all returned.
    pub fn add(&mut self, other: &CallTotal) {
        self.min = match (self.count - self.open, other.count) {
            (_, 0) => self.min,
            (0, _) => other.min,
            _ => self.min.min(other.min),
        };
        self.count.grow(other.count);
        self.total.grow(other.total);
        self.max = self.max.max(other.max);
        self.failed.grow(other.failed);
        self.sent.grow(other.sent);
        self.received.grow(other.received);
        self.prepared.0.grow(other.prepared.0);
        self.prepared.1.grow(other.prepared.1);
        self.starts.grow(other.starts);
        self.engine += other.engine;
    }
}
