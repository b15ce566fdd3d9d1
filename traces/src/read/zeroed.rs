//! Finds zeros where something was written: when a machine goes down, file systems leave pieces of 4 KiB of them.
//!
//! A page is filled from its begin on, and its thread takes another one only when the next item does not fit. So zeros are
//! lost data if more follows in the page, or if a later page was begun; else they are free space.

use std::collections::BTreeMap;

use crate::error::{Damage, Held};
use crate::file::PageKind;
use crate::live::{LiveWords, see_published};

/// The zeros that a crash leaves begin at multiples of this many bytes.
pub const PIECE: u64 = 4096;
/// Words of the longest item that is published by its first word, and may have been half written.
const LONGEST: usize = 16;

/// A page of items that are never changed, as far as it can be read.
pub(super) struct ReadPage<'a> {
    pub held: Held,
    pub sequence: u32,
    /// The offset of the body in the file.
    pub at: u64,
    pub body: LiveWords<'a>,
    /// The items that are there, and their words.
    pub items: usize,
    pub used: usize,
    /// Words of its first item.
    pub first: usize,
}

/// Zeros from a word on where something was written, up to this word.
///
/// `unit` is the number of words of which pages have multiples: a page is left with less room than that.
pub(super) fn lost_at(body: LiveWords<'_>, at: usize, unit: usize, is_left: bool) -> Option<usize> {
    let rest = body.from(at);
    let zeros = zeros(rest);
    if is_left {
        return (rest.len() >= unit && zeros > 0).then_some(at + zeros);
    }
    let is_followed = zeros < rest.len() && zeros + LONGEST >= unit;
    see_published();
    // A running program may have written on meanwhile.
    (is_followed && rest.get(0) == Some(0)).then_some(at + zeros)
}

fn zeros(words: LiveWords<'_>) -> usize {
    (0..words.len()).find(|at| words.get(*at) != Some(0)).unwrap_or(words.len())
}

/// The damage in pages of items, and pages that are missing among them.
pub(super) fn damage(pages: &[ReadPage<'_>], unit: usize) -> Vec<Damage> {
    let mut series: BTreeMap<(u32, u32), BTreeMap<u32, &ReadPage<'_>>> = BTreeMap::new();
    for page in pages {
        series.entry(key(page.held)).or_default().insert(page.sequence, page);
    }
    let mut damage = Vec::new();
    for pages in series.values() {
        let sequences = pages.keys().copied();
        damage.extend(pages.values().next().and_then(|first| missing(first.held, 0, sequences)));
        for page in pages.values() {
            let next = page.sequence.checked_add(1).and_then(|next| pages.get(&next).copied());
            damage.extend(page.lost(next, unit));
        }
    }
    damage
}

/// The pages that are missing from `first` to the last of these.
pub(super) fn missing(held: Held, first: u32, sequences: impl Iterator<Item = u32>) -> Option<Damage> {
    let (count, end) = sequences
        .fold((0u32, first), |(count, end), sequence| (count.saturating_add(1), end.max(sequence.saturating_add(1))));
    let pages = (end - first).saturating_sub(count);
    (pages > 0).then_some(Damage::NoPages { held, pages })
}

/// Numbers of items, by kind and thread.
pub(super) struct ItemCounts(BTreeMap<(u32, u32), u64>);

impl ItemCounts {
    pub fn of(pages: &[ReadPage<'_>]) -> ItemCounts {
        let mut counts = BTreeMap::new();
        for page in pages {
            *counts.entry(key(page.held)).or_default() += page.items as u64;
        }
        ItemCounts(counts)
    }

    /// The damage if `written` items were written and not all of them are there.
    pub fn fewer(&self, held: Held, written: u64) -> Option<Damage> {
        let there = self.0.get(&key(held)).copied().unwrap_or(0);
        (there < written).then_some(Damage::Fewer { held, there, written })
    }
}

fn key(held: Held) -> (u32, u32) {
    (held.kind as u32, held.thread)
}

impl ReadPage<'_> {
    fn lost(&self, next: Option<&ReadPage<'_>>, unit: usize) -> Option<Damage> {
        // A definition is of any length, and may not have fit.
        let has_room = |next: &ReadPage<'_>| self.body.len() - self.used.min(self.body.len()) >= next.first;
        let is_left = next.is_some_and(|next| self.held.kind != PageKind::Definitions || has_room(next));
        let end = lost_at(self.body, self.used, unit, is_left)?;
        Some(zeros_damage(self.held, self.at, self.body, (self.used, end)))
    }
}

/// The damage of zeros in a page whose body begins at an offset: from a word to another.
pub(super) fn zeros_damage(held: Held, at: u64, body: LiveWords<'_>, (from, end): (usize, usize)) -> Damage {
    let offset = |word: usize| at + (word * size_of::<u64>()) as u64;
    Damage::Zeros { held, from: offset(from), zeros_end: offset(end), until: offset(body.len()) }
}
