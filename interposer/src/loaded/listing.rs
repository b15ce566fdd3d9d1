//! The loaded objects that may be touched: those that the loader has relocated, while it unmaps none.
//!
//! The loader lists an object before it relocates it, and no function says when it is done. But it loads one library
//! with all that this needs after another, each at the end of the list. So what stands before an object that is known
//! to be relocated is relocated, too. An object is known to be if it was there at the start, if the program has it from
//! `dlopen` and passes its handle to `dlsym`, or if code in it calls us; and with it what it needs.
//!
//! Objects have numbers, which rise along the list. When the list has changed, the last objects, as many as were added
//! since, may be new, though one with the same name may have been at the same place before: they get new numbers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, TryLockError};

use super::LoadedObject;
use crate::forks::Visit;
use crate::pause::pause;
use crate::program_headers;

/// The list as of the last look. Whoever has its lock may patch: one thread at a time.
static LISTING: Mutex<Listing> =
    Mutex::new(Listing { objects: Vec::new(), changes: (0, 0), numbered: 0, relocated: 0 });
/// Set if some thread could not get the lock.
static PUT_OFF: AtomicBool = AtomicBool::new(false);
/// Objects at the begin of the list that are never unloaded.
static AT_START: AtomicUsize = AtomicUsize::new(0);
/// Attempts to get the lock. Its owner may wait for the list's lock, which this thread may hold.
const TRIES: u32 = 200;

struct Listing {
    objects: Vec<LoadedObject>,
    changes: (u64, u64),
    /// The last number that was given, and that of the last object that is known to be relocated.
    numbered: u64,
    relocated: u64,
}

/// The objects that may be touched.
pub struct Settled<'a> {
    listing: &'a Listing,
    objects: &'a [LoadedObject],
}

/// Does `work` with the objects that may be touched. `proofs` are addresses in objects that are known to be relocated,
/// or 0. `None` if another thread is at it: then [`is_put_off`] is true, and somebody calls again.
pub fn with_settled<R>(proofs: &[usize], work: impl FnOnce(&Settled) -> R) -> Option<R> {
    let result = with_looked(|listing| {
        for proof in proofs {
            listing.settle(*proof);
        }
        let listing = &*listing;
        let known = listing.objects.partition_point(|object| object.number <= listing.relocated);
        work(&Settled { listing, objects: listing.objects.get(..known).unwrap_or_default() })
    });
    if result.is_none() {
        PUT_OFF.store(true, Relaxed);
    }
    result
}

/// True, once, if somebody could not patch.
pub fn is_put_off() -> bool {
    PUT_OFF.load(Relaxed) && PUT_OFF.swap(false, Relaxed)
}

/// Takes the objects that are there when the program starts as relocated.
pub fn begin() {
    with_looked(|listing| {
        listing.relocated = listing.numbered;
        let needed = with_needed(&listing.objects, 0);
        AT_START.store(needed.into_iter().max().map_or(0, |last| last + 1), Relaxed);
    });
}

/// Looks at the list, so that less of it may be new at the next look.
#[cfg(not(feature = "archive"))]
pub fn look() {
    with_settled(&[], |_| ());
}

/// Looks at the list, and does `work` while the loader changes nothing. `None` if another thread is at it.
fn with_looked<R>(work: impl FnOnce(&mut Listing) -> R) -> Option<R> {
    // Begins before the lock is taken: a child that is forked in between would have it locked for good.
    let _visit = Visit::begin();
    let mut listing = lock_soon()?;
    program_headers::hold(|| {
        listing.look();
        work(&mut listing)
    })
}

fn lock_soon() -> Option<MutexGuard<'static, Listing>> {
    for _ in 0..TRIES {
        match LISTING.try_lock() {
            Ok(listing) => return Some(listing),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => pause(),
        }
    }
    None
}

impl Settled<'_> {
    /// The objects that may be touched, in the loader's order.
    pub fn objects(&self) -> &[LoadedObject] {
        self.objects
    }

    /// The objects with a higher number.
    pub fn after(&self, number: u64) -> &[LoadedObject] {
        let first = self.objects.partition_point(|object| object.number <= number);
        self.objects.get(first..).unwrap_or_default()
    }

    /// The highest number among them.
    pub fn last(&self) -> u64 {
        self.objects.last().map_or(0, |object| object.number)
    }

    /// The objects that were there at the start, in the order in which the loader searches them.
    pub fn at_start(&self) -> &[LoadedObject] {
        at_start(self.objects)
    }

    /// True if the object with this number is still loaded.
    pub fn has(&self, number: u64) -> bool {
        self.listing.objects.binary_search_by_key(&number, |object| object.number).is_ok()
    }
}

/// All listed objects, even those that are being loaded or unloaded. To be used while the loader is
/// [held](program_headers::hold).
pub fn list() -> Vec<LoadedObject> {
    let mut objects = Vec::new();
    program_headers::find(|headers| {
        objects.extend(LoadedObject::from_headers(headers));
        None::<()>
    });
    objects
}

/// The objects of a list that are never unloaded.
pub fn at_start(objects: &[LoadedObject]) -> &[LoadedObject] {
    objects.get(..AT_START.load(Relaxed)).unwrap_or(objects)
}

/// The places in the list of an object and of all that it needs, in the order in which the loader searches them.
pub fn with_needed(objects: &[LoadedObject], object: usize) -> Vec<usize> {
    let (mut found, mut next) = (vec![object], 0);
    while let Some(object) = found.get(next).and_then(|place| objects.get(*place)) {
        for name in object.needed() {
            // The loader takes the first one of the name that it had listed, too.
            let place = objects.iter().position(|other| other.is_named(name));
            found.extend(place.filter(|place| !found.contains(place)));
        }
        next += 1;
    }
    found
}

impl Listing {
    fn look(&mut self) {
        let changes = super::changes();
        if changes == self.changes {
            return;
        }
        let mut now = list();
        let added = usize::try_from(changes.0 - self.changes.0).unwrap_or(usize::MAX);
        let old = now.len().saturating_sub(added).max(AT_START.load(Relaxed));
        let mut before = self.objects.iter();
        for (place, object) in now.iter_mut().enumerate() {
            let known = if place < old { before.find(|known| known.is_at_place_of(object)) } else { None };
            (object.number, object.is_settled) = match known {
                Some(known) => (known.number, known.is_settled),
                None => {
                    self.numbered += 1;
                    (self.numbered, false)
                }
            };
        }
        (self.objects, self.changes) = (now, changes);
    }

    /// Takes the object around an address, and all that it needs, as relocated.
    fn settle(&mut self, proof: usize) {
        let around = self.objects.iter().position(|object| !object.is_settled && object.range.contains(&proof));
        let Some(place) = around else { return };
        let needed = with_needed(&self.objects, place);
        let numbers = needed.into_iter().filter_map(|place| Some(self.objects.get(place)?.number));
        self.relocated = numbers.fold(self.relocated, u64::max);
        if let Some(object) = self.objects.get_mut(place) {
            object.is_settled = true;
        }
    }
}
