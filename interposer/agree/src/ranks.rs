//! Sets of ranks, as ranges: a host has consecutive ranks, or every n-th rank, and together the hosts have all.

use std::fmt;

/// Number of ranges that users are shown.
const SHOWN: usize = 8;

/// Ranks in order, as ranges with their first and last rank.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RankRanges(Vec<(u32, u32)>);

impl RankRanges {
    pub fn first(&self) -> Option<u32> {
        self.0.first().map(|(first, _)| *first)
    }

    /// Each range's first and last rank.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub fn count(&self) -> u32 {
        self.0.iter().map(|(first, last)| last - first + 1).sum()
    }

    pub fn ranks(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|(first, last)| *first..=*last)
    }

    pub fn contains(&self, rank: u32) -> bool {
        self.next_missing(rank) != rank
    }

    /// The lowest rank from this one on that is not in the set.
    pub fn next_missing(&self, from: u32) -> u32 {
        let before = self.0.partition_point(|(first, _)| *first <= from);
        match before.checked_sub(1).and_then(|at| self.0.get(at)) {
            Some((_, last)) if *last >= from => last + 1,
            _ => from,
        }
    }

    /// Adds the ranks of another set.
    pub fn add(&mut self, other: &RankRanges) {
        let mut all: Vec<(u32, u32)> = self.0.iter().chain(&other.0).copied().collect();
        all.sort_unstable();
        self.0.clear();
        for (first, last) in all {
            match self.0.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => self.0.push((first, last)),
            }
        }
    }

    /// The first ranges, and how many ranks the others have: `0-3,8 and 12 more`.
    pub fn in_short(&self) -> String {
        let (first, others) = self.0.split_at(self.0.len().min(SHOWN));
        let (first, others) = (RankRanges(first.into()), RankRanges(others.into()));
        match others.count() {
            0 => first.to_string(),
            more => format!("{first} and {more} more"),
        }
    }

    /// The inverse of [`Display`](fmt::Display); `None` if the text is something else.
    pub fn parse(text: &str) -> Option<RankRanges> {
        let mut ranks = RankRanges::default();
        for range in text.split(',').filter(|range| !range.is_empty()) {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            ranks.0.push((first.parse().ok()?, last.parse().ok()?));
        }
        ranks.0.is_sorted_by(|one, next| one.0 <= one.1 && one.1 < next.0).then_some(ranks)
    }
}

impl FromIterator<u32> for RankRanges {
    fn from_iter<I: IntoIterator<Item = u32>>(ranks: I) -> RankRanges {
        let mut set = RankRanges::default();
        for rank in ranks {
            match set.0.last_mut() {
                Some((_, last)) if *last + 1 == rank => *last = rank,
                _ => set.0.push((rank, rank)),
            }
        }
        set
    }
}

/// Such as `0-3,8`.
impl fmt::Display for RankRanges {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        for (at, (first, last)) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            match first == last {
                true => write!(to, "{comma}{first}")?,
                false => write!(to, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::RankRanges;

    #[test]
    fn of_many_ranges_the_first_are_named_and_the_ranks_of_the_others_counted() {
        let every_second: RankRanges = (0..10).map(|rank| rank * 2).collect();
        assert_eq!(every_second.in_short(), "0,2,4,6,8,10,12,14 and 2 more");
        let few: RankRanges = [0, 1, 5].into_iter().collect();
        assert_eq!(few.in_short(), "0-1,5");
    }
}
