//! The records of a thread's event pages: 64-bit words, with the common call in one of them. [`kinds`] has their table.
//!
//! `gap` runs from the end of the thread's previous record to the start of this call, `duration` from there to its end;
//! both are exact, in ticks. A gap is negative if a call ended inside the one recorded after it. A call fits in eight
//! bytes if both are shorter than 6 ms at 2.6 GHz, so wide records are rare by nature.
//!
//! A thread numbers the requests that it starts 0, 1, 2, ... in the order of its records. `age` counts back from the
//! number that the next request will get: age 1 is the latest. The first word of a record is never zero: a zero ends
//! the records.

mod content;
mod kinds;
mod sampling;

pub use content::{Content, UntakenReason};
pub use kinds::RecordKind;
pub(crate) use kinds::{Bits, bits};
pub use sampling::{Sample, Unsampled, from_on_processor, from_sampled, on_processor, sampled};

/// The highest signature number of a call in one word.
pub const MAX_SHORT: u32 = (1 << bits!(Call.signature).width) - 1;
/// The largest signature number; numbers begin at 1.
pub const MAX_SIGNATURE: u32 = UNNUMBERED - 1;
/// The number of calls whose signature found no room. They have no records.
pub const UNNUMBERED: u32 = (1 << bits!(Wide.signature).width) - 1;
/// The largest age; older requests are named by thread and number.
pub const MAX_AGE: u64 = (1 << bits!(Completed.age).width) - 1;
/// Limit on the requests in one record.
pub const MAX_COUNT: u32 = (1 << bits!(Completed.count).width) - 1;

/// A call in one word; `None` if its signature number, gap or duration is too large.
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

/// A call in two words; `None` if the gap does not fit.
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

/// The result of a receive, a probe or a completed receive request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrived {
    /// Rank in the communicator, or one of [`peer`](crate::signature::peer).
    pub source: i32,
    pub tag: i32,
    pub bytes: u64,
    /// The fate of the message.
    pub fate: Fate,
}

/// The fate of a message that a request or call was for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Fate {
    /// It arrived whole.
    #[default]
    Whole,
    /// The request was cancelled: nothing was received or, for a send, nothing was sent.
    Cancelled,
    /// The receive had no room for all of it: MPI_ERR_TRUNCATE.
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

    /// Decodes the two words.
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

/// `count` requests of this thread, beginning with the one `age` before the next.
#[inline(always)]
pub const fn requests(kind: RecordKind, count: u32, age: u64) -> u64 {
    kind.word() | bits!(Completed.count).put(count as u64) | bits!(Completed.age).put(age)
}

/// Count and age of a record made by [`requests`].
pub const fn from_requests(word: u64) -> (u32, u64) {
    (bits!(Completed.count).get(word) as u32, bits!(Completed.age).get(word))
}

/// `count` requests that `thread` began, from its `number` on. `what` is the kind that [`requests`] would have.
pub const fn elsewhere(what: RecordKind, count: u32, thread: u32, number: u64) -> [u64; 2] {
    let begun = bits!(Elsewhere.count).put(count as u64) | bits!(Elsewhere.thread).put(thread as u64);
    [RecordKind::Elsewhere.word() | bits!(Elsewhere.what).put(what.word()) | begun, number]
}

/// Kind, count, thread and number of the first request; `None` if the kind is not one of requests.
pub fn from_elsewhere(words: [u64; 2]) -> Option<(RecordKind, u32, u32, u64)> {
    let what = RecordKind::of(bits!(Elsewhere.what).get(words[0]))?;
    let (count, thread) = (bits!(Elsewhere.count).get(words[0]), bits!(Elsewhere.thread).get(words[0]));
    what.is_of_requests().then_some((what, count as u32, thread as u32, words[1]))
}

/// The class of a [`failed`] record that is not an error: the call never returned.
pub const LEFT: u16 = u16::MAX;

/// The error code that a call returned, and its class.
pub const fn failed(class: u16, code: i32) -> u64 {
    RecordKind::Failed.word() | bits!(Failed.class).put(class as u64) | bits!(Failed.code).put_signed(code as i64)
}

/// The error class and code.
pub const fn from_failed(word: u64) -> (u16, i32) {
    (bits!(Failed.class).get(word) as u16, bits!(Failed.code).get_signed(word) as i32)
}

/// The largest number of a region.
pub const MAX_REGION: u32 = (1 << bits!(RegionBegin.region).width) - 1;

/// The begin or end of a region, `gap` ticks after the last record. [`skip`](crate::progress::skip) has made the gap
/// fit.
pub const fn region(kind: RecordKind, gap: u64, number: u32) -> u64 {
    kind.word() | bits!(RegionBegin.gap).put(gap) | bits!(RegionBegin.region).put(number as u64)
}

/// The largest age in a record of [`found_complete`].
pub const MAX_FOUND_AGE: u64 = (1 << bits!(FoundComplete.age).width) - 1;

/// The request of this age was found complete `gap` ticks after the last record. [`skip`](crate::progress::skip) has
/// made the gap fit.
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
