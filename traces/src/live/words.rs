//! The words of a file.
//!
//! In: memory that holds a file, mapped or read. Out: its words, loaded one at a time, and the items in them.

use std::sync::atomic::Ordering::{Acquire, Relaxed};

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::orders::{AtomicU64, fence};

/// Words that another process may be writing.
///
/// A load is Relaxed, and a fence makes it an Acquire: the mapping is read-only, where the language promises no other
/// loads. So a record of one word costs what a plain load costs.
#[derive(Clone, Copy)]
pub struct LiveWords<'a>(&'a [AtomicU64]);

/// Makes the loads from here on see all that was written before the words that were loaded so far.
#[inline(always)]
pub fn see_published() {
    fence(Acquire);
}

impl<'a> LiveWords<'a> {
    pub const fn new(words: &'a [AtomicU64]) -> LiveWords<'a> {
        LiveWords(words)
    }

    /// The whole words in `bytes` bytes at an address.
    ///
    /// # Safety
    /// The bytes can be read for `'a`, and everything in this process that writes them writes atomics. The address is a
    /// multiple of eight, unless there is no whole word.
    pub unsafe fn at(first: *const u8, bytes: usize) -> LiveWords<'a> {
        match bytes / size_of::<u64>() {
            0 => LiveWords(&[]),
            // SAFETY: the caller's promise.
            words => LiveWords(unsafe { std::slice::from_raw_parts(first.cast(), words) }),
        }
    }

    #[inline(always)]
    pub const fn len(self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(super) const fn as_ptr(self) -> *const AtomicU64 {
        self.0.as_ptr()
    }

    /// The words from an index on; none if there are no more.
    pub fn from(self, at: usize) -> LiveWords<'a> {
        LiveWords(self.0.get(at..).unwrap_or(&[]))
    }

    /// The first words, at most this many.
    pub fn until(self, words: usize) -> LiveWords<'a> {
        LiveWords(self.0.get(..words).unwrap_or(self.0))
    }

    /// A word as it is now. Once it is not zero, the data that it publishes can be read after [`see_published`].
    #[inline(always)]
    pub fn get(self, at: usize) -> Option<u64> {
        self.0.get(at).map(|word| word.load(Relaxed))
    }

    /// The first word of an item, if the item was published: it is not zero, and the words after it are there.
    #[inline(always)]
    pub fn published(self, at: usize) -> Option<u64> {
        let word = self.get(at).filter(|word| *word != 0)?;
        see_published();
        Some(word)
    }

    /// True if all words are zero.
    pub fn are_zero(self) -> bool {
        self.0.iter().all(|word| word.load(Relaxed) == 0)
    }

    /// The words of a record whose first word was loaded, padded with zeros; `None` if they are not all here.
    #[inline(always)]
    pub fn record<const MOST: usize>(self, at: usize, words: usize) -> Option<[u64; MOST]> {
        see_published();
        let mut record = [0; MOST];
        for (place, word) in record.iter_mut().zip(self.0.get(at..at.checked_add(words)?)?) {
            *place = word.load(Relaxed);
        }
        Some(record)
    }

    /// A copy of a value whose words each mean something by themselves.
    pub fn copy<T: FromBytes + IntoBytes>(self, at: usize) -> Option<T> {
        const { assert!(size_of::<T>().is_multiple_of(size_of::<u64>())) }
        let words = self.0.get(at..at.checked_add(size_of::<T>() / size_of::<u64>())?)?;
        let mut value = T::new_zeroed();
        let (places, _) = value.as_mut_bytes().as_chunks_mut();
        for (place, word) in places.iter_mut().zip(words) {
            *place = word.load(Relaxed).to_ne_bytes();
        }
        Some(value)
    }

    /// An item that was published and never changes.
    ///
    /// # Safety
    /// The word that publishes it was loaded, and found not to be zero.
    pub unsafe fn item<T: FromBytes + Immutable + KnownLayout>(self, at: usize) -> Option<&'a T> {
        // SAFETY: the caller's promise.
        T::ref_from_prefix(unsafe { self.bytes(at, size_of::<T>()) }?).ok().map(|(item, _)| item)
    }

    /// Bytes from a word on that were published and never change.
    ///
    /// # Safety
    /// See [`item`](Self::item).
    pub unsafe fn bytes(self, at: usize, bytes: usize) -> Option<&'a [u8]> {
        let words = self.0.get(at..at.checked_add(bytes.div_ceil(size_of::<u64>()))?)?;
        see_published();
        // SAFETY: the bytes are in these words, and no process writes them any more.
        Some(unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), bytes) })
    }
}
