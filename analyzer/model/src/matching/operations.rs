//! Sums up collective operations as a whole, from the first rank's begin to the last rank's completion.
//!
//! In: each rank's begin and end of its part, in any order. Out: an [`OperationSum`] for each place and size. An operation is
//! known by its object and ordinal, as in [`super::collectives`]; it is over when all ranks with files here have ended their
//! parts.

use std::sync::Mutex;

use rustc_hash::FxHashMap;

use super::Follow;
use super::collectives::Ordinal;
use super::wait_sums::RankSite;
use crate::batches::Batches;
use crate::common_clock::CommonClock;
use crate::objects::Objects;
use crate::parallel::{into_inner, lock};
use crate::roles::SpottedSite;
use crate::sample::Sample;
use crate::sums::{Grow, Total};

/// One rank's part in an operation. Times in nanoseconds on the run's common clock.
#[derive(Clone, Copy, Debug)]
pub struct OperationPart {
    pub at: RankSite,
    pub function: u16,
    pub root: bool,
    /// Bytes sent or received, whichever is more.
    pub bytes: u64,
    pub begin: i64,
    /// Time of completion, if known.
    pub end: Option<i64>,
    /// Time between the end of this call and the begin of the rank's next one.
    pub behind: i64,
}

/// A rank's part in an operation, with the operation it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct JoinedOperation {
    /// The run's number for the communicator.
    pub object: u32,
    /// The number of operations before it on the communicator; for a persistent one, also its earlier starts.
    pub ordinal: Ordinal,
    pub part: OperationPart,
    /// Begin of the first rank that has its file here.
    pub first: i64,
}

/// Attributes by which operations are summed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OperationKey {
    pub function: u16,
    /// The run's number for the communicator.
    pub object: u32,
    pub place: SpottedSite,
    /// The root's rank in the communicator.
    pub root: Option<u32>,
    /// Largest number of bytes of any rank.
    pub bytes: u64,
}

/// A time between events on two ranks, and its maximum error. Nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct TimeSpan {
    pub time: u64,
    pub error: u64,
}

/// Times that take the clocks of all ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct OperationSpans {
    /// From the first begin to the last end.
    pub whole: TimeSpan,
    /// From the first begin to the last.
    pub skew: TimeSpan,
    /// From the last begin to the last end.
    pub after: TimeSpan,
    /// From the first begin to the root's.
    pub root_late: Option<TimeSpan>,
}

/// Times of one operation, over its selected ranks. Nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct OperationTimes {
    /// None if a rank's file is missing.
    pub spans: Option<OperationSpans>,
    /// The ranks' times in the call.
    pub least: u64,
    pub mean: u64,
    pub median: u64,
    pub most: u64,
    /// Median time between the end of a rank's call and its next one.
    pub behind: u64,
    /// Time of the root in the call.
    pub root: Option<u64>,
    /// Median time of the other ranks.
    pub others: Option<u64>,
}

/// Operations with the same key.
#[derive(Clone, Default, Debug)]
pub struct OperationSum {
    pub operations: u64,
    /// Operations with a rank whose file is missing.
    pub lacking: u64,
    /// Sum of first begin to last end, nanoseconds.
    pub total: u64,
    pub times: Sample<OperationTimes>,
    /// Batch means over all operations: first begin to last end; mean time of a rank; mean time between its call and the next.
    pub means: Batches<3>,
    /// Batch means of each rank: time in the call, and time until its next one.
    pub by_rank: FxHashMap<u32, Batches<2>>,
}

/// Largest operation, in ranks, for which means of each rank are kept.
const MOST_RANKS: usize = 64;

#[derive(Default)]
pub struct OperationSums {
    pub sums: FxHashMap<OperationKey, OperationSum>,
    /// Name and size of each communicator, by number.
    pub objects: Vec<(String, u64)>,
    /// Operations that some rank with a file here did not begin or did not complete.
    pub unfinished: u64,
}

#[derive(Default)]
struct OfObject {
    open: FxHashMap<Ordinal, OpenOperation>,
    /// Ordinal of the first call where ranks called different functions.
    confused: Option<u64>,
}

#[derive(Default)]
struct OpenOperation {
    parts: Vec<OperationPart>,
    ended: u64,
}

