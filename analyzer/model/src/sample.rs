//! A bounded random sample of any number of values, the same at every reading.
//!
//! Each value draws a number and the lowest numbers stay (bottom-k sampling), so samples of several ranks merge into one of all.

/// Sample size: the median of 2,048 values is off by less than two percentiles.
const MOST: usize = 2048;
/// Values kept until the highest numbers among them go, all at once: that is cheaper than to find the highest for each value.
const ROOM: usize = MOST + MOST / 2;

/// A sample of at most `MOST` values.
#[derive(Clone, Debug)]
pub struct Sample<T> {
    drawn: u64,
    /// Values with low numbers, among which the sample is.
    kept: Vec<(u64, T)>,
    /// The highest of the sample when the highest numbers went last.
    highest: Option<(u64, T)>,
}

impl<T> Default for Sample<T> {
    fn default() -> Sample<T> {
        Sample { drawn: 0, kept: Vec::new(), highest: None }
    }
}

impl<T: Ord + Copy> Sample<T> {
    pub fn add(&mut self, value: T) {
        self.add_as(self.drawn.wrapping_add(1), value);
    }

    /// Adds a value that draws by `number`, so that the sample does not depend on the order.
    pub fn add_as(&mut self, number: u64, value: T) {
        self.drawn = self.drawn.wrapping_add(1);
        self.keep((scattered(number), value));
    }

    pub fn merge(&mut self, other: &Sample<T>) {
        self.drawn = self.drawn.wrapping_add(other.drawn);
        for value in &other.kept {
            self.keep(*value);
        }
    }

    pub fn count(&self) -> u64 {
        self.drawn
    }

    /// The values, in no order.
    pub fn values(&self) -> impl Iterator<Item = &T> + Clone {
        let highest = (self.kept.len() > MOST).then(|| *self.kept.clone().select_nth_unstable(MOST - 1).1);
        let kept = self.kept.iter().filter(move |value| highest.is_none_or(|highest| **value <= highest));
        kept.map(|(_, value)| value)
    }

    #[inline]
    fn keep(&mut self, value: (u64, T)) {
        if self.highest.is_none_or(|highest| value < highest) {
            self.kept.push(value);
            if self.kept.len() == ROOM {
                let highest = *self.kept.select_nth_unstable(MOST - 1).1;
                self.kept.truncate(MOST);
                self.highest = Some(highest);
            }
        }
    }
}

/// Spreads consecutive numbers: the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
fn scattered(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::{MOST, Sample, scattered};

    #[test]
    fn few_values_all_stay_and_of_many_the_median_is_near() {
        let sample = |values: std::ops::Range<u64>| {
            let mut sample = Sample::default();
            for value in values {
                sample.add(value);
            }
            sample
        };
        let sorted = |sample: &Sample<u64>| {
            let mut values: Vec<u64> = sample.values().copied().collect();
            values.sort();
            values
        };
        assert_eq!(sorted(&sample(0..100)), (0..100).collect::<Vec<_>>());
        let mut many = sample(0..500_000);
        many.merge(&sample(500_000..1_000_000));
        let values = sorted(&many);
        assert_eq!(values.len(), MOST);
        assert!((480_000..520_000).contains(&values[MOST / 2]), "{}", values[MOST / 2]);
    }

    #[test]
    fn numbers_are_scattered_as_splitmix64_scatters_them() {
        // First outputs of the reference implementation (Vigna, splitmix64.c) for the seed 0.
        let first = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!([1, 2, 3].map(scattered), first);
    }
}
