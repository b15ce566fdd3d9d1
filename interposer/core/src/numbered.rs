//! What belongs to numbers from 0 on, in memory that grows and never moves: what is given out stays where it is.
//!
//! The first part holds as many as are usual, each further one as many as all before it. A part is taken when the first
//! number in it is.

use std::ptr::{NonNull, null_mut};

use traces::record::MAX_SIGNATURE;

use crate::memory;

/// Numbers in the first part.
const FIRST: u32 = 512;
/// Parts that it takes for the highest number of a signature.
const PARTS: usize = (MAX_SIGNATURE / FIRST).ilog2() as usize + 2;

/// See the module.
pub struct Numbered<T> {
    parts: [*mut T; PARTS],
}

impl<T: Copy> Numbered<T> {
    /// Nothing yet, `None` where memory ran out.
    pub fn new() -> Option<Numbered<T>> {
        let mut parts = [null_mut(); PARTS];
        parts[0] = memory::zeroed(FIRST as usize)?.as_ptr();
        Some(Numbered { parts })
    }

    /// Has the system give the memory of the first part.
    pub fn prepare(&self) {
        NonNull::new(self.parts[0]).into_iter().for_each(|first| memory::populate(first, FIRST as usize));
    }

    /// The place of a number that [`reach`](Self::reach) has reached.
    #[inline(always)]
    pub fn get(&self, number: u32) -> *mut T {
        match number < FIRST {
            // SAFETY: the first part is always there.
            true => unsafe { self.parts[0].add(number as usize) },
            false => self.behind_first(number),
        }
    }

    #[inline(never)]
    fn behind_first(&self, number: u32) -> *mut T {
        let (part, at) = place(number);
        // SAFETY: the part was taken, and it has this place.
        unsafe { self.parts.get_unchecked(part).add(at) }
    }

    /// The place of a number, which is all zeros at first. `None` where memory ran out.
    pub fn reach(&mut self, number: u32) -> Option<*mut T> {
        let (part, _) = place(number);
        let first = self.parts.get_mut(part)?;
        if first.is_null() {
            *first = memory::zeroed((FIRST as usize) << (part - 1))?.as_ptr();
        }
        Some(self.get(number))
    }

    /// The place of a number, if its part was taken.
    pub fn find(&self, number: u32) -> Option<*mut T> {
        let (part, _) = place(number);
        self.parts.get(part).filter(|first| !first.is_null()).map(|_| self.get(number))
    }
}

/// The part that a number is in, and its place there: part 0 holds those below FIRST, part n those below FIRST << n.
fn place(number: u32) -> (usize, usize) {
    let part = (u32::BITS - (number / FIRST).leading_zeros()) as usize;
    let before = if part == 0 { 0 } else { FIRST << (part - 1) };
    (part, (number - before) as usize)
}