/// Operations of a run while its calls are read.
pub struct Operations<'a> {
    objects: &'a Objects,
    common_clock: &'a CommonClock,
    follow: Follow,
    open: Vec<Mutex<OfObject>>,
    sums: Mutex<FxHashMap<OperationKey, OperationSum>>,
    /// Parts by rank, filled if [`Follow::JOINED`] is set.
    joined: Vec<Mutex<Vec<JoinedOperation>>>,
}

impl<'a> Operations<'a> {
    pub fn new(objects: &'a Objects, common_clock: &'a CommonClock, follow: Follow) -> Operations<'a> {
        let open = objects.groups.iter().map(|_| Mutex::default()).collect();
        let joined = common_clock.lines.iter().map(|_| Mutex::default()).collect();
        Operations { objects, common_clock, follow, open, sums: Mutex::default(), joined }
    }

    pub fn begin(&self, object: u32, ordinal: Ordinal, part: OperationPart) {
        let mut of_object = lock(&self.open[object as usize]);
        if of_object.confused.is_some_and(|from| ordinal.0 >= from) {
            return;
        }
        let operation = of_object.open.entry(ordinal).or_default();
        if operation.parts.first().is_some_and(|first| first.function != part.function) {
            of_object.confused = Some(ordinal.0);
            of_object.open.retain(|other, _| other.0 <= ordinal.0);
            return;
        }
        operation.parts.push(part);
        operation.ended += u64::from(part.end.is_some());
        self.close(object, ordinal, &mut of_object);
    }

    pub fn end(&self, object: u32, ordinal: Ordinal, rank: u32, end: i64) {
        let mut of_object = lock(&self.open[object as usize]);
        let Some(operation) = of_object.open.get_mut(&ordinal) else { return };
        let is_meant = |part: &&mut OperationPart| part.at.rank == rank && part.end.is_none();
        let Some(part) = operation.parts.iter_mut().find(is_meant) else { return };
        part.end = Some(end);
        operation.ended += 1;
        self.close(object, ordinal, &mut of_object);
    }

    fn close(&self, object: u32, ordinal: Ordinal, of_object: &mut OfObject) {
        let here = self.objects.groups[object as usize].number_here();
        if of_object.open.get(&ordinal).is_none_or(|operation| operation.ended < here) {
            return;
        }
        let Some(operation) = of_object.open.remove(&ordinal) else { return };
        self.keep(object, ordinal, &operation.parts);
        if !self.follow.contains(Follow::OPERATIONS) || !operation.parts.iter().any(|part| part.at.place.counts()) {
            return;
        }
        let Some(key) = self.key(object, &operation.parts) else { return };
        let times = self.times(object, &operation.parts);
        let mut sums = lock(&self.sums);
        let sum = sums.entry(key).or_default();
        sum.operations += 1;
        sum.lacking += u64::from(times.spans.is_none());
        sum.total.grow(times.spans.map_or(0, |spans| spans.whole.time));
        // Operations end in a different order in each analysis, so the sample is chosen by ordinal.
        sum.times.add_as(ordinal.0.wrapping_mul(0x1_0000_0001).wrapping_add(ordinal.1), times);
        // A persistent operation keeps its place among the others; its starts tell the operations apart.
        sum.add_to_means(ordinal.0.max(ordinal.1), &operation.parts, &times);
    }

    /// Keeps each rank's part if [`Follow::JOINED`] is set.
    fn keep(&self, object: u32, ordinal: Ordinal, parts: &[OperationPart]) {
        let Some(first) = parts.iter().map(|part| part.begin).min().filter(|_| self.follow.contains(Follow::JOINED))
        else {
            return;
        };
        for part in parts.iter().filter(|part| part.at.place.counts()) {
            lock(&self.joined[part.at.rank as usize]).push(JoinedOperation { object, ordinal, part: *part, first });
        }
    }

    fn key(&self, object: u32, parts: &[OperationPart]) -> Option<OperationKey> {
        let own = |part: &OperationPart| self.objects.groups[object as usize].own(part.at.rank as usize);
        let first = parts.iter().min_by_key(|part| part.at.rank)?;
        Some(OperationKey {
            function: first.function,
            object,
            place: first.at.place.anyway(),
            root: parts.iter().find(|part| part.root).and_then(own),
            bytes: parts.iter().map(|part| part.bytes).max()?,
        })
    }

    fn times(&self, object: u32, parts: &[OperationPart]) -> OperationTimes {
        let asked = || parts.iter().filter(|part| part.at.place.counts());
        let mut taken: Vec<u64> = asked().map(OperationPart::time).collect();
        let mut others: Vec<u64> = asked().filter(|part| !part.root).map(OperationPart::time).collect();
        let root = asked().find(|part| part.root).map(OperationPart::time);
        let has_root = parts.iter().any(|part| part.root);
        taken.sort_unstable();
        others.sort_unstable();
        let mut behind: Vec<u64> = asked().map(OperationPart::until_next).collect();
        behind.sort_unstable();
        let mean = taken.iter().map(|time| u128::from(*time)).sum::<u128>() / taken.len().max(1) as u128;
        let edge = |time: Option<&u64>| time.copied().unwrap_or(0);
        OperationTimes {
            spans: self.objects.groups[object as usize].is_here().then(|| self.spans(parts)).flatten(),
            least: edge(taken.first()),
            mean: mean as u64,
            median: middle(&taken).unwrap_or(0),
            most: edge(taken.last()),
            behind: middle(&behind).unwrap_or(0),
            root,
            others: middle(&others).filter(|_| has_root),
        }
    }

    fn spans(&self, parts: &[OperationPart]) -> Option<OperationSpans> {
        let begin = |part: &OperationPart| (part.begin, part.at.rank);
        let first = parts.iter().map(begin).min()?;
        let last = parts.iter().map(begin).max()?;
        let end = parts.iter().filter_map(|part| Some((part.end?, part.at.rank))).max()?;
        Some(OperationSpans {
            whole: self.span(first, end),
            skew: self.span(first, last),
            after: self.span(last, end),
            root_late: parts.iter().find(|part| part.root).map(|root| self.span(first, begin(root))),
        })
    }

    fn span(&self, from: (i64, u32), to: (i64, u32)) -> TimeSpan {
        let error = self.common_clock.error_between(from.1, to.1, from.0);
        TimeSpan { time: (to.0 - from.0).max(0) as u64, error: error.max(0) as u64 }
    }

    /// Returns the sums once all calls of all ranks were seen.
    pub fn finish(mut self) -> (OperationSums, Vec<Vec<JoinedOperation>>) {
        let counts = |operation: &OpenOperation| operation.parts.iter().any(|part| part.at.place.counts());
        let mut unfinished = 0;
        for (object, of_object) in std::mem::take(&mut self.open).into_iter().enumerate() {
            for (ordinal, operation) in into_inner(of_object).open {
                unfinished += u64::from(counts(&operation));
                self.keep(object as u32, ordinal, &operation.parts);
            }
        }
        let objects = self.objects.groups.iter().map(|group| (group.name.clone(), group.size())).collect();
        let joined = self.joined.into_iter().map(into_inner).collect();
        (OperationSums { sums: into_inner(self.sums), objects, unfinished }, joined)
    }
}

