//! Follows the progress engine of a thread over time.
//!
//! In: the pages of a thread. Out: entries and productive entries by slice of the selected time, and the times for which
//! requests were pending while nothing entered the engine.
//!
//! A call with recorded entries gave the engine a chance; so did a call that completed or tested a request, since some engines
//! are only partly seen. The time between two such calls gave no chance, whatever other calls lie in it. A request pending in
//! that time was starved for that long.

use std::collections::HashMap;

use traces::progress::{Depth, Entries, EntryRun, Polls};
use traces::read::{ThreadPages, Visitor, walk_thread};
use traces::record::RecordKind;
use traces::signature::{STARTS, Signature};

use super::selection::{Cursor, LEFT_OUT};
use super::sites::AlikeSites;
use super::sums::{Grow, Total};
use super::{Rank, Run};

/// Number of slices of the selected time.
pub const SLICES: usize = 240;

/// Entries into the engine in one slice of the selected time.
#[derive(Clone, Copy, Default, Debug)]
pub struct Slice {
    pub entries: f64,
    /// Entries that made progress.
    pub productive: f64,
}

/// Times in which requests were pending and nothing entered the engine, between the same two call sites.
#[derive(Clone, Default, Debug)]
pub struct Starved {
    /// The longest such time, ticks.
    pub longest: u64,
    /// Begin of the longest.
    pub at: u64,
    /// Requests pending during the longest.
    pub pending: u64,
    /// Number of such times, by length.
    lengths: HashMap<u32, u64>,
}

/// Call sites of the calls before and after such a time.
pub type SitePair = (u32, u32);

/// Engine activity of a thread.
#[derive(Default)]
pub struct EngineAccount {
    /// Entries over that time.
    pub slices: Vec<Slice>,
    /// Starved times by the call sites around them.
    pub starved: HashMap<SitePair, Starved>,
    /// Another thread completed this one's requests, so how long those were pending is unknown.
    pub shared: bool,
}

/// The selected time, in seconds since each rank's MPI started: from the first rank's first moment to the last one's last.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SlicedTime {
    pub from: f64,
    pub to: f64,
}

impl SlicedTime {
    pub fn of(run: &Run) -> SlicedTime {
        let mut time = SlicedTime { from: f64::MAX, to: 0.0 };
        for rank in run.asked() {
            let (begin, (first, last)) = (start(rank), rank.selected_ends());
            if first < last {
                time.from = time.from.min(rank.clock.seconds(first.saturating_sub(begin)));
                time.to = time.to.max(rank.clock.seconds(last.saturating_sub(begin)));
            }
        }
        SlicedTime { from: time.from.min(time.to), ..time }
    }

    /// The length of a slice, in seconds.
    pub fn slice(&self) -> f64 {
        (self.to - self.from).max(1e-9) / SLICES as f64
    }
}

/// The tick from which a rank's time in MPI counts.
fn start(rank: &Rank) -> u64 {
    rank.active().map_or(rank.header.begin.ticks, |active| active.begin)
}

/// Reads the engine activity of each thread of a rank.
pub fn of_rank(run: &Run, rank: &Rank, time: &SlicedTime) -> Vec<EngineAccount> {
    let alike = run.sites.alike(rank);
    let a_second = 1.0 / rank.clock.seconds(1);
    let begin = start(rank) as f64 + time.from * a_second;
    let of_thread = |thread: &ThreadPages<'_>| {
        let mut reader = EngineReader::new(thread, (rank, &alike), begin as u64, time.slice() * a_second);
        walk_thread(thread, &mut reader);
        reader.engine
    };
    rank.contents().threads.iter().map(of_thread).collect()
}

struct EngineReader<'a> {
    engine: EngineAccount,
    cursor: Cursor<'a>,
    /// Begin of the first slice, and length of each, ticks.
    begin: u64,
    slice: f64,
    /// By signature number: true if its calls leave a request pending; and its call site.
    numbers: Vec<(bool, u32)>,
    pending: u64,
    /// Requests that the current call has begun.
    own: u64,
    /// Tick since which the pending requests have had no chance, and the call site before it.
    since: (u64, u32),
    /// Start, end and call site of the current call.
    call: (u64, u64, u32),
    /// The records place productive entries in time.
    placed: bool,
}

impl<'a> EngineReader<'a> {
    fn new(
        thread: &ThreadPages<'_>,
        (rank, alike): (&'a Rank, &AlikeSites),
        begin: u64,
        slice: f64,
    ) -> EngineReader<'a> {
        let pending = |signature: &Signature, at_once: bool| {
            (signature.flags & STARTS != 0 && !at_once, alike.first(signature.site))
        };
        EngineReader {
            engine: EngineAccount { slices: vec![Slice::default(); SLICES], ..EngineAccount::default() },
            cursor: Cursor::new(rank.stretches(thread.number)),
            begin,
            slice,
            numbers: thread.signatures.by_number((false, 0), pending),
            pending: 0,
            own: 0,
            since: (0, 0),
            call: (0, 0, 0),
            placed: rank.progress >= Depth::Events,
        }
    }

