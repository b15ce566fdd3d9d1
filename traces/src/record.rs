//! The records of a thread's event pages: 64-bit words, the common call in one of them.
//!
//! | first word, from bit 0 | more words | record |
//! |---|---|---|
//! | `0`, signature 15, gap 24, duration 24 | | a call that fits |
//! | kind 8, signature 24, gap 32 (signed) | duration | a call, wide |
//! | kind 8, signature 24 | gap (signed), duration | a call, long |
//! | kind 8, flags 8, bytes 48 | source 32, tag 32 | what arrived, where it differs from what was posted |
//! | kind 8, count 16, age 40 | | requests completed, started, freed, parts of which are ready |
//! | kind 8, what 8, count 16, thread 32 | number | the same, for requests of another thread |
//! | kind 8, class 16, code 32 | | the error the call returned |
//! | kind 8, gap 28, region 28 | | a region begins, or ends |
//! | kind 8, ... | | what the progress engine did: see [`crate::progress`] |
//!
//! `gap` runs from the end of the thread's previous record to the start of this call, `duration` from there to
//! its end; both in ticks, exact. A gap is negative where a call ended inside the one recorded after it.
//! A record that took less than 6 ms at 2.6 GHz on both counts fits in eight bytes, so wide ones are rare by nature.
//!
//! A thread numbers the requests it starts 0, 1, 2, ... in the order of its records. `age` counts back from the
//! number the next request will get: age 1 is the latest. The first word is never zero: a zero ends the records.

/// Bits of a gap and of a duration in the one-word form.
pub const SHORT_BITS: u32 = 24;
/// The highest signature number of a call in one word.
pub const MAX_SHORT: u32 = (1 << 15) - 1;
/// Signature numbers run from 1 to this.
pub const MAX_SIGNATURE: u32 = (1 << 24) - 2;
/// The number of a call for whose signature there was no room. It has no record.
pub const UNNUMBERED: u32 = (1 << 24) - 1;
/// Ages are at most this; an older request is told by thread and number.
pub const MAX_AGE: u64 = (1 << 40) - 1;
/// The most requests one record completes.
pub const MAX_COUNT: u32 = (1 << 16) - 1;

/// Bits of the gap of a call in two words.
const WIDE_GAP_BITS: u32 = 32;

/// The low byte of a first word, odd; even first words are calls, as are those that end in [`progress::CALL`], which no
/// kind does.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    /// A call with a 32-bit gap and a 64-bit duration.
    Wide = 0x01,
    /// A call with a 64-bit gap and duration.
    Long = 0x03,
    /// What a receive got, where it differs from what was posted.
    Arrived = 0x07,
    /// Requests of this thread that the call completed.
    Completed = 0x09,
    /// Completed, started or freed requests that another thread began or created.
    Elsewhere = 0x0b,
    /// Persistent requests the call started, by the age of what created them. Each takes a new number.
    Started = 0x0d,
    /// Requests the call gave up without waiting for them.
    Freed = 0x19,
    /// The error the call returned.
    Failed = 0x11,
    /// What the progress engine did during the call, in one word.
    Engine = 0x13,
    /// The same where that is too much for one word.
    EngineLong = 0x15,
    /// An entry into the progress engine that achieved something.
    Productive = 0x17,
    /// Time goes on, without a record of its own.
    Skip = 0x1d,
    /// A run of calls that asked and got no.
    Polls = 0x1b,
    /// Requests of partitioned sends, parts of which the call gave out.
    Ready = 0x21,
    /// The thread enters a region of the program.
    RegionBegin = 0x23,
    /// It leaves one, the innermost of this number.
    RegionEnd = 0x25,
    /// What the progress engine did during the call, one of the entries being productive, and when that was.
    EngineOne = 0x27,
    /// Productive entries one after another.
    ProductiveRun = 0x29,
    /// Entries into the progress engine outside MPI calls.
    Outside = 0x2b,
}

impl RecordKind {
    /// The kind of an odd first word; `None` for one this version does not know.
    pub fn of(word: u64) -> Option<RecordKind> {
        use RecordKind::*;
        [
            Wide,
            Long,
            Arrived,
            Completed,
            Elsewhere,
            Started,
            Freed,
            Failed,
            Engine,
            EngineLong,
            Productive,
            Skip,
            Polls,
            Ready,
            RegionBegin,
            RegionEnd,
            EngineOne,
            ProductiveRun,
            Outside,
        ]
        .into_iter()
        .find(|kind| *kind as u64 == word & 0xff)
    }

    /// The number of words of the whole record.
    pub const fn words(self) -> usize {
        match self {
            RecordKind::Completed
            | RecordKind::Started
            | RecordKind::Freed
            | RecordKind::Ready
            | RecordKind::Failed => 1,
            RecordKind::Engine | RecordKind::EngineOne | RecordKind::Productive | RecordKind::Skip => 1,
            RecordKind::RegionBegin | RecordKind::RegionEnd => 1,
            RecordKind::Wide | RecordKind::Arrived | RecordKind::Elsewhere => 2,
            RecordKind::Long | RecordKind::EngineLong | RecordKind::ProductiveRun | RecordKind::Outside => 3,
            RecordKind::Polls => 6,
        }
    }
}

