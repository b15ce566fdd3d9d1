//! A thread's cache in front of its dictionary: from the raw words of a call to its signature's number.
//!
//! The words are compared as the program passes them, so no handle and no datatype's size needs a look-up. When an
//! object is freed, MPI may reuse its handle with another meaning: entries that depend on that class of handles become
//! void, and all others are checked once more.
//!
//! A call has a preferred place and seven others around it. The table grows when all eight are taken, so a program with
//! thousands of live tags finds them all. A call found in its preferred place is recorded without further checks; so a
//! call whose number does not fit in a one-word record can only be found by [`Cache::find_around`].

use std::sync::atomic::{AtomicU32, Ordering::*};

use crate::memory;
use crate::spread::spread;

/// Words of the call with the most significant arguments, including the call site's word.
pub const WORDS: usize = 15;
/// Words a call in the small table may have: an entry there fills one cache line.
const FEW: usize = 7;
/// Places that a call may have.
const AROUND: usize = 8;
/// Initial and maximal size of a table: log2 of its places.
const FIRST_BITS: u32 = 8;
const MOST_BITS: u32 = 18;

/// Changes whenever an object is freed, of any class.
static EPOCH: AtomicU32 = AtomicU32::new(1);
/// Freed objects by class of handles.
static FREED: [AtomicU32; 64] = [const { AtomicU32::new(0) }; 64];

#[repr(C)]
pub struct Cache {
    few: CacheTable<FEW>,
    many: CacheTable<WORDS>,
}

#[repr(C)]
struct CacheTable<const N: usize> {
    entries: *mut CacheEntry<N>,
    /// The entries' dependences, at the same places; kept apart because the straight line does not read them.
    origins: *mut EntryOrigin,
    /// log2 of the number of places, and the shift that turns a hash into a place.
    bits: u32,
    shift: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CacheEntry<const N: usize> {
    number: u32,
    /// [`EPOCH`] when the entry was last known to be valid. 0: the place is free; [`ELSEWHERE`]: `find` must miss it.
    epoch: u32,
    words: [u64; N],
}

const _: () = assert!(size_of::<CacheEntry<FEW>>() == 64 && size_of::<CacheEntry<WORDS>>() == 128);

/// An epoch that never comes: only [`Cache::find_around`] finds entries that have it.
const ELSEWHERE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct EntryOrigin {
    /// Bit set of the classes of the handles that the entry depends on.
    handles: u64,
    /// Objects of these classes freed before the entry was made.
    freed: u32,
}

/// The raw words of a call. All but their values is known when a wrapper is compiled.
#[derive(Clone, Copy)]
pub struct Words {
    words: [u64; WORDS],
    used: usize,
    half: bool,
}

/// The classes of the handles that a call's signature depends on, as a bit set.
#[derive(Clone, Copy, Default)]
pub struct Dependence(u64);

impl Dependence {
    /// Adds a handle; 0 adds nothing.
    pub fn on(self, handle: u64) -> Dependence {
        if handle == 0 { self } else { Dependence(self.0 | 1 << class(handle)) }
    }

    fn freed(self) -> u32 {
        let (mut freed, mut classes) = (0u32, self.0);
        while classes != 0 {
            freed = freed.wrapping_add(freed_of(classes.trailing_zeros() as usize).load(Relaxed));
            classes &= classes - 1;
        }
        freed
    }
}

/// Voids the entries of all caches of the process that depend on a freed object.
pub fn forget(handle: u64) {
    freed_of(class(handle)).fetch_add(1, Relaxed);
    // A thread that sees the new epoch also sees the count of the class.
    let _ = EPOCH.try_update(Release, Relaxed, |epoch| Some(next_epoch(epoch)));
}

/// The epoch after this one. The free place's and [`ELSEWHERE`] never come: 2^32 freed objects are hours of a busy program.
fn next_epoch(epoch: u32) -> u32 {
    if epoch == ELSEWHERE - 1 { 1 } else { epoch + 1 }
}

/// The class of a handle, 0..64. Classes instead of single handles, since these would need a map and look-ups in it.
fn class(handle: u64) -> usize {
    (spread(handle) >> 58) as usize
}

#[expect(clippy::indexing_slicing, reason = "the compiler sees that the remainder is below the length")]
fn freed_of(class: usize) -> &'static AtomicU32 {
    &FREED[class % FREED.len()]
}

