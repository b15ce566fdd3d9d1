//! Reads the regions that a rank's first thread was in.

use std::collections::HashMap;

use crate::Rank;
use crate::common_clock::ClockLine;
use crate::selection::region_marks;

/// Maximum number kept per rank, the longest ones.
const MOST: usize = 2_000;

/// A region that a rank was in. Nanoseconds on the run's common clock.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RegionSpan {
    pub from: i64,
    /// Exit, or the rank's end.
    pub to: i64,
    /// Number of regions around it.
    pub depth: usize,
    pub name: String,
}

/// Regions of a rank that overlap a time, in order, the longest if there are too many; and their number.
pub fn regions(rank: &Rank, line: &ClockLine, end: i64, (from, to): (i64, i64)) -> (Vec<RegionSpan>, usize) {
    let contents = rank.contents();
    let Some(thread) = contents.threads.first() else { return (Vec::new(), 0) };
    // Number and begin; for regions that were left, also end and depth.
    let (mut open, mut closed) = (Vec::new(), Vec::new());
    for mark in region_marks(thread) {
        if mark.is_begin {
            open.push((mark.number, mark.at));
        } else if let Some(depth) = open.iter().rposition(|open| open.0 == mark.number) {
            let (number, begin) = open.remove(depth);
            closed.push((number, begin, Some(mark.at), depth));
        }
    }
    let left_open = open.into_iter().enumerate().map(|(depth, (number, at))| (number, at, None, depth));
    let names: HashMap<u32, &str> =
        rank.regions.iter().map(|(number, region)| (*number, region.name.as_str())).collect();
    let place = |(number, at, left, depth): (u32, u64, Option<u64>, usize)| {
        let begin = line.nanoseconds_at(at);
        let end = left.map_or(end, |left| line.nanoseconds_at(left)).max(begin);
        let name = names.get(&number).map_or_else(|| format!("region {number}"), |name| (*name).into());
        RegionSpan { from: begin, to: end, depth, name }
    };
    let mut spans: Vec<RegionSpan> = closed.into_iter().chain(left_open).map(place).collect();
    spans.retain(|span| span.from < to && span.to > from);
    let count = spans.len();
    if count > MOST {
        spans.sort_unstable_by_key(|span| std::cmp::Reverse(span.to - span.from));
        spans.truncate(MOST);
    }
    spans.sort_unstable();
    (spans, count)
}
