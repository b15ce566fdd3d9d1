//! Finds the passes of a posting that benchmarks print: rows of equal iterations, each with one request.
//!
//! In: the requests of a posting, with the number of the row in which each was posted. Out: of those that are waited for at once, and of
//! the others, the last [`Pass`] that is about as long as the longest one. Benchmarks warm up by a few iterations, or by a whole pass,
//! and time the last one; they add up all requests of it, interrupted ones as well.

use super::life::LIFE_PARTS;
use crate::batches::Batches;

/// Requests that one row of equal iterations posted, in the order of their ends.
#[derive(Clone, Default, Debug)]
pub struct Pass {
    row: u64,
    pub batches: Batches<LIFE_PARTS>,
    /// Requests by kind: waited for at once, later, and unclear.
    kinds: [u64; 3],
}

/// The longest pass counts, and later ones of at least this share of its requests.
const ABOUT_AS_LONG: f64 = 0.5;
/// Minimum number of requests of a pass.
const LEAST: u64 = 4;
/// A row of equal iterations is several passes if more than this share of its requests are waited for at once, and as many later: a few
/// were interrupted.
const FEW: f64 = 0.25;

#[derive(Clone, Default, Debug)]
pub struct Passes {
    open: Pass,
    /// The pass that counts so far and the length of the longest one, by the kind that most of its requests are of.
    found: [(Option<Pass>, u64); 3],
}

impl Pass {
    /// The last of a rank's passes that is about as long as the longest.
    pub fn printed<'a>(passes: impl Iterator<Item = &'a Pass> + Clone) -> Option<&'a Pass> {
        let longest = passes.clone().map(Pass::count).max().unwrap_or(0) as f64;
        passes.filter(|pass| pass.count() as f64 >= ABOUT_AS_LONG * longest).max_by_key(|pass| pass.row)
    }

    fn count(&self) -> u64 {
        self.kinds.iter().sum()
    }

    /// The kind of most of its requests.
    fn kind(&self) -> usize {
        (0..3).max_by_key(|kind| self.kinds[*kind]).unwrap_or(0)
    }
}

impl Passes {
    /// Adds a request of the row with this number.
    pub fn add(&mut self, row: u64, kind: usize, parts: [u64; LIFE_PARTS]) {
        if self.open.row != row {
            self.close();
            self.open.row = row;
        }
        self.open.batches.add(self.open.count(), parts);
        self.open.kinds[kind] += 1;
    }

    /// Adds to the last request.
    pub fn add_to_last(&mut self, parts: [u64; LIFE_PARTS]) {
        self.open.batches.add_to(self.open.count().saturating_sub(1), parts);
    }

    fn close(&mut self) {
        let closed = std::mem::take(&mut self.open);
        let count = closed.count();
        if count < LEAST || closed.kinds[0].min(closed.kinds[1]) as f64 > FEW * count as f64 {
            return;
        }
        let (found, longest) = &mut self.found[closed.kind()];
        *longest = count.max(*longest);
        if count as f64 >= ABOUT_AS_LONG * *longest as f64 {
            *found = Some(closed);
        }
    }

    /// The passes of requests that are waited for at once, and later, once all are added. Unclear requests are of the first kind if
    /// `is_direct`.
    pub fn settled(mut self, is_direct: bool) -> [Option<Pass>; 2] {
        self.close();
        let [direct, later, unclear] = self.found;
        let both = |one: (Option<Pass>, u64), other: (Option<Pass>, u64)| {
            Pass::printed([&one.0, &other.0].into_iter().flatten()).cloned()
        };
        match is_direct {
            true => [both(direct, unclear), later.0],
            false => [direct.0, both(later, unclear)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of the passes that count, of rows with these numbers of requests of a kind.
    fn lengths(rows: &[(usize, u64)], is_direct: bool) -> [Option<u64>; 2] {
        let mut passes = Passes::default();
        for (number, (kind, count)) in (1..).zip(rows) {
            for _ in 0..*count {
                passes.add(number, *kind, [1; LIFE_PARTS]);
            }
        }
        passes.settled(is_direct).map(|pass| pass.map(|pass| pass.batches.count()))
    }

    #[test]
    fn the_last_pass_that_is_about_as_long_as_the_longest_counts_of_each_kind() {
        assert_eq!(lengths(&[(0, 2), (0, 100), (1, 100)], true), [Some(100), Some(100)]);
        assert_eq!(lengths(&[(0, 110), (1, 110), (0, 55), (1, 54)], true), [Some(55), Some(110)]);
        assert_eq!(lengths(&[(0, 100), (0, 10)], true), [Some(100), None]);
        assert_eq!(lengths(&[(0, 3)], true), [None, None]);
    }

    #[test]
    fn a_row_in_which_many_requests_are_waited_for_at_once_and_many_later_is_no_pass() {
        let of = |later: u64| {
            let mut passes = Passes::default();
            for number in 0..100 {
                passes.add(1, usize::from(number < later), [1; LIFE_PARTS]);
            }
            passes.settled(true).map(|pass| pass.map(|pass| pass.batches.count()))
        };
        assert_eq!([of(25), of(26), of(74), of(75)], [[Some(100), None], [None; 2], [None; 2], [None, Some(100)]]);
    }

    #[test]
    fn unclear_requests_are_of_the_kind_that_they_are_nearest_to() {
        assert_eq!(lengths(&[(0, 100), (2, 90), (1, 80)], true), [Some(90), Some(80)]);
        assert_eq!(lengths(&[(0, 100), (2, 90), (1, 80)], false), [Some(100), Some(80)]);
        assert_eq!(lengths(&[(2, 20), (1, 80)], false), [None, Some(80)]);
    }
}