impl Words {
    /// The words of a call from a call site, which is one word.
    #[inline(always)]
    pub fn new(call: u16, site: usize) -> Words {
        let mut words = [0; WORDS];
        // Addresses of programs have 47 bits.
        words[0] = site as u64 ^ (call as u64) << 48;
        Words { words, used: 1, half: false }
    }

    #[inline(always)]
    pub fn push(&mut self, word: u64) {
        self.words.get_mut(self.used).into_iter().for_each(|place| *place = word);
        self.used += 1;
        self.half = false;
    }

    /// Adds half a word; two consecutive halves share one word.
    #[inline(always)]
    pub fn push_half(&mut self, half: u32) {
        if self.half {
            self.words.get_mut(self.used - 1).into_iter().for_each(|word| *word |= (half as u64) << 32);
            self.half = false;
        } else {
            self.push(half as u64);
            self.half = true;
        }
    }

    /// Sets a bit of the first word that is otherwise never set, so that only look-ups that set it too find the call: the
    /// two above it belong to the call site.
    pub fn keep_around(&mut self) {
        self.words[0] |= 1 << 61;
    }

    #[inline(always)]
    pub fn push_bit(&mut self, bit: bool) {
        self.words[0] ^= (bit as u64) << 63;
    }

    #[inline(always)]
    fn hash(&self) -> u64 {
        hash(self.words.iter().take(self.used))
    }
}

/// Trailing zero words do not change the hash.
#[inline(always)]
fn hash<'a>(words: impl Iterator<Item = &'a u64>) -> u64 {
    let mut hash = 0;
    for (at, word) in words.enumerate() {
        hash ^= word.rotate_left(at as u32 * 19);
    }
    spread(hash)
}

impl Cache {
    /// An empty cache; `None` if memory ran out.
    pub fn new() -> Option<Cache> {
        Some(Cache { few: CacheTable::new(FIRST_BITS)?, many: CacheTable::new(FIRST_BITS)? })
    }

    /// The number of a call with these words, if it is in its preferred place.
    #[inline(always)]
    pub fn find(&self, words: &Words) -> Option<u32> {
        if words.used <= FEW { self.few.find(words) } else { self.many.find(words) }
    }

    /// The number of a call with these words, in any of its places.
    #[inline(never)]
    pub fn find_around(&mut self, words: &Words) -> Option<u32> {
        if words.used <= FEW { self.few.find_around(words) } else { self.many.find_around(words) }
    }

    /// Remembers the number of a call with these words. [`find`](Self::find) finds it only if `at_once`.
    pub fn insert(&mut self, words: &Words, number: u32, handles: Dependence, at_once: bool) {
        if words.used <= FEW {
            self.few.insert(words, number, handles, at_once)
        } else {
            self.many.insert(words, number, handles, at_once)
        }
    }
}

impl<const N: usize> CacheTable<N> {
    fn new(bits: u32) -> Option<CacheTable<N>> {
        let entries = memory::zeroed_table(1 << bits)?.as_ptr();
        Some(CacheTable { entries, origins: memory::zeroed(1 << bits)?.as_ptr(), bits, shift: 64 - bits })
    }

    // Must be inlined: passing the words on would put them on the stack in every call.
    #[inline(always)]
    fn find(&self, words: &Words) -> Option<u32> {
        // SAFETY: the highest bits of a hash are a place of the table.
        let entry = unsafe { &*self.entries.add((words.hash() >> self.shift) as usize) };
        let mut difference = (entry.epoch ^ EPOCH.load(Relaxed)) as u64;
        for (known, word) in entry.words.iter().zip(&words.words).take(words.used) {
            difference |= known ^ word;
        }
        (difference == 0).then_some(entry.number)
    }

