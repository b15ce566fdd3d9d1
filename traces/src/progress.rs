//! What the progress engine did: records of its entries, and the ledger of a thread.
//!
//! An *entry* is one call of the engine's own functions, whoever made it; only the outermost of those inside each other
//! counts. It is *productive* where something came of it: a component reported events, or bytes moved.
//!
//! | first word, from bit 0 | more words | record |
//! |---|---|---|
//! | kind 8, productive 12, entries 20, ticks 24 | | entries during the call just recorded |
//! | kind 8, entries 56 | productive, ticks | the same |
//! | kind 8, gap 28, duration 28 | | one entry, productive or empty |
//! | kind 8, gap 28, count 28 | span 40, shortest gap 24; inside 40, longest gap 24 | a run of empty entries |
//! | kind 8, ticks 56 (signed) | | time goes on |
//! | kind 8, signature 16, count 40 | gap, span, total; shortest, longest gap 32; shortest, longest duration 32 | polls |
//!
//! `gap` runs from the end of the record before to the start of this one's first entry or call, `span` from there to the
//! end of its last one. A run ends where a gap in it would not fit.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::record::Kind;

/// How much is recorded of the progress engine.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Depth {
    /// Nothing.
    Off = 0,
    /// Entries are counted.
    Count = 1,
    /// And timed.
    Time = 2,
    /// And each that achieved something is an event, as is each run of those that did not.
    Events = 3,
}

impl Depth {
    /// All of them, from nothing to everything.
    pub const ALL: [Depth; 4] = [Depth::Off, Depth::Count, Depth::Time, Depth::Events];

    /// The value of a number read from disk.
    pub fn from_number(number: u32) -> Option<Depth> {
        Depth::ALL.into_iter().find(|depth| *depth as u32 == number)
    }

    /// As it is written in a setting.
    pub const fn name(self) -> &'static str {
        match self {
            Depth::Off => "off",
            Depth::Count => "count",
            Depth::Time => "time",
            Depth::Events => "events",
        }
    }
}

/// Entries into the progress engine, added up.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Entries {
    /// How many.
    pub entries: u64,
    /// How many of them achieved something.
    pub productive: u64,
    /// Ticks inside, 0 where they were only counted.
    pub ticks: u64,
}

impl std::ops::AddAssign for Entries {
    fn add_assign(&mut self, other: Entries) {
        self.entries = self.entries.saturating_add(other.entries);
        self.productive = self.productive.saturating_add(other.productive);
        self.ticks = self.ticks.saturating_add(other.ticks);
    }
}

/// A component's line in a thread's ledger.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct LedgerLine {
    /// Calls of the component, those inside itself too; ticks only of the outermost.
    pub calls: Entries,
    /// What it reported: events, completions, bytes, descriptors that were ready. In the lines of all entries: ticks
    /// inside those that were productive.
    pub events: u64,
    /// Descriptors ready to receive.
    pub ready_to_receive: u64,
    /// Descriptors ready to send.
    pub ready_to_send: u64,
}

impl std::ops::AddAssign for LedgerLine {
    fn add_assign(&mut self, other: LedgerLine) {
        self.calls += other.calls;
        self.events = self.events.saturating_add(other.events);
        self.ready_to_receive = self.ready_to_receive.saturating_add(other.ready_to_receive);
        self.ready_to_send = self.ready_to_send.saturating_add(other.ready_to_send);
    }
}

/// Lines of a ledger.
pub const LINES: usize = 64;
/// The line of all outermost entries made inside MPI calls.
pub const INSIDE: usize = 0;
/// The line of those made outside, by progress threads and other libraries.
pub const OUTSIDE: usize = 1;
/// The first line of a component.
pub const FIRST_COMPONENT: usize = 2;

/// A run of empty entries that is not over. Nothing is in it where `count` is 0.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct EmptyRun {
    /// When the first began, ticks.
    pub start: u64,
    /// When the last ended.
    pub end: u64,
    /// How many.
    pub count: u64,
    /// Ticks inside them.
    pub inside: u64,
    /// The shortest time between two of them.
    pub shortest: u64,
    /// The longest.
    pub longest: u64,
}

/// A run of calls of one signature that asked and got no. Nothing is in it where `count` is 0.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Polls {
    /// When the first began, ticks.
    pub start: u64,
    /// When the last ended.
    pub end: u64,
    /// How many.
    pub count: u64,
    /// The sum of their durations.
    pub total: u64,
    /// The shortest time between two of them, and the longest.
    pub gaps: [u32; 2],
    /// The shortest of them, and the longest.
    pub durations: [u32; 2],
    /// What they are.
    pub signature: u64,
    /// When the last began. Not in a record, only in a thread's block.
    pub last: u64,
}

const GAP_BITS: u32 = 28;
const LONGEST_GAP_BITS: u32 = 24;
const SPAN_BITS: u32 = 40;
/// The longest time a [`Kind::Skip`] spans.
const SKIP_BITS: u32 = 55;

