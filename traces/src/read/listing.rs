//! Lists the pages of a file: reads their headers, the definitions and the signatures, and finds what is missing.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::RankFile;
use super::holes::Holes;
use super::page_items::{HEADER, WORD, definition_at, entries, entries_of, page_begun, signatures_of};
use super::pages::{Contents, EventPage, PageEnd, ThreadPages};
use super::zeroed::{self, ItemCounts, ReadPage};
use crate::definitions::Definition;
use crate::dropped::Dropped;
use crate::error::{Damage, Held};
use crate::file::{DEFINED, FIRST_PAGE, PageHeader, PageKind, ProfileEntry, SHARED_ENTRIES, SHARED_TOTALS, Stop};
use crate::live::{LiveBlock, LiveWords, see_published};
use crate::signature::Signature;

/// Attempts to list the pages of a file that is being written.
const TRIES: usize = 5;

pub(super) fn contents(trace: &RankFile) -> Contents<'_> {
    let mut contents = contents_once(trace);
    for _ in 1..TRIES {
        if contents.damage.is_empty() {
            break;
        }
        // A page may have begun behind the place that was looked at, before a later one that was found.
        let again = contents_once(trace);
        let is_still = again.damage == contents.damage;
        contents = again;
        if is_still {
            break;
        }
    }
    contents
}

fn contents_once(trace: &RankFile) -> Contents<'_> {
    let (words, bytes, unit) = (trace.words(), trace.bytes, trace.header.unit as usize);
    let mut contents = Contents { shared: shared(words), ..Contents::default() };
    // Read before what it counts.
    let defined = words.published(DEFINED / WORD).unwrap_or(0);
    let (mut threads, mut of_items) = (BTreeMap::new(), Vec::new());
    let mut holes = Holes::of(trace);
    let mut at = FIRST_PAGE;
    let mut lost = false;
    while at < bytes {
        let rest = words.from(at / WORD);
        if rest.len() < HEADER {
            contents.damage.push(Damage::Cut { page: at as u64, claimed: unit as u64, left: (bytes - at) as u64 });
            break;
        }
        let Some((kind, header)) = page_begun(rest) else {
            let is_empty = is_reserved(rest.until(unit / WORD));
            if !lost && !is_empty {
                contents.damage.push(Damage::NoPage { at: at as u64 });
                lost = true;
            }
            at = if is_empty { holes.behind(at) } else { at + unit };
            continue;
        };
        lost = false;
        if header.sample.ticks > contents.newest.ticks {
            contents.newest = header.sample;
        }
        let claimed = header.units as usize * unit;
        let left = bytes - at;
        if left < claimed {
            contents.damage.push(Damage::Cut { page: at as u64, claimed: claimed as u64, left: left as u64 });
        }
        let body = rest.until(claimed / WORD).from(HEADER);
        let used = match kind {
            PageKind::Definitions => Some(definitions(body, at as u64, &mut contents)),
            PageKind::Signatures => Some(items::<Signature>(signatures_of(body, 0).count())),
            PageKind::Profile => {
                let profile = &mut thread_of(&mut threads, header.thread).profile;
                let before = profile.len();
                profile.extend(entries_of(body));
                Some(items::<ProfileEntry>(profile.len() - before))
            }
            PageKind::Free => None,
            PageKind::Thread | PageKind::Events | PageKind::Dropped => {
                add(thread_of(&mut threads, header.thread), kind, (header, body), (at as u64, &trace.decoded));
                None
            }
        };
        if let Some((items, used)) = used {
            let number = if kind == PageKind::Definitions { 0 } else { header.thread };
            let held = Held { kind, thread: number };
            let first = match definition_at(body, 0) {
                Some(Ok((_, words))) if kind == PageKind::Definitions => words,
                _ => 0,
            };
            of_items.push(ReadPage {
                held,
                sequence: header.sequence,
                at: body_at(at as u64),
                body,
                items,
                used,
                first,
            });
        }
        at += claimed;
    }
    if let Some(layout) = trace.layout.as_ref().filter(|layout| layout.bytes() < layout.used) {
        contents.damage.push(Damage::CutMember { claimed: layout.used, there: layout.bytes() });
    }
    // A signature owns two numbers at most.
    let most = 2 * ((bytes - holes.passed) / size_of::<Signature>());
    for page in of_items.iter().filter(|page| page.held.kind == PageKind::Signatures) {
        let thread = thread_of(&mut threads, page.held.thread);
        for signature in signatures_of(page.body, 0) {
            thread.signatures.insert(signature, most);
        }
    }
    let unit = unit / WORD;
    if trace.header.threads > 0 && trace.is_empty() {
        contents.damage.push(Damage::NoPagesAtAll { threads: trace.header.threads });
    }
    contents.damage.extend(zeroed::damage(&of_items, unit));
    let counts = ItemCounts::of(&of_items);
    contents.damage.extend(counts.fewer(Held { kind: PageKind::Definitions, thread: 0 }, defined));
    contents.threads = threads.into_values().collect();
    for thread in &mut contents.threads {
        thread.pages.sort_by_key(|page| page.sequence);
        // The recorder writes that a page is dropped before it reuses the page.
        let first = thread.dropped.map_or(0, |dropped| dropped.pages);
        thread.pages.retain(|page| page.sequence >= first);
        thread.know_ends(unit);
        let held = Held { kind: PageKind::Events, thread: thread.number };
        let sequences = thread.pages.iter().map(|page| page.sequence);
        contents.damage.extend(zeroed::missing(held, first, sequences));
        for (kind, written) in [PageKind::Signatures, PageKind::Profile].into_iter().zip(thread.written) {
            contents.damage.extend(counts.fewer(Held { kind, thread: thread.number }, written));
        }
        // Where the recorder had no more room for a block, its thread has no records.
        let may_have_none = trace.header.stop != Stop::No as u32 && thread.pages.is_empty();
        if thread.block.is_none() && !may_have_none {
            contents.damage.push(Damage::NoBlock { thread: thread.number });
        }
    }
    contents
}