    fn find_around(&mut self, words: &Words) -> Option<u32> {
        let epoch = EPOCH.load(Acquire);
        let first = words.words.first_chunk()?;
        let at = self.around(words.hash()).find(|at| {
            let entry = self.entry(*at);
            entry.epoch != 0 && entry.words == *first
        })?;
        if self.entry(at).epoch != epoch {
            if self.is_void(at) {
                return None;
            }
            if self.entry(at).epoch != ELSEWHERE {
                self.entry(at).epoch = epoch;
            }
        }
        Some(self.entry(at).number)
    }

    fn insert(&mut self, words: &Words, number: u32, handles: Dependence, at_once: bool) {
        // Read before the counts of freed objects: an object freed from here on voids the entry.
        let epoch = EPOCH.load(Acquire);
        let epoch = if at_once { epoch } else { ELSEWHERE };
        let Some(first) = words.words.first_chunk() else { return };
        let entry = CacheEntry { number, epoch, words: *first };
        let origin = EntryOrigin { handles: handles.0, freed: handles.freed() };
        while !self.put(entry, origin) {
            if self.bits >= MOST_BITS || !self.grow() {
                let preferred = (words.hash() >> self.shift) as usize;
                return self.set(preferred, entry, origin);
            }
        }
    }

    /// Puts an entry in the place of an equal one, else in a free place, else in a void one. `false` if there is none.
    fn put(&mut self, entry: CacheEntry<N>, origin: EntryOrigin) -> bool {
        let hash = hash(entry.words.iter());
        let same = self.around(hash).find(|at| self.entry(*at).epoch != 0 && self.entry(*at).words == entry.words);
        let free = || self.around(hash).find(|at| self.entry(*at).epoch == 0);
        let void = || self.around(hash).find(|at| self.is_void(*at));
        let at = same.or_else(free).or_else(void);
        at.inspect(|at| self.set(*at, entry, origin)).is_some()
    }

    #[cold]
    fn grow(&mut self) -> bool {
        let Some(mut larger) = CacheTable::<N>::new(self.bits + 1) else { return false };
        for at in 0..1 << self.bits {
            if self.entry(at).epoch != 0 && !self.is_void(at) {
                // SAFETY: a place of the table.
                larger.put(*self.entry(at), unsafe { *self.origins.add(at) });
            }
        }
        memory::give_back(self.entries, 1 << self.bits);
        memory::give_back(self.origins, 1 << self.bits);
        *self = larger;
        true
    }

    /// True if an object of a class that the entry depends on has been freed since.
    fn is_void(&self, at: usize) -> bool {
        // SAFETY: a place of the table.
        let origin = unsafe { *self.origins.add(at) };
        Dependence(origin.handles).freed() != origin.freed
    }

    /// The places of a call, the preferred one first.
    fn around(&self, hash: u64) -> impl Iterator<Item = usize> + use<N> {
        let preferred = (hash >> self.shift) as usize;
        (0..AROUND).map(move |step| preferred ^ step)
    }

    #[allow(clippy::mut_from_ref)]
    fn entry(&self, at: usize) -> &mut CacheEntry<N> {
        // SAFETY: a place of the table, which is this thread's own; no reference outlives the statement it is made in.
        unsafe { &mut *self.entries.add(at) }
    }

    fn set(&self, at: usize, entry: CacheEntry<N>, origin: EntryOrigin) {
        // SAFETY: as above.
        unsafe {
            self.entries.add(at).write(entry);
            self.origins.add(at).write(origin);
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn a_call_kept_off_the_straight_line_stays_there_when_the_epochs_wrap() {
        let mut cache = Cache::new().unwrap();
        let words = Words::new(7, 0x5555_5555_0000);
        EPOCH.store(u32::MAX - 3, Relaxed);
        cache.insert(&words, 40_000, Dependence::default(), false);
        for _ in 0..8 {
            forget(0x7000);
            assert_eq!((cache.find(&words), cache.find_around(&words)), (None, Some(40_000)));
            assert_ne!(EPOCH.load(Relaxed), 0);
        }
    }
}
