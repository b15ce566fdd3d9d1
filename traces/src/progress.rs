//! Records of entries into the progress engine, and the ledger of a thread.
//!
//! An *entry* is one call of the engine's own functions, by any caller; of nested calls only the outermost counts. It
//! is *productive* if it achieved something: a component reported events, or bytes moved.
//!
//! Records of entries take no time on the clock: their `gap` runs from the end of the last call to the start of the
//! entry, and is negative if the entry lies inside that call.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::record::{Bits, RecordKind, bits};

/// The recorded depth of the progress engine.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Depth {
    /// Nothing.
    Off = 0,
    /// Entries are counted.
    Count = 1,
    /// Entries are also timed.
    Time = 2,
    /// Each productive entry is also an event, and so is each run of unproductive ones.
    Events = 3,
}

impl Depth {
    /// All depths, from nothing to everything.
    pub const ALL: [Depth; 4] = [Depth::Off, Depth::Count, Depth::Time, Depth::Events];

    pub fn from_number(number: u32) -> Option<Depth> {
        Depth::ALL.into_iter().find(|depth| *depth as u32 == number)
    }

    /// The depth's name in settings.
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
    /// The number of entries.
    pub entries: u64,
    /// Entries that achieved something.
    pub productive: u64,
    /// Ticks inside the entries; 0 if they were only counted.
    pub ticks: u64,
}

impl std::ops::AddAssign for Entries {
    fn add_assign(&mut self, other: Entries) {
        self.entries = self.entries.saturating_add(other.entries);
        self.productive = self.productive.saturating_add(other.productive);
        self.ticks = self.ticks.saturating_add(other.ticks);
    }
}

impl Entries {
    /// The entries added since `before`.
    #[inline(always)]
    pub fn since(&self, before: &Entries) -> Entries {
        Entries {
            entries: self.entries.wrapping_sub(before.entries),
            productive: self.productive.wrapping_sub(before.productive),
            ticks: self.ticks.wrapping_sub(before.ticks),
        }
    }
}

/// A component's line in a thread's ledger.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct LedgerLine {
    /// Calls of the component, nested ones included. Ticks count only the outermost; for parts of entries they are
    /// sampled.
    pub calls: Entries,
    /// The component's reports: events, completions, bytes, or ready descriptors. In the lines of all entries, ticks
    /// inside productive ones.
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

/// The number of lines in a ledger.
pub const LINES: usize = 64;
/// The index of the line for all outermost entries inside MPI calls.
pub const INSIDE: usize = 0;
/// The index of the line for entries outside MPI calls, by progress threads and other libraries.
pub const OUTSIDE: usize = 1;
/// The index of the first component's line.
pub const FIRST_COMPONENT: usize = 2;

/// Consecutive entries into the engine. The run is empty if `count` is 0.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct EntryRun {
    /// Start of the first entry, ticks.
    pub start: u64,
    /// End of the last entry, ticks.
    pub end: u64,
    pub count: u64,
}

/// Limit on the runs of productive entries in a thread's block.
pub const RUNS: usize = 8;

/// Productive entries since the last record.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Productive {
    /// The number of runs.
    pub runs: u64,
    /// The runs, in order.
    pub all: [EntryRun; RUNS],
}

impl Productive {
    /// The runs in use.
    #[inline(always)]
    pub fn runs(&self) -> &[EntryRun] {
        self.all.get(..self.runs as usize).unwrap_or(&self.all)
    }
}

/// Consecutive calls of one signature that polled without success. The run is empty if `count` is 0.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Polls {
    /// Start of the first call, ticks.
    pub start: u64,
    /// End of the last call, ticks.
    pub end: u64,
    pub count: u64,
    /// The sum of the calls' durations, ticks.
    pub total: u64,
    /// The shortest and the longest time between two calls, ticks.
    pub gaps: [u32; 2],
    /// The shortest and the longest call, ticks.
    pub durations: [u32; 2],
    /// The number of their signature.
    pub signature: u64,
    /// Start of the last call. Only a thread's block has it; records do not.
    pub last: u64,
}

/// The kind bits of a short call that entered the engine.
pub const CALL: u64 = RecordKind::CallAndEngine.word();

