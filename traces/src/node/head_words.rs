//! The words of a node file that its processes write while others read them: the end of the file, and each process's own
//! head.
//!
//! In: those words. Out: where a member's bytes go.
//!
//! Each word is stored after everything that it announces: an extent's offset before a length that reaches into it, and
//! the first extent before the head's place in the table. Readers load them in the reverse order.

use std::mem::offset_of;
use std::sync::atomic::Ordering::*;

use super::{
    ALIGNMENT, EXTENTS, HEAD_BYTES, HEADER_BYTES, MemberHead, MemberName, extent_bytes, extent_of, extent_start,
};
use crate::orders::AtomicU64;

/// The words that a process writes.
#[derive(Clone, Copy)]
pub struct HeadWords<'a> {
    end: &'a AtomicU64,
    head: &'a [AtomicU64; WORDS],
}

const WORDS: usize = size_of::<MemberHead>() / size_of::<u64>();
const NAME: usize = offset_of!(MemberHead, name) / size_of::<u64>();
const USED: usize = offset_of!(MemberHead, used) / size_of::<u64>();
const PID: usize = offset_of!(MemberHead, pid) / size_of::<u64>();
const EXTENT: usize = offset_of!(MemberHead, extents) / size_of::<u64>();

impl<'a> HeadWords<'a> {
    /// Words of a [`MemberHead`], and [`NodeHeader::end`](super::NodeHeader::end), to which all processes add.
    pub fn new(end: &'a AtomicU64, head: &'a [AtomicU64]) -> Option<HeadWords<'a>> {
        Some(HeadWords { end, head: head.first_chunk()? })
    }

    /// Begins the head at an offset of the file, with the first extent behind it.
    pub fn begin(self, at: u64, process: u32) {
        self.head[PID].store(u64::from(process), Release);
        self.head[EXTENT].store(at + HEAD_BYTES, Release);
    }

    /// The offset in the file of an offset in the member; `None` if its extent is not claimed yet.
    pub fn place(self, offset: u64) -> Option<u64> {
        let extent = extent_of(offset);
        let begin = self.extent(extent)?.load(Acquire);
        (begin != 0).then(|| begin + (offset - extent_start(extent)))
    }

    /// Claims the extents up to the one of an offset. They rise in the file as in the member, so one thread at a time
    /// claims. `None` if the file cannot grow so far.
    pub fn claim_up_to(self, offset: u64) -> Option<()> {
        for extent in 0..=extent_of(offset) {
            let word = self.extent(extent)?;
            if word.load(Acquire) == 0 {
                word.store(claim(self.end, extent_bytes(extent))?, Release);
            }
        }
        Some(())
    }

    /// Says that the member's bytes up to here are in the file.
    pub fn reach(self, end: u64) {
        self.head[USED].fetch_max(end, Release);
    }

    /// The member's name, once it has one.
    pub fn name(self) -> Option<MemberName> {
        MemberName::from_word(self.head[NAME].load(Acquire))
    }

    pub fn rename(self, name: MemberName) {
        self.head[NAME].store(name.word(), Release);
    }

    fn extent(self, extent: usize) -> Option<&'a AtomicU64> {
        self.head.get(EXTENT + extent).filter(|_| extent < EXTENTS)
    }
}

/// Claims bytes at the end of the file. `None` if the header is damaged or the file would be too large.
pub fn claim(end: &AtomicU64, bytes: u64) -> Option<u64> {
    let at = end.fetch_add(bytes, Relaxed);
    let is_place = at >= HEADER_BYTES as u64 && at.is_multiple_of(ALIGNMENT);
    (is_place && at.checked_add(bytes)? <= i64::MAX as u64).then_some(at)
}
