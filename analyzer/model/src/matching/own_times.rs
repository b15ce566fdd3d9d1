//! What calls take by themselves, with a wait before and without.
//!
//! In: each call of a rank with its wait in the recorded run and in the changed one. Out: by how much its calls may take longer or shorter in the
//! changed run. Where one waits that did not, or the other way round, it takes as long as others of its site that did. Besides, the calls of
//! a site are faster in one run than in another, all of them: the middle half of those in one run differ by as much.

use rustc_hash::FxHashMap;

/// Times that are kept, at most; of more, each second, fourth and so on.
const MOST: usize = 64;

/// Calls of one rank at one site.
#[derive(Clone, Default, Debug)]
pub struct OwnTimes {
    /// Calls that came last in the recorded run, and those that waited.
    recorded: [SomeTimes; 2],
    /// Calls that waited and would not, and those that did not and would.
    changed: [u64; 2],
}

#[derive(Clone, Default, Debug)]
struct SomeTimes {
    count: u64,
    /// Every 2 to this power is kept.
    width: u32,
    times: Vec<i64>,
}

impl OwnTimes {
    /// Adds a call that takes `own` without its wait.
    pub fn add(&mut self, own: i64, waited: bool, would_wait: bool) {
        self.recorded[usize::from(waited)].add(own);
        if waited != would_wait {
            self.changed[usize::from(would_wait)] += 1;
        }
    }

    /// By how much the calls of a rank may be longer or shorter, nanoseconds. `all`: each rank's calls by site.
    pub fn error<'a>(
        of_rank: &FxHashMap<u32, OwnTimes>,
        all: impl Iterator<Item = &'a FxHashMap<u32, OwnTimes>>,
    ) -> f64 {
        let mut by_site: FxHashMap<u32, [Vec<i64>; 2]> = FxHashMap::default();
        for (site, times) in all.flatten().filter(|(site, _)| of_rank.contains_key(site)) {
            let of_site = by_site.entry(*site).or_default();
            for (all, times) in of_site.iter_mut().zip(&times.recorded) {
                all.extend(&times.times);
            }
        }
        let (mut shift, mut spread) = (0.0, 0.0);
        for (site, times) in of_rank {
            let Some(of_site) = by_site.get_mut(site) else { continue };
            let [no_longer, newly] = times.changed;
            shift += (newly as f64 - no_longer as f64) * more_after_a_wait(of_site);
            for (all, times) in of_site.iter_mut().zip(&times.recorded) {
                spread += times.count as f64 * (quarter(all, 3) - quarter(all, 1)) / 2.0;
            }
        }
        shift.abs() + spread
    }
}

impl SomeTimes {
    fn add(&mut self, time: i64) {
        if self.count.is_multiple_of(1 << self.width) {
            self.times.push(time);
        }
        self.count += 1;
        if self.times.len() > MOST {
            self.width += 1;
            self.times = self.times.iter().step_by(2).copied().collect();
        }
    }
}

/// By how much calls take longer after a wait, mostly; where all waited or none did, one may take no time or twice as long.
fn more_after_a_wait([at_once, after_wait]: &mut [Vec<i64>; 2]) -> f64 {
    match (at_once.is_empty(), after_wait.is_empty()) {
        (false, false) => quarter(after_wait, 2) - quarter(at_once, 2),
        _ => quarter(after_wait, 2).max(quarter(at_once, 2)),
    }
}

/// The time below which so many quarters of all lie; 0 if there are none.
fn quarter(times: &mut [i64], quarters: usize) -> f64 {
    times.sort_unstable();
    times.get(times.len().saturating_sub(1) * quarters / 4).map_or(0.0, |time| *time as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_site(calls: &[(i64, bool, bool)]) -> FxHashMap<u32, OwnTimes> {
        let mut times = OwnTimes::default();
        for (own, waited, would_wait) in calls {
            times.add(*own, *waited, *would_wait);
        }
        [(7, times)].into_iter().collect()
    }

    #[test]
    fn calls_that_no_longer_wait_may_take_as_long_as_those_of_other_ranks_that_did_not() {
        let first = at_site(&[(32, true, false), (32, true, false), (32, true, true)]);
        let last = at_site(&[(12, false, false), (12, false, true)]);
        let all = [&first, &last];
        assert_eq!(OwnTimes::error(&first, all.into_iter()), 2.0 * 20.0);
        assert_eq!(OwnTimes::error(&last, all.into_iter()), 20.0);
    }

    #[test]
    fn where_all_waited_one_that_does_not_may_take_no_time() {
        let all = at_site(&[(40, true, false), (40, true, true)]);
        assert_eq!(OwnTimes::error(&all, [&all].into_iter()), 40.0);
    }

    #[test]
    fn calls_that_wait_as_they_did_may_all_be_at_either_end_of_the_middle_half() {
        let calls: Vec<(i64, bool, bool)> = (0..1_001).map(|at| (100 + at % 5, true, true)).collect();
        let all = at_site(&calls);
        assert_eq!(OwnTimes::error(&all, [&all].into_iter()), 1_001.0 * 1.0);
    }
}