/// A short call and the few entries during it in one word; `None` if they do not fit. The word does not say when in the
/// call the productive entries were.
#[inline(always)]
pub const fn call(signature: u32, gap: u64, duration: u64, during: &Entries) -> Option<u64> {
    const PRODUCTIVE: Bits = bits!(CallAndEngine.productive);
    const ENTRIES: Bits = bits!(CallAndEngine.entries);
    const SIGNATURE: Bits = bits!(CallAndEngine.signature);
    const GAP: Bits = bits!(CallAndEngine.gap);
    const DURATION: Bits = bits!(CallAndEngine.duration);
    const TICKS: Bits = bits!(CallAndEngine.ticks);
    let signature = signature as u64;
    let counts = PRODUCTIVE.excess(during.productive) | ENTRIES.excess(during.entries) | SIGNATURE.excess(signature);
    if counts | GAP.excess(gap) | DURATION.excess(duration) | TICKS.excess(during.ticks) != 0 {
        return None;
    }
    let counts = PRODUCTIVE.put(during.productive) | ENTRIES.put(during.entries) | SIGNATURE.put(signature);
    Some(CALL | counts | GAP.put(gap) | DURATION.put(duration) | TICKS.put(during.ticks))
}

/// The signature number, gap and duration of a word made by [`call`], and its entries.
#[inline(always)]
pub const fn from_call(word: u64) -> (u32, u64, u64, Entries) {
    let during = Entries {
        entries: bits!(CallAndEngine.entries).get(word),
        productive: bits!(CallAndEngine.productive).get(word),
        ticks: bits!(CallAndEngine.ticks).get(word),
    };
    let signature = bits!(CallAndEngine.signature).get(word) as u32;
    (signature, bits!(CallAndEngine.gap).get(word), bits!(CallAndEngine.duration).get(word), during)
}

/// The entries during a call, exactly one of which was productive: it took `duration` and ended `left` ticks before the
/// call did. `None` if they do not fit in one word.
#[inline(always)]
pub const fn one(during: &Entries, duration: u64, left: u64) -> Option<u64> {
    const ENTRIES: Bits = bits!(EngineOne.entries);
    const TICKS: Bits = bits!(EngineOne.ticks);
    const DURATION: Bits = bits!(EngineOne.duration);
    const TAIL: Bits = bits!(EngineOne.tail);
    let during_excess = ENTRIES.excess(during.entries) | TICKS.excess(during.ticks);
    if during_excess | DURATION.excess(duration) | TAIL.excess(left) != 0 {
        return None;
    }
    let during = ENTRIES.put(during.entries) | TICKS.put(during.ticks);
    Some(RecordKind::EngineOne.word() | during | DURATION.put(duration) | TAIL.put(left))
}

/// Decodes [`one`]: the entries, and the productive one. `end` is the end of the call.
pub const fn from_one(word: u64, end: u64) -> (Entries, EntryRun) {
    let (entries, ticks) = (bits!(EngineOne.entries).get(word), bits!(EngineOne.ticks).get(word));
    let end = end.wrapping_sub(bits!(EngineOne.tail).get(word));
    let start = end.wrapping_sub(bits!(EngineOne.duration).get(word));
    (Entries { entries, productive: 1, ticks }, EntryRun { start, end, count: 1 })
}

/// The entries during a call in one word; `None` if they do not fit.
pub const fn engine(during: &Entries) -> Option<u64> {
    const PRODUCTIVE: Bits = bits!(Engine.productive);
    const ENTRIES: Bits = bits!(Engine.entries);
    const TICKS: Bits = bits!(Engine.ticks);
    if PRODUCTIVE.excess(during.productive) | ENTRIES.excess(during.entries) | TICKS.excess(during.ticks) != 0 {
        return None;
    }
    let counts = PRODUCTIVE.put(during.productive) | ENTRIES.put(during.entries);
    Some(RecordKind::Engine.word() | counts | TICKS.put(during.ticks))
}

/// Decodes [`engine`].
pub const fn from_engine(word: u64) -> Entries {
    Entries {
        productive: bits!(Engine.productive).get(word),
        entries: bits!(Engine.entries).get(word),
        ticks: bits!(Engine.ticks).get(word),
    }
}

