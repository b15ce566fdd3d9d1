//! An array, indexed by numbers from 0 on, that grows without moving: pointers into it stay valid.
//!
//! It consists of parts. The first holds as many values as programs usually need, each further one as many as all
//! before it. A part is allocated when a number in it is first reached.

use std::ptr::{NonNull, null_mut};

use traces::record::MAX_SIGNATURE;

use crate::memory;

/// Numbers in the first part.
const FIRST: u32 = 512;
/// Parts needed for the highest number of a signature.
const PARTS: usize = (MAX_SIGNATURE / FIRST).ilog2() as usize + 2;

pub struct Numbered<T> {
    parts: [*mut T; PARTS],
}

impl<T: Copy> Numbered<T> {
    /// An array with its first part; `None` if memory ran out.
    pub fn new() -> Option<Numbered<T>> {
        let mut parts = [null_mut(); PARTS];
        parts[0] = memory::zeroed(FIRST as usize)?.as_ptr();
        Some(Numbered { parts })
    }

    pub fn prepare(&self) {
        if let Some(first) = NonNull::new(self.parts[0]) {
            memory::populate(first, FIRST as usize);
        }
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

    /// The place of a number, all zeros until it is written; `None` if memory ran out.
    pub fn reach(&mut self, number: u32) -> Option<*mut T> {
        let (part, _) = place(number);
        let first = self.parts.get_mut(part)?;
        if first.is_null() {
            *first = memory::zeroed((FIRST as usize) << (part - 1))?.as_ptr();
        }
        Some(self.get(number))
    }

    /// The place of a number, if its part is allocated.
    pub fn find(&self, number: u32) -> Option<*mut T> {
        let (part, _) = place(number);
        self.parts.get(part).filter(|first| !first.is_null()).map(|_| self.get(number))
    }
}

/// The part that a number is in, and its index there: part 0 ends below FIRST, part n below FIRST << n.
fn place(number: u32) -> (usize, usize) {
    let part = (u32::BITS - (number / FIRST).leading_zeros()) as usize;
    let before = if part == 0 { 0 } else { FIRST << (part - 1) };
    (part, (number - before) as usize)
}