    /// Looks up whether calls of this signature leave a request pending, and their call site.
    #[inline]
    fn number(&self, signature: u32) -> (bool, u32) {
        self.numbers.get(signature as usize).copied().unwrap_or_default()
    }

    /// Spreads entries evenly over a time.
    fn spread(&mut self, start: u64, end: u64, entries: u64, productive: u64) {
        if self.cursor.part_at(start) == LEFT_OUT {
            return;
        }
        let first = (start.saturating_sub(self.begin) as f64 / self.slice) as usize;
        let last = (end.saturating_sub(self.begin) as f64 / self.slice) as usize;
        // A damaged record may end before it begins.
        let last = last.min(SLICES - 1);
        let first = first.min(last);
        let share = 1.0 / (last - first + 1) as f64;
        for slice in &mut self.engine.slices[first..=last] {
            slice.entries += entries as f64 * share;
            slice.productive += productive as f64 * share;
        }
    }

    fn starve(&mut self, between: SitePair, start: u64, length: u64, times: u64) {
        let pending = self.pending.saturating_sub(self.own);
        if pending == 0 || length == 0 || times == 0 || self.cursor.part_at(start) == LEFT_OUT {
            return;
        }
        self.engine.starved.entry(between).or_default().add(start, length, pending, times);
    }

    /// Notes that the current call gave the engine a chance.
    fn chance(&mut self) {
        let (start, end, site) = self.call;
        let (since, before) = self.since;
        if start > since && since > 0 {
            self.starve((before, site), since, start - since, 1);
        }
        self.since = (end, site);
    }

    fn began(&mut self, count: u64) {
        if self.pending == 0 {
            self.since = (self.call.1, self.call.2);
        }
        self.pending.grow(count);
    }
}

impl Visitor for EngineReader<'_> {
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        let (starts, site) = self.number(signature);
        self.call = (start, start.wrapping_add(duration), site);
        self.own = 0;
        if starts {
            self.began(1);
            self.own = 1;
        }
    }

    fn polls(&mut self, polls: &Polls) {
        self.own = 0;
        self.call = (polls.start, polls.end, self.number(polls.signature as u32).1);
        self.chance();
        if polls.count > 1 {
            let (start, end, site) = self.call;
            let (longest, times) = (u64::from(polls.gaps[1]), polls.count - 1);
            let others =
                end.saturating_sub(start).saturating_sub(polls.total).saturating_sub(longest) / (times - 1).max(1);
            self.starve((site, site), start, longest, 1);
            self.starve((site, site), start, others, times - 1);
        }
    }

    fn engine(&mut self, during: Entries) {
        self.chance();
        let (start, end, _) = self.call;
        self.spread(start, end, during.entries, if self.placed { 0 } else { during.productive });
    }

    fn requests(&mut self, kind: RecordKind, count: u32, _age: u64) {
        match kind {
            RecordKind::Started => self.began(count.into()),
            RecordKind::Ready => self.chance(),
            _ => {
                self.chance();
                self.pending = self.pending.saturating_sub(count.into());
            }
        }
    }

    fn elsewhere(&mut self, _kind: RecordKind, _count: u32, _thread: u32, _number: u64) {
        self.engine.shared = true;
    }

    fn productive(&mut self, run: &EntryRun) {
        if self.placed {
            self.spread(run.start, run.end, 0, run.count);
        }
    }

    fn outside(&mut self, run: &EntryRun) {
        self.spread(run.start, run.end, run.count, 0);
    }
}

/// Steps between successive powers of two by which lengths are counted.
const STEPS: u32 = 64;

impl Starved {
    fn add(&mut self, at: u64, length: u64, pending: u64, times: u64) {
        if length > self.longest {
            (self.longest, self.at, self.pending) = (length, at, pending);
        }
        let power = length.max(1).ilog2();
        let step = ((length as f64 / (1u64 << power) as f64 - 1.0) * STEPS as f64) as u32;
        self.lengths.entry(power * STEPS + step.min(STEPS - 1)).or_default().grow(times);
    }

    /// Number of starved times.
    pub fn count(&self) -> u64 {
        self.lengths.values().copied().total()
    }

    /// 99th percentile of the lengths in ticks, to 2 %.
    pub fn percentile_99(&self) -> u64 {
        self.quantile(0.99)
    }

    /// Median of the lengths in ticks, to 2 %.
    pub fn median(&self) -> u64 {
        self.quantile(0.5)
    }

    /// The length that this share of the times does not exceed.
    fn quantile(&self, share: f64) -> u64 {
        let mut lengths: Vec<(u32, u64)> = self.lengths.iter().map(|(length, times)| (*length, *times)).collect();
        lengths.sort();
        let wanted = (self.count() as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (length, times) in lengths {
            seen.grow(times);
            if seen >= wanted {
                let upper =
                    (1u64 << (length / STEPS)) as f64 * (1.0 + f64::from(length % STEPS + 1) / f64::from(STEPS));
                return (upper as u64).min(self.longest);
            }
        }
        self.longest
    }
}