/// Whether an empty entry that begins so long after the last may belong to the same run.
#[inline(always)]
pub const fn continues(run: &EmptyRun, start: u64, end: u64) -> bool {
    let gap = start.wrapping_sub(run.end);
    gap >> LONGEST_GAP_BITS == 0 && end.wrapping_sub(run.start) >> SPAN_BITS == 0 && run.count < (1 << GAP_BITS) - 1
}

/// Entries during a call, if they fit in one word.
pub const fn engine(during: &Entries) -> Option<u64> {
    if during.productive >> 12 != 0 || during.entries >> 20 != 0 || during.ticks >> 24 != 0 {
        return None;
    }
    Some(Kind::Engine as u64 | during.productive << 8 | during.entries << 20 | during.ticks << 40)
}

/// Back from one word.
pub const fn from_engine(word: u64) -> Entries {
    Entries { productive: word >> 8 & 0xfff, entries: word >> 20 & 0xf_ffff, ticks: word >> 40 }
}

/// Entries during a call.
pub const fn engine_long(during: &Entries) -> [u64; 3] {
    [Kind::EngineLong as u64 | during.entries << 8, during.productive, during.ticks]
}

/// Back from three words.
pub const fn from_engine_long(words: [u64; 3]) -> Entries {
    Entries { entries: words[0] >> 8, productive: words[1], ticks: words[2] }
}

/// The words that bring the time of the last record to within reach of `start`, if it is not; and the gap that is left.
pub const fn skip(last: u64, start: u64) -> (Option<u64>, u64) {
    let gap = start.wrapping_sub(last);
    if gap >> GAP_BITS == 0 {
        return (None, gap);
    }
    let most = (1 << SKIP_BITS) - 1;
    let signed = gap as i64;
    let skipped = if signed > most {
        most
    } else if signed < -most {
        -most
    } else {
        signed
    };
    (Some(Kind::Skip as u64 | (skipped as u64) << 8), 0)
}

/// The ticks of a [`Kind::Skip`].
pub const fn from_skip(word: u64) -> i64 {
    word as i64 >> 8
}

/// One entry, productive or empty; `gap` as [`skip`] has left it. `None` where it took too long for one word.
pub const fn entry(kind: Kind, gap: u64, duration: u64) -> Option<u64> {
    if duration >> GAP_BITS != 0 {
        return None;
    }
    Some(kind as u64 | gap << 8 | duration << 36)
}

/// Gap and duration of one entry.
pub const fn from_entry(word: u64) -> (u64, u64) {
    (word >> 8 & ((1 << GAP_BITS) - 1), word >> 36)
}

/// A run of empty entries. One long entry of either kind is written as a run of one, with `productive` 1.
pub const fn empty_run(run: &EmptyRun, gap: u64, productive: bool) -> [u64; 3] {
    let span = run.end.wrapping_sub(run.start);
    let most = (1 << SPAN_BITS) - 1;
    let (span, inside) = (least(span, most), least(run.inside, most));
    let most = (1 << LONGEST_GAP_BITS) - 1;
    // One entry has no gaps; there the place of the longest says whether it was productive.
    let longest = if run.count == 1 { productive as u64 } else { least(run.longest, most) };
    [
        Kind::EmptyRun as u64 | gap << 8 | run.count << 36,
        span | least(run.shortest, most) << SPAN_BITS,
        inside | longest << SPAN_BITS,
    ]
}

/// The run, with `start` and `end` counted from the end of the record before, and whether it is one productive entry.
pub const fn from_empty_run(words: [u64; 3]) -> (EmptyRun, bool) {
    let (gap, count) = from_entry(words[0]);
    let low = (1 << SPAN_BITS) - 1;
    let (shortest, longest) = (words[1] >> SPAN_BITS, words[2] >> SPAN_BITS);
    let one = count == 1;
    let run = EmptyRun {
        start: gap,
        end: gap + (words[1] & low),
        count,
        inside: words[2] & low,
        shortest: if one { 0 } else { shortest },
        longest: if one { 0 } else { longest },
    };
    (run, one && longest == 1)
}

const fn least(a: u64, b: u64) -> u64 {
    if a < b { a } else { b }
}

/// A run of polls, `gap` after the end of the record before.
pub const fn polls(run: &Polls, gap: i64) -> [u64; 6] {
    [
        Kind::Polls as u64 | run.signature << 8 | run.count << 24,
        gap as u64,
        run.end.wrapping_sub(run.start),
        run.total,
        run.gaps[0] as u64 | (run.gaps[1] as u64) << 32,
        run.durations[0] as u64 | (run.durations[1] as u64) << 32,
    ]
}

/// Back from six words; `last` is when the record before ended.
pub const fn from_polls(words: [u64; 6], last: u64) -> Polls {
    let start = last.wrapping_add(words[1]);
    Polls {
        start,
        end: start.wrapping_add(words[2]),
        count: words[0] >> 24,
        total: words[3],
        gaps: [words[4] as u32, (words[4] >> 32) as u32],
        durations: [words[5] as u32, (words[5] >> 32) as u32],
        signature: words[0] >> 8 & 0xffff,
        last: start,
    }
}
