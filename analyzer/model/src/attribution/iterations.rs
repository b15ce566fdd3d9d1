//! The time of each iteration of the loop that a run consists of, and what makes some unlike the others.

use rustc_hash::FxHashMap;

use super::{Spent, TimeKey};
use crate::sums::Grow;

/// Iterations before which the usual time at a place is not known.
const KNOWN_FROM: u32 = 3;

/// A rank's iterations. The last one is left out: nothing tells where it ends.
#[derive(Clone, Default, Debug)]
pub struct RankIterations {
    /// Times of the iterations, nanoseconds.
    pub times: Vec<i64>,
    /// By iteration, the entry that took most beyond its usual time, with that time; only where it is a fair part of the iteration.
    pub beyond: FxHashMap<u32, (TimeKey, i64)>,
    /// Time by entry in the first and in the last tenth.
    pub first: FxHashMap<TimeKey, i64>,
    pub last: FxHashMap<TimeKey, i64>,
}

/// Share of an iteration that an entry beyond its usual time must take to be kept.
const LEAST_BEYOND: f64 = 0.1;

/// Reads a rank's time by iteration.
pub struct IterationReader {
    site: u32,
    /// Iterations in a tenth of all.
    tenth: u32,
    all: u32,
    /// The begin of the iteration that is read; `None` before the first.
    begin: Option<i64>,
    current: FxHashMap<TimeKey, i64>,
    /// Number of iterations in which an entry came, and its mean time.
    usual: FxHashMap<TimeKey, (u32, f64)>,
    read: RankIterations,
}

impl IterationReader {
    pub fn new(site: u32, iterations: u32) -> IterationReader {
        IterationReader {
            site,
            tenth: (iterations / 10).max(1),
            all: iterations,
            begin: None,
            current: FxHashMap::default(),
            usual: FxHashMap::default(),
            read: RankIterations::default(),
        }
    }

    /// A call at a site begins: the time before it is read.
    pub fn call(&mut self, site: u32, start: i64) {
        if site != self.site {
            return;
        }
        if let Some(begin) = self.begin.replace(start) {
            self.end(start - begin);
        }
        self.current.clear();
    }

    pub fn add(&mut self, key: TimeKey, time: i64) {
        if self.begin.is_some() {
            self.current.entry(key).or_default().grow(time);
        }
    }

    fn end(&mut self, time: i64) {
        let number = self.read.times.len() as u32;
        self.read.times.push(time);
        let mut most: Option<(TimeKey, i64)> = None;
        for (key, time) in &self.current {
            let (count, mean) = self.usual.entry(*key).or_default();
            let usual = if *count < number / 2 { 0.0 } else { *mean };
            let beyond = *time - usual as i64;
            // Waits follow from what another rank did.
            if key.spent.waits().is_none() && most.is_none_or(|(_, most)| beyond > most) {
                most = Some((*key, beyond));
            }
            *count += 1;
            *mean += (*time as f64 - *mean) / f64::from(*count);
        }
        let fair = |beyond: i64| beyond as f64 >= LEAST_BEYOND * time as f64;
        if let Some(most) = most.filter(|(_, beyond)| number >= KNOWN_FROM && fair(*beyond)) {
            self.read.beyond.insert(number, most);
        }
        for (is_meant, sums) in
            [(number < self.tenth, &mut self.read.first), (number + 1 + self.tenth >= self.all, &mut self.read.last)]
        {
            if is_meant {
                for (key, time) in &self.current {
                    sums.entry(*key).or_default().grow(*time);
                }
            }
        }
    }

    pub fn finish(self) -> RankIterations {
        self.read
    }
}

impl RankIterations {
    /// The entry of which there is most more in the last tenth than in the first, per iteration, with that time; without waits.
    pub fn growth(&self) -> Option<(TimeKey, i64)> {
        let grown = |(key, last): (&TimeKey, &i64)| (*key, last - self.first.get(key).copied().unwrap_or(0));
        let own = self.last.iter().filter(|(key, _)| key.spent.waits().is_none() && key.spent != Spent::Recording);
        own.map(grown).max_by_key(|(key, more)| (*more, *key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origins::Activity;

    fn key(site: u32) -> TimeKey {
        TimeKey { place: Some(Activity::In(site)), spent: Spent::InCall }
    }

    /// Iterations that begin at site 0; each spends these times at sites 1 and 2.
    fn read(times: impl ExactSizeIterator<Item = (i64, i64)>) -> RankIterations {
        let mut reader = IterationReader::new(0, times.len() as u32 + 1);
        let mut at = 0;
        reader.call(0, at);
        for (one, two) in times {
            reader.add(key(1), one);
            reader.add(key(2), two);
            at += one + two;
            reader.call(0, at);
        }
        reader.finish()
    }

    #[test]
    fn an_iteration_unlike_the_others_is_kept_with_the_entry_that_took_longer() {
        let read = read((0..40).map(|at| if at == 25 { (100, 900) } else { (100, 200) }));
        assert_eq!(read.times.len(), 40);
        assert_eq!((read.times[24], read.times[25]), (300, 1_000));
        assert_eq!(read.beyond.keys().copied().collect::<Vec<_>>(), [25]);
        assert_eq!(read.beyond[&25], (key(2), 700));
    }

    #[test]
    fn what_grows_from_the_first_tenth_to_the_last_is_known() {
        let read = read((0..100_i32).map(|at| (100, 200 + i64::from(at))));
        let (entry, more) = read.growth().unwrap();
        assert_eq!(entry, key(2));
        assert!((850..=1_000).contains(&more), "{more}");
    }
}