/// A call in one word, if its number is low and gap and duration are short enough.
#[inline(always)]
pub const fn short(signature: u32, gap: u64, duration: u64) -> Option<u64> {
    if (gap | duration) >> SHORT_BITS != 0 || signature > MAX_SHORT {
        return None;
    }
    Some((signature as u64) << 1 | gap << 16 | duration << 40)
}

/// Signature number, gap and duration of a one-word call.
#[inline(always)]
pub const fn from_short(word: u64) -> (u32, u64, u64) {
    ((word >> 1) as u32 & 0x7fff, word >> 16 & 0xff_ffff, word >> 40)
}

/// A call in two words, if its gap fits.
pub const fn wide(signature: u32, gap: i64, duration: u64) -> Option<[u64; 2]> {
    let limit = 1 << (WIDE_GAP_BITS - 1);
    if gap < -limit || gap >= limit {
        return None;
    }
    Some([RecordKind::Wide as u64 | (signature as u64) << 8 | (gap as u64) << 32, duration])
}

/// Signature number and gap of the first word of a wide call.
pub const fn from_wide(word: u64) -> (u32, i64) {
    (from_long(word), word as i64 >> 32)
}

/// A call in three words.
pub const fn long(signature: u32, gap: i64, duration: u64) -> [u64; 3] {
    [RecordKind::Long as u64 | (signature as u64) << 8, gap as u64, duration]
}

/// Signature number of the first word of a long call.
pub const fn from_long(word: u64) -> u32 {
    (word >> 8) as u32 & UNNUMBERED
}

/// What a receive, probe or completed receive request got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrived {
    /// Rank in the communicator, or one of [`peer`](crate::signature::peer).
    pub source: i32,
    /// The message's tag.
    pub tag: i32,
    /// Bytes of the message.
    pub bytes: u64,
    /// What became of the message.
    pub fate: Fate,
}

/// What became of a message that a request or call was for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Fate {
    /// It came whole.
    #[default]
    Whole,
    /// The request was cancelled: nothing came, or of a send, nothing was sent.
    Cancelled,
    /// There was not room for all of it: MPI_ERR_TRUNCATE.
    Truncated,
}

impl Arrived {
    /// The two words of the record.
    pub const fn words(self) -> [u64; 2] {
        let flags = (self.fate as u64) << 8;
        let most = (1 << 48) - 1;
        let bytes = if self.bytes > most { most } else { self.bytes };
        [RecordKind::Arrived as u64 | flags | bytes << 16, self.source as u32 as u64 | (self.tag as u32 as u64) << 32]
    }

    /// Back from the two words.
    pub const fn from_words(words: [u64; 2]) -> Arrived {
        Arrived {
            source: words[1] as i32,
            tag: (words[1] >> 32) as i32,
            bytes: words[0] >> 16,
            fate: match words[0] >> 8 & 3 {
                0 => Fate::Whole,
                1 => Fate::Cancelled,
                _ => Fate::Truncated,
            },
        }
    }
}

/// `count` requests of this thread, numbered on from the one `age` before the next.
#[inline(always)]
pub const fn requests(kind: RecordKind, count: u32, age: u64) -> u64 {
    kind as u64 | (count as u64) << 8 | age << 24
}

/// Count and age of a record made by [`requests`].
pub const fn from_requests(word: u64) -> (u32, u64) {
    ((word >> 8) as u16 as u32, word >> 24)
}

/// `count` requests that `thread` began, from its `number` on; `what` is what [`requests`] would say of them.
pub const fn elsewhere(what: RecordKind, count: u32, thread: u32, number: u64) -> [u64; 2] {
    let word = RecordKind::Elsewhere as u64 | (what as u64) << 8 | (count as u64) << 16 | (thread as u64) << 32;
    [word, number]
}

/// What, count, thread and number of the first request; `None` where `what` is no such kind.
pub fn from_elsewhere(words: [u64; 2]) -> Option<(RecordKind, u32, u32, u64)> {
    let what = RecordKind::of(words[0] >> 8 & 0xff)?;
    Some((what, (words[0] >> 16) as u16 as u32, (words[0] >> 32) as u32, words[1]))
}

/// The class in a record of [`failed`] that stands for no error: the call never returned.
pub const LEFT: u16 = u16::MAX;

/// The error code a call returned, and its class.
pub const fn failed(class: u16, code: i32) -> u64 {
    RecordKind::Failed as u64 | (class as u64) << 8 | (code as u32 as u64) << 24
}

/// Error class and code.
pub const fn from_failed(word: u64) -> (u16, i32) {
    ((word >> 8) as u16, (word >> 24) as i32)
}

/// The highest number of a region.
pub const MAX_REGION: u32 = (1 << REGION_BITS) - 1;

/// Bits of a region's number; the gap, as [`skip`](crate::progress::skip) has left it, takes as many.
const REGION_BITS: u32 = 28;

/// A region of this number begins or ends, so much later than the last record.
pub const fn region(kind: RecordKind, gap: u64, number: u32) -> u64 {
    kind as u64 | gap << 8 | (number as u64) << 36
}

/// Gap and number of a record made by [`region`].
pub const fn from_region(word: u64) -> (u64, u32) {
    (word >> 8 & MAX_REGION as u64, (word >> 36) as u32)
}
