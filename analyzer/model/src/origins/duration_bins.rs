//! Durations by size, in bins whose bounds grow by an eighth or less: enough for medians and outliers.

use std::collections::BTreeMap;

use crate::sums::Grow;

/// Number of bins per power of two.
const IN_AN_OCTAVE: u32 = 8;

/// Count and time of durations, by bin. Nanoseconds.
#[derive(Clone, Default, Debug)]
pub struct DurationBins(BTreeMap<u16, (u64, i64)>);

impl DurationBins {
    pub fn add(&mut self, time: i64) {
        let bin = self.0.entry(bin(time)).or_default();
        bin.0.grow(1);
        bin.1.grow(time);
    }

    pub fn merge(&mut self, other: &DurationBins) {
        for (number, (count, time)) in &other.0 {
            let bin = self.0.entry(*number).or_default();
            bin.0.grow(*count);
            bin.1.grow(*time);
        }
    }

    /// The mean of the bin that holds the median, within a sixteenth of it; `None` without durations.
    pub fn median(&self) -> Option<i64> {
        self.quantile(0.5)
    }

    /// The mean of the bin that holds the duration behind this share of all, the shortest first.
    pub fn quantile(&self, share: f64) -> Option<i64> {
        let all: u64 = self.0.values().map(|(count, _)| count).sum();
        let mut seen = 0;
        for (count, time) in self.0.values() {
            seen += count;
            if seen as f64 > share * all as f64 {
                return Some(time / *count as i64);
            }
        }
        None
    }

    /// Count and time of durations longer than `limit`, by their bins.
    pub fn above(&self, limit: i64) -> (u64, i64) {
        let longer = self.0.range(bin(limit).saturating_add(1)..);
        longer.fold((0, 0), |sum, (_, (count, time))| (sum.0 + count, sum.1.saturating_add(*time)))
    }
}

fn bin(time: i64) -> u16 {
    let time = time.max(1) as u64;
    let octave = time.ilog2();
    let within = if octave >= 3 { time >> (octave - 3) } else { time << (3 - octave) };
    (octave * IN_AN_OCTAVE) as u16 + (within as u16 - IN_AN_OCTAVE as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_that_of_the_values_and_what_stands_out_is_counted() {
        let mut bins = DurationBins::default();
        for _ in 0..280 {
            bins.add(1_000_000);
        }
        for _ in 0..20 {
            bins.add(9_000_000);
        }
        assert_eq!(bins.median(), Some(1_000_000));
        assert_eq!(bins.above(2_000_000), (20, 180_000_000));
        assert_eq!(DurationBins::default().median(), None);
    }

    #[test]
    fn bins_grow_with_the_time() {
        let bins: Vec<u16> = [0, 1, 2, 3, 8, 9, 16, 17, 1 << 40].map(bin).to_vec();
        assert!(bins.is_sorted(), "{bins:?}");
        // An octave has eight, of equal width.
        let octave: Vec<u16> = (8..=16).map(|time| bin(time) - bin(8)).collect();
        assert_eq!(octave, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!([1000, 1023, 1024].map(|time| bin(time) - bin(512)), [7, 7, 8]);
    }
}