fn thread_of<'a, 'b>(threads: &'b mut BTreeMap<u32, ThreadPages<'a>>, number: u32) -> &'b mut ThreadPages<'a> {
    let thread = threads.entry(number).or_default();
    thread.number = number;
    thread
}

/// The offset of a page's body.
fn body_at(page: u64) -> u64 {
    page + size_of::<PageHeader>() as u64
}

/// A number of items, and their words.
const fn items<T>(count: usize) -> (usize, usize) {
    (count, count * (size_of::<T>() / WORD))
}

/// True for a unit of a page that is reserved but not begun: zeros, or a header without a kind before zeros.
fn is_reserved(unit: LiveWords<'_>) -> bool {
    unit.get(0).is_some_and(|first| first as u32 == 0) && (unit.from(HEADER).are_zero())
}

fn add<'a>(
    thread: &mut ThreadPages<'a>,
    kind: PageKind,
    (header, words): (&'a PageHeader, LiveWords<'a>),
    (at, decoded): (u64, &'a AtomicU64),
) {
    match kind {
        PageKind::Thread => {
            thread.block = LiveBlock::at(words);
            thread.written = thread
                .block
                .map_or([0; 2], |block| [&block.signatures, &block.totals].map(|count| count.load(Relaxed)));
            see_published();
        }
        PageKind::Events => thread.pages.push(EventPage {
            thread: header.thread,
            sequence: header.sequence,
            header,
            base: header.base,
            requests: header.requests,
            words,
            at: body_at(at),
            end: PageEnd::Unknown,
            decoded,
        }),
        PageKind::Dropped => {
            let newer = thread.dropped_as_of < header.requests;
            if let Some(dropped) = Dropped::read(header, words).filter(|_| newer) {
                (thread.dropped, thread.dropped_as_of) = (Some(dropped), header.requests);
            }
        }
        PageKind::Signatures | PageKind::Profile | PageKind::Definitions | PageKind::Free => {}
    }
}

fn shared(words: LiveWords<'_>) -> Vec<ProfileEntry> {
    let room = words.from(SHARED_TOTALS / WORD).until(SHARED_ENTRIES * size_of::<ProfileEntry>() / WORD);
    // Threads publish their entries in any order, so free ones may lie between.
    entries(room).flatten().collect()
}

/// Adds a page's definitions. Returns how many there are, and their words.
fn definitions(body: LiveWords<'_>, page: u64, contents: &mut Contents<'_>) -> (usize, usize) {
    let (mut count, mut at) = (0, 0);
    while let Some(found) = definition_at(body, at) {
        let (bytes, next) = match found {
            Ok(found) => found,
            Err(bytes) => {
                contents.damage.push(Damage::NoDefinition { page, bytes });
                break;
            }
        };
        match Definition::from_bytes(bytes) {
            Some(definition) => contents.definitions.push(definition),
            None if Definition::is_later(bytes) => {}
            None => contents.damage.push(Damage::NoDefinition { page, bytes: bytes.len() as u32 }),
        }
        (count, at) = (count + 1, next);
    }
    (count, at)
}
