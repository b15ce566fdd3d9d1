//! Mean times of computation between two calls, in the order of the run.
//!
//! In: each computation with the sites of the two calls around it. Out: for each pair of sites the mean over ranks of the first
//! computation there, of the second, and so on; of many, the mean of some that follow each other.

use rustc_hash::FxHashMap;

/// Means kept for a pair of sites.
const MEANS: usize = 512;

/// The sites before and after a computation, by number; `None` before the first call.
pub type Around = (Option<u32>, u32);

/// Sums of computations by the numbers of the sites around them.
#[derive(Clone, Default, Debug)]
pub struct StretchMeans {
    all: FxHashMap<Around, Stretch>,
}

#[derive(Clone, Default, Debug)]
struct Stretch {
    /// Each sum is of 2 to this power computations of a rank that follow each other.
    width: u32,
    /// Times in nanoseconds, and their number.
    sums: Vec<(f64, u64)>,
}

impl StretchMeans {
    /// Adds a rank's computation, the `number`th between these sites.
    pub fn add(&mut self, sites: Around, number: u64, time: i64) {
        self.all.entry(sites).or_default().add(number, time);
    }

    pub fn merge(&mut self, other: StretchMeans) {
        for (sites, stretch) in other.all {
            self.all.entry(sites).or_default().merge(stretch);
        }
    }

    /// The mean of all ranks there.
    pub fn level(&self, sites: Around, number: u64) -> Option<i64> {
        let stretch = self.all.get(&sites)?;
        let (time, count) = stretch.sums.get((number >> stretch.width) as usize).filter(|(_, count)| *count > 0)?;
        Some((time / *count as f64).round() as i64)
    }
}

impl Stretch {
    fn add(&mut self, number: u64, time: i64) {
        while number >> self.width >= MEANS as u64 {
            self.halve();
        }
        let at = (number >> self.width) as usize;
        if self.sums.len() <= at {
            self.sums.resize(at + 1, (0.0, 0));
        }
        let sum = &mut self.sums[at];
        *sum = (sum.0 + time as f64, sum.1 + 1);
    }

    fn merge(&mut self, mut other: Stretch) {
        while self.width < other.width {
            self.halve();
        }
        while other.width < self.width {
            other.halve();
        }
        if self.sums.len() < other.sums.len() {
            self.sums.resize(other.sums.len(), (0.0, 0));
        }
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }

    /// Joins sums that follow each other.
    fn halve(&mut self) {
        self.width += 1;
        let joined = |pair: &[(f64, u64)]| pair.iter().fold((0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        self.sums = self.sums.chunks(2).map(joined).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_have_the_mean_of_what_they_compute_between_the_same_calls_each_time() {
        let mut stretches = [StretchMeans::default(), StretchMeans::default()];
        for number in 0..4 {
            stretches[0].add((Some(3), 5), number, 100 * number as i64);
            stretches[1].add((Some(3), 5), number, 300 * number as i64);
        }
        let [mut all, other] = stretches;
        all.merge(other);
        assert_eq!([0, 1, 3].map(|number| all.level((Some(3), 5), number)), [Some(0), Some(200), Some(600)]);
        assert_eq!((all.level((Some(3), 5), 4), all.level((Some(5), 3), 0)), (None, None));
    }

    #[test]
    fn of_many_computations_some_that_follow_each_other_share_a_mean_and_none_is_lost() {
        let (mut many, mut few) = (StretchMeans::default(), StretchMeans::default());
        let count = 4 * MEANS as u64;
        for number in 0..count {
            many.add((None, 1), number, number as i64);
        }
        few.add((None, 1), 0, 10_000);
        few.merge(many);
        // 0, 1, 2, 3 and 10,000 are together.
        assert_eq!(few.level((None, 1), 0), Some(10_006 / 5));
        let last = count as i64 - 1;
        assert_eq!(few.level((None, 1), count - 1), Some((4 * last - 6) / 4 + 1));
    }
}
