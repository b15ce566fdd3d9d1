//! The use of a thread's processor time between its calls.
//!
//! A thread is sampled whenever it has used up another period of processor time. Periods that end between two calls of
//! MPI are samples with a place, those that end inside a call belong to the call, and those without either are counted.
//! All together stand for the thread's processor time.

use super::{RecordKind, bits};

/// The place of a thread between two calls of MPI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The number of its call site, which has a [`Caller`](crate::definitions::Caller).
    pub site: u32,
    /// Periods that have ended since the sample before.
    pub periods: u64,
}

/// Periods without a sample.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Unsampled {
    /// Periods that ended while the recorder was at work.
    pub recording: u64,
    /// Periods that were lost.
    pub lost: u64,
}

const fn at_most(value: u64, width: u32) -> u64 {
    let most = (1 << width) - 1;
    if value > most { most } else { value }
}

impl Sample {
    /// The two words of a record, `gap` ticks after the last one. [`skip`](crate::progress::skip) has made the gap fit.
    pub const fn words(self, gap: u64) -> [u64; 2] {
        let periods = at_most(self.periods, bits!(Sample.periods).width);
        let first = RecordKind::Sample.word() | bits!(Sample.gap).put(gap) | bits!(Sample.periods).put(periods);
        [first, bits!(Sample.site).put(self.site as u64)]
    }

    /// The gap and the sample of two words.
    pub const fn from_words(words: [u64; 2]) -> (u64, Sample) {
        let periods = bits!(Sample.periods).get(words[0]);
        (bits!(Sample.gap).get(words[0]), Sample { site: bits!(Sample.site).get(words[1]) as u32, periods })
    }
}

/// The periods that ended inside the call, or inside the polls.
pub const fn sampled(periods: u64) -> u64 {
    let bits = bits!(Sampled.periods);
    RecordKind::Sampled.word() | bits.put(at_most(periods, bits.width))
}

/// The periods of a record made by [`sampled`].
pub const fn from_sampled(word: u64) -> u64 {
    bits!(Sampled.periods).get(word)
}

impl Unsampled {
    pub const fn word(self) -> u64 {
        let (recording, lost) = (bits!(Unsampled.recording), bits!(Unsampled.lost));
        RecordKind::Unsampled.word()
            | recording.put(at_most(self.recording, recording.width))
            | lost.put(at_most(self.lost, lost.width))
    }

    pub const fn from_word(word: u64) -> Unsampled {
        Unsampled { recording: bits!(Unsampled.recording).get(word), lost: bits!(Unsampled.lost).get(word) }
    }
}

/// The processor time, in nanoseconds, that the thread used between the call before and this one.
pub const fn on_processor(nanoseconds: u64) -> u64 {
    let bits = bits!(OnProcessor.nanoseconds);
    RecordKind::OnProcessor.word() | bits.put(at_most(nanoseconds, bits.width))
}

/// The nanoseconds of a record made by [`on_processor`].
pub const fn from_on_processor(word: u64) -> u64 {
    bits!(OnProcessor.nanoseconds).get(word)
}
