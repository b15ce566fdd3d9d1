//! The records of a thread's event pages: 64-bit words, the common call in one of them. [`kinds`] has the table of them.
//!
//! `gap` runs from the end of the thread's previous record to the start of this call, `duration` from there to
//! its end; both in ticks, exact. A gap is negative where a call ended inside the one recorded after it.
//! A record that took less than 6 ms at 2.6 GHz on both counts fits in eight bytes, so wide ones are rare by nature.
//!
//! A thread numbers the requests it starts 0, 1, 2, ... in the order of its records. `age` counts back from the
//! number the next request will get: age 1 is the latest. The first word is never zero: a zero ends the records.

mod bits;
mod content;
mod kinds;

pub(crate) use bits::Bits;
pub use content::{Content, UntakenReason};
pub use kinds::RecordKind;
pub(crate) use kinds::bits;

/// The highest signature number of a call in one word.
pub const MAX_SHORT: u32 = (1 << bits!(Call.signature).width) - 1;
/// Signature numbers run from 1 to this.
pub const MAX_SIGNATURE: u32 = UNNUMBERED - 1;
/// The number of a call for whose signature there was no room. It has no record.
pub const UNNUMBERED: u32 = (1 << bits!(Wide.signature).width) - 1;
/// Ages are at most this; an older request is told by thread and number.
pub const MAX_AGE: u64 = (1 << bits!(Completed.age).width) - 1;
/// The most requests one record completes.
pub const MAX_COUNT: u32 = (1 << bits!(Completed.count).width) - 1;

/// A call in one word, if its number is low and gap and duration are short enough.
#[inline(always)]
pub const fn short(signature: u32, gap: u64, duration: u64) -> Option<u64> {
    if bits!(Call.gap).excess(gap) | bits!(Call.duration).excess(duration) != 0 || signature > MAX_SHORT {
        return None;
    }
    Some(bits!(Call.signature).put(signature as u64) | bits!(Call.gap).put(gap) | bits!(Call.duration).put(duration))
}

/// Signature number, gap and duration of a one-word call.
#[inline(always)]
pub const fn from_short(word: u64) -> (u32, u64, u64) {
    (bits!(Call.signature).get(word) as u32, bits!(Call.gap).get(word), bits!(Call.duration).get(word))
}

/// A call in two words, if its gap fits.
pub const fn wide(signature: u32, gap: i64, duration: u64) -> Option<[u64; 2]> {
    if !bits!(Wide.gap).reaches(gap) {
        return None;
    }
    let signature = bits!(Wide.signature).put(signature as u64);
    Some([RecordKind::Wide.word() | signature | bits!(Wide.gap).put_signed(gap), duration])
}

/// Signature number and gap of the first word of a wide call.
pub const fn from_wide(word: u64) -> (u32, i64) {
    (bits!(Wide.signature).get(word) as u32, bits!(Wide.gap).get_signed(word))
}

/// A call in three words.
pub const fn long(signature: u32, gap: i64, duration: u64) -> [u64; 3] {
    [RecordKind::Long.word() | bits!(Long.signature).put(signature as u64), gap as u64, duration]
}

/// Signature number of the first word of a long call.
pub const fn from_long(word: u64) -> u32 {
    bits!(Long.signature).get(word) as u32
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
        let most = (1 << bits!(Arrived.bytes).width) - 1;
        let bytes = if self.bytes > most { most } else { self.bytes };
        [
            RecordKind::Arrived.word() | bits!(Arrived.fate).put(self.fate as u64) | bits!(Arrived.bytes).put(bytes),
            bits!(Arrived.source).put_signed(self.source as i64) | bits!(Arrived.tag).put_signed(self.tag as i64),
        ]
    }

    /// Back from the two words.
    pub const fn from_words(words: [u64; 2]) -> Arrived {
        Arrived {
            source: bits!(Arrived.source).get_signed(words[1]) as i32,
            tag: bits!(Arrived.tag).get_signed(words[1]) as i32,
            bytes: bits!(Arrived.bytes).get(words[0]),
            fate: match bits!(Arrived.fate).get(words[0]) {
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
    kind.word() | bits!(Completed.count).put(count as u64) | bits!(Completed.age).put(age)
}

/// Count and age of a record made by [`requests`].
pub const fn from_requests(word: u64) -> (u32, u64) {
    (bits!(Completed.count).get(word) as u32, bits!(Completed.age).get(word))
}

/// `count` requests that `thread` began, from its `number` on; `what` is what [`requests`] would say of them.
pub const fn elsewhere(what: RecordKind, count: u32, thread: u32, number: u64) -> [u64; 2] {
    let begun = bits!(Elsewhere.count).put(count as u64) | bits!(Elsewhere.thread).put(thread as u64);
    [RecordKind::Elsewhere.word() | bits!(Elsewhere.what).put(what.word()) | begun, number]
}

/// What, count, thread and number of the first request; `None` where `what` is no such kind.
pub fn from_elsewhere(words: [u64; 2]) -> Option<(RecordKind, u32, u32, u64)> {
    let what = RecordKind::of(bits!(Elsewhere.what).get(words[0]))?;
    let (count, thread) = (bits!(Elsewhere.count).get(words[0]), bits!(Elsewhere.thread).get(words[0]));
    what.is_of_requests().then_some((what, count as u32, thread as u32, words[1]))
}

/// The class in a record of [`failed`] that stands for no error: the call never returned.
pub const LEFT: u16 = u16::MAX;

/// The error code a call returned, and its class.
pub const fn failed(class: u16, code: i32) -> u64 {
    RecordKind::Failed.word() | bits!(Failed.class).put(class as u64) | bits!(Failed.code).put_signed(code as i64)
}

/// Error class and code.
pub const fn from_failed(word: u64) -> (u16, i32) {
    (bits!(Failed.class).get(word) as u16, bits!(Failed.code).get_signed(word) as i32)
}

/// The highest number of a region.
pub const MAX_REGION: u32 = (1 << bits!(RegionBegin.region).width) - 1;

/// A region of this number begins or ends, so much later than the last record: as [`skip`](crate::progress::skip) has left it.
pub const fn region(kind: RecordKind, gap: u64, number: u32) -> u64 {
    kind.word() | bits!(RegionBegin.gap).put(gap) | bits!(RegionBegin.region).put(number as u64)
}

/// The highest age that a record of [`found_complete`] can say.
pub const MAX_FOUND_AGE: u64 = (1 << bits!(FoundComplete.age).width) - 1;

/// The request of that age was found complete so much later than the last record, as above.
pub const fn found_complete(gap: u64, age: u64) -> u64 {
    RecordKind::FoundComplete.word() | bits!(FoundComplete.gap).put(gap) | bits!(FoundComplete.age).put(age)
}

/// Gap and age of a record made by [`found_complete`].
pub const fn from_found_complete(word: u64) -> (u64, u64) {
    (bits!(FoundComplete.gap).get(word), bits!(FoundComplete.age).get(word))
}

/// Gap and number of a record made by [`region`].
pub const fn from_region(word: u64) -> (u64, u32) {
    (bits!(RegionBegin.gap).get(word), bits!(RegionBegin.region).get(word) as u32)
}