impl OperationSum {
    fn add_to_means(&mut self, number: u64, parts: &[OperationPart], times: &OperationTimes) {
        let asked = || parts.iter().filter(|part| part.at.place.counts());
        let behind = asked().map(OperationPart::until_next).total() / (asked().count() as u64).max(1);
        let whole = times.spans.map_or(0, |spans| spans.whole.time);
        self.means.add(number, [whole, times.mean, behind]);
        if parts.len() <= MOST_RANKS {
            for part in asked() {
                let own = self.by_rank.entry(part.at.rank).or_default();
                own.add(number, [part.time(), part.until_next()]);
            }
        }
    }

    pub fn merge(&mut self, other: &OperationSum) {
        self.operations.grow(other.operations);
        self.lacking.grow(other.lacking);
        self.total.grow(other.total);
        self.times.merge(&other.times);
        self.means.merge(&other.means);
        for (rank, batches) in &other.by_rank {
            self.by_rank.entry(*rank).or_default().merge(batches);
        }
    }
}

impl OperationPart {
    fn until_next(&self) -> u64 {
        self.behind.max(0) as u64
    }

    fn time(&self) -> u64 {
        self.end.map_or(0, |end| (end - self.begin).max(0) as u64)
    }
}

/// Median of sorted values.
fn middle(sorted: &[u64]) -> Option<u64> {
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[half]),
        _ => Some(sorted[half - 1].midpoint(sorted[half])),
    }
}
