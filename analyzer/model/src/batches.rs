//! Sums values in up to [`MOST`] batches of equal length, from which the mean and its confidence interval follow.
//!
//! In: values, each with its number in the order; they may come in any order, since ranks are read in parallel. Out: batches.
//! Successive values depend on each other, means of batches hardly do: so the scatter of the batch means gives the error
//! of the overall mean (the method of batch means, Law and Kelton).

/// Maximum number of batches; beyond it, neighbors are merged in pairs.
const MOST: usize = 64;
/// The first eleventh of the values is warm-up: benchmarks make a tenth as many calls before they start to count.
const FIRST: u64 = 11;

/// Sums of values with neighboring numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ValueBatch<const N: usize> {
    place: u64,
    pub count: u64,
    pub sums: [u64; N],
}

#[derive(Clone, Debug)]
pub struct Batches<const N: usize> {
    /// A value's batch is its number shifted right by this many bits.
    shift: u32,
    batches: Vec<ValueBatch<N>>,
}

impl<const N: usize> Default for Batches<N> {
    fn default() -> Batches<N> {
        Batches { shift: 0, batches: Vec::new() }
    }
}

impl<const N: usize> Batches<N> {
    pub fn add(&mut self, number: u64, values: [u64; N]) {
        self.grow(number, 1, values);
    }

    /// Adds to the sums of an earlier value, without counting another value.
    pub fn add_to(&mut self, number: u64, more: [u64; N]) {
        self.grow(number, 0, more);
    }

    fn grow(&mut self, number: u64, count: u64, values: [u64; N]) {
        let place = number.unbounded_shr(self.shift);
        let at = match self.batches.last() {
            Some(last) if last.place < place => Err(self.batches.len()),
            _ => self.batches.binary_search_by_key(&place, |batch| batch.place),
        };
        match at {
            Ok(at) => self.batches[at].add(count, &values),
            Err(at) => self.batches.insert(at, ValueBatch { place, count, sums: values }),
        }
        while self.batches.len() > MOST {
            self.lengthen();
        }
    }

    pub fn count(&self) -> u64 {
        self.batches.iter().map(|batch| batch.count).fold(0, u64::saturating_add)
    }

    /// Adds batches whose numbers follow the same order.
    pub fn merge(&mut self, other: &Batches<N>) {
        for batch in &other.batches {
            self.grow(batch.place.unbounded_shl(other.shift), batch.count, batch.sums);
        }
    }

    pub fn all(&self) -> &[ValueBatch<N>] {
        &self.batches
    }

    /// Batches without the warm-up, which is at most one eleventh of the values.
    pub fn settled(&self) -> &[ValueBatch<N>] {
        &self.batches[self.first_settled()..]
    }

    /// Number of warm-up batches.
    pub fn first_settled(&self) -> usize {
        let (mut left_out, mut first) = (0u64, 0);
        let most = self.count() / FIRST;
        while let Some(batch) = self.batches.get(first)
            && left_out.saturating_add(batch.count) <= most
        {
            left_out = left_out.saturating_add(batch.count);
            first += 1;
        }
        first
    }

    fn lengthen(&mut self) {
        self.shift += 1;
        let longer = self.batches.drain(..).map(|batch| ValueBatch { place: batch.place >> 1, ..batch });
        let mut batches: Vec<ValueBatch<N>> = Vec::with_capacity(MOST);
        for batch in longer.collect::<Vec<_>>() {
            match batches.last_mut().filter(|last| last.place == batch.place) {
                Some(last) => last.add(batch.count, &batch.sums),
                None => batches.push(batch),
            }
        }
        self.batches = batches;
    }
}

impl<const N: usize> ValueBatch<N> {
    /// A batch of `count` values with these sums.
    pub fn of(count: u64, sums: [u64; N]) -> ValueBatch<N> {
        ValueBatch { place: 0, count, sums }
    }

    fn add(&mut self, count: u64, sums: &[u64; N]) {
        self.count = self.count.saturating_add(count);
        for (sum, more) in self.sums.iter_mut().zip(sums) {
            *sum = sum.saturating_add(*more);
        }
    }

    /// Mean of the figure at index `at`.
    pub fn mean(&self, at: usize) -> f64 {
        self.sums[at] as f64 / self.count.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::{Batches, MOST};

    fn sums(batches: &Batches<1>) -> (u64, u64) {
        batches.batches.iter().fold((0, 0), |(count, sum), batch| (count + batch.count, sum + batch.sums[0]))
    }

    #[test]
    fn batches_hold_all_values_whatever_the_order_they_come_in() {
        let (mut forward, mut backward): (Batches<1>, Batches<1>) = Default::default();
        for number in 0..1_100 {
            forward.add(number, [number]);
            backward.add(1_099 - number, [1_099 - number]);
        }
        assert_eq!(sums(&forward), (1_100, 1_099 * 1_100 / 2));
        assert_eq!(forward.batches, backward.batches);
        assert!((MOST / 2..=MOST).contains(&forward.batches.len()), "{}", forward.batches.len());
    }

    #[test]
    fn the_first_eleventh_is_left_out_and_of_few_values_none() {
        let of = |count: u64| {
            let mut batches = Batches::<1>::default();
            for number in 0..count {
                batches.add(number, [1]);
            }
            batches.settled().iter().map(|batch| batch.count).sum::<u64>()
        };
        assert_eq!([of(0), of(10), of(11), of(22), of(110)], [0, 10, 10, 20, 100]);
        // Whole batches of 32.
        assert_eq!(of(1_100), 1_004);
    }

    #[test]
    fn numbers_that_are_far_apart_are_batches_all_the_same() {
        let mut batches = Batches::<1>::default();
        for number in [u64::MAX, 0, 1 << 63, 7] {
            batches.add(number, [3]);
        }
        assert_eq!(sums(&batches), (4, 12));
    }
}
