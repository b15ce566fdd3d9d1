//! Receives that cannot be placed in a queue yet, in the order they were posted.
//!
//! In: receives with wildcards, and those behind them that could take the same messages. Out: each of them once its queue is
//! known and no earlier one could have taken its message.
//!
//! Receives of one pattern leave in the order they came, so only the first of each pattern can block another or leave. Those
//! stand on shelves by source and tag, and a pattern looks at no more than four shelves, however many receives are held.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::posted_receive::{Envelope, Pattern, Post, Receival};

pub struct HeldPost {
    pub pattern: Pattern,
    /// Envelope of its queue, once that is known.
    pub envelope: Option<Envelope>,
    pub post: Post,
}

/// All receives of a rank that are held back, by ticket.
#[derive(Default)]
pub struct HeldReceives {
    posts: BTreeMap<u64, HeldPost>,
    tickets: u64,
    by_pattern: FxHashMap<Pattern, BTreeSet<u64>>,
    /// The first receive of each pattern, on every shelf that it belongs to.
    firsts: FxHashMap<Shelf, BTreeSet<u64>>,
}

/// One coordinate of a shelf: a source or a tag.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Label<T> {
    /// Receives that name this value.
    Exactly(T),
    /// Receives with a wildcard.
    Wildcard,
    /// Receives of either kind.
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Shelf {
    object: u32,
    partitioned: bool,
    source: Label<u32>,
    tag: Label<i32>,
}

impl HeldReceives {
    pub fn add(&mut self, pattern: Pattern, post: Post) -> u64 {
        self.tickets += 1;
        let ticket = self.tickets;
        self.posts.insert(ticket, HeldPost { pattern, envelope: pattern.envelope(), post });
        let alike = self.by_pattern.entry(pattern).or_default();
        alike.insert(ticket);
        if alike.len() == 1 {
            self.show(&pattern, ticket);
        }
        ticket
    }

    pub fn get(&self, ticket: u64) -> Option<&HeldPost> {
        self.posts.get(&ticket)
    }

    /// Records that a receive got its message, from the queue of `envelope` if that is known.
    pub fn finish(&mut self, ticket: u64, envelope: Option<Envelope>, got: Receival) {
        if let Some(held) = self.posts.get_mut(&ticket) {
            held.post.finish(got);
            held.envelope = held.envelope.or(envelope);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &HeldPost> {
        self.posts.values()
    }

    /// True if a held receive could take a message that the new pattern matches.
    pub fn blocks(&self, pattern: &Pattern) -> bool {
        self.first_alike(pattern).is_some()
    }

    /// Takes out the first of the `freed` receives that nothing blocks and whose queue is known; adds those it blocked to
    /// `freed`.
    pub fn take_free(&mut self, freed: &mut BTreeSet<u64>) -> Option<(u64, Envelope, Post)> {
        while let Some(ticket) = freed.pop_first() {
            let Some(held) = self.posts.get(&ticket) else { continue };
            if let Some(envelope) = held.envelope
                && self.first_alike(&held.pattern) == Some(ticket)
            {
                let held = self.take_out(ticket, freed)?;
                return Some((ticket, envelope, held.post));
            }
        }
        None
    }

    /// Removes a receive. Adds to `freed` the receives that may leave now: if it was the first of its pattern, the firsts of other
    /// patterns may have waited for it alone.
    pub fn take_out(&mut self, ticket: u64, freed: &mut BTreeSet<u64>) -> Option<HeldPost> {
        let held = self.posts.remove(&ticket)?;
        let alike = self.by_pattern.get_mut(&held.pattern)?;
        let was_first = alike.first() == Some(&ticket);
        alike.remove(&ticket);
        let next = alike.first().copied();
        if next.is_none() {
            self.by_pattern.remove(&held.pattern);
        }
        if was_first {
            self.hide(&held.pattern, ticket);
            if let Some(next) = next {
                self.show(&held.pattern, next);
            }
            // The next receive of the same pattern blocks all that come behind it.
            let last = next.unwrap_or(u64::MAX);
            for shelf in overlapping(&held.pattern).iter().filter_map(|shelf| self.firsts.get(shelf)) {
                freed.extend(shelf.range(ticket..=last));
            }
        }
        Some(held)
    }

    /// The earliest receive that could take the same message as one of this pattern.
    fn first_alike(&self, pattern: &Pattern) -> Option<u64> {
        // Most ranks hold nothing back.
        if self.posts.is_empty() {
            return None;
        }
        let shelves = overlapping(pattern).into_iter().filter_map(|shelf| self.firsts.get(&shelf));
        shelves.filter_map(|shelf| shelf.first().copied()).min()
    }

    /// Puts the first receive of a pattern on its shelves.
    fn show(&mut self, pattern: &Pattern, ticket: u64) {
        for shelf in shelves_of(pattern) {
            self.firsts.entry(shelf).or_default().insert(ticket);
        }
    }

    fn hide(&mut self, pattern: &Pattern, ticket: u64) {
        for shelf in shelves_of(pattern) {
            if let Some(firsts) = self.firsts.get_mut(&shelf) {
                firsts.remove(&ticket);
                if firsts.is_empty() {
                    self.firsts.remove(&shelf);
                }
            }
        }
    }
}

fn shelves_of(pattern: &Pattern) -> Vec<Shelf> {
    let source = pattern.source.map_or(Label::Wildcard, Label::Exactly);
    let tag = pattern.tag.map_or(Label::Wildcard, Label::Exactly);
    shelves(pattern, &[source, Label::All], &[tag, Label::All])
}

/// The shelves of the receives that could take the same message.
fn overlapping(pattern: &Pattern) -> Vec<Shelf> {
    let sources = match pattern.source {
        Some(source) => &[Label::Exactly(source), Label::Wildcard][..],
        None => &[Label::All],
    };
    let tags = match pattern.tag {
        Some(tag) => &[Label::Exactly(tag), Label::Wildcard][..],
        None => &[Label::All],
    };
    shelves(pattern, sources, tags)
}

fn shelves(pattern: &Pattern, sources: &[Label<u32>], tags: &[Label<i32>]) -> Vec<Shelf> {
    let Pattern { object, partitioned, .. } = *pattern;
    let on = |source: Label<u32>| tags.iter().map(move |tag| Shelf { object, partitioned, source, tag: *tag });
    sources.iter().flat_map(|source| on(*source)).collect()
}