/// The entries during a call in three words.
pub const fn engine_long(during: &Entries) -> [u64; 3] {
    let first = RecordKind::EngineLong.word() | bits!(EngineLong.entries).put(during.entries);
    [first, during.productive, during.ticks]
}

/// Decodes [`engine_long`].
pub const fn from_engine_long(words: [u64; 3]) -> Entries {
    Entries { entries: bits!(EngineLong.entries).get(words[0]), productive: words[1], ticks: words[2] }
}

/// A word that moves the time of the last record towards `start`, if that is out of a gap's reach, and the gap that
/// remains.
pub const fn skip(last: u64, start: u64) -> (Option<u64>, u64) {
    let gap = start.wrapping_sub(last);
    if bits!(RegionBegin.gap).excess(gap) == 0 {
        return (None, gap);
    }
    let most = (1 << (bits!(Skip.ticks).width - 1)) - 1;
    let signed = gap as i64;
    let skipped = if signed > most {
        most
    } else if signed < -most {
        -most
    } else {
        signed
    };
    (Some(RecordKind::Skip.word() | bits!(Skip.ticks).put_signed(skipped)), 0)
}

/// The ticks of a [`RecordKind::Skip`].
pub const fn from_skip(word: u64) -> i64 {
    bits!(Skip.ticks).get_signed(word)
}

/// One productive entry in one word; `None` if it is too far from the call that ended at `last`.
pub const fn productive(run: &EntryRun, last: u64) -> Option<u64> {
    let (gap, duration) = (run.start.wrapping_sub(last) as i64, run.end.wrapping_sub(run.start));
    if run.count != 1 || !bits!(Productive.gap).reaches(gap) || bits!(Productive.duration).excess(duration) != 0 {
        return None;
    }
    let gap = bits!(Productive.gap).put_signed(gap);
    Some(RecordKind::Productive.word() | gap | bits!(Productive.duration).put(duration))
}

/// Decodes [`productive`].
pub const fn from_productive(word: u64, last: u64) -> EntryRun {
    let start = last.wrapping_add_signed(bits!(Productive.gap).get_signed(word));
    EntryRun { start, end: start.wrapping_add(bits!(Productive.duration).get(word)), count: 1 }
}

/// Consecutive entries, as a [`RecordKind::ProductiveRun`] or [`RecordKind::Outside`].
pub const fn run(kind: RecordKind, run: &EntryRun, last: u64) -> [u64; 3] {
    [
        kind.word() | bits!(ProductiveRun.count).put(run.count),
        run.start.wrapping_sub(last),
        run.end.wrapping_sub(run.start),
    ]
}

/// Decodes [`run`].
pub const fn from_run(words: [u64; 3], last: u64) -> EntryRun {
    let start = last.wrapping_add(words[1]);
    EntryRun { start, end: start.wrapping_add(words[2]), count: bits!(ProductiveRun.count).get(words[0]) }
}

/// A run of polls, which begins `gap` after the end of the last record. Its count must be less than 2^32.
pub const fn polls(run: &Polls, gap: i64) -> [u64; 6] {
    [
        RecordKind::Polls.word() | bits!(Polls.signature).put(run.signature) | bits!(Polls.count).put(run.count),
        gap as u64,
        run.end.wrapping_sub(run.start),
        run.total,
        bits!(Polls.shortest_gap).put(run.gaps[0] as u64) | bits!(Polls.longest_gap).put(run.gaps[1] as u64),
        bits!(Polls.shortest_duration).put(run.durations[0] as u64)
            | bits!(Polls.longest_duration).put(run.durations[1] as u64),
    ]
}

/// Decodes [`polls`]. `last` is the end of the record before.
pub const fn from_polls(words: [u64; 6], last: u64) -> Polls {
    let start = last.wrapping_add(words[1]);
    Polls {
        start,
        end: start.wrapping_add(words[2]),
        count: bits!(Polls.count).get(words[0]),
        total: words[3],
        gaps: [bits!(Polls.shortest_gap).get(words[4]) as u32, bits!(Polls.longest_gap).get(words[4]) as u32],
        durations: [
            bits!(Polls.shortest_duration).get(words[5]) as u32,
            bits!(Polls.longest_duration).get(words[5]) as u32,
        ],
        signature: bits!(Polls.signature).get(words[0]),
        last: start,
    }
}
