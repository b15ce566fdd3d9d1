//! The loop that a run consists of, found from the order of its calls: no marker is asked for.
//!
//! In: each rank's calls. Out: the call site that begins an iteration. A site begins one if the same calls come between two of its
//! calls nearly always, its calls span most of the rank's time, and nearly all ranks call it equally often; of several sites that with the
//! fewest calls, which the outermost loop has, and of these the first one in time.

use rustc_hash::FxHashMap;

/// Fewer iterations have no usual one.
const LEAST_ITERATIONS: u32 = 8;
/// Share of a rank's time that a loop spans.
const LEAST_SPAN: f64 = 0.5;
/// Share of the iterations that consist of the same calls. Others write a checkpoint, or converge later.
const LEAST_ALIKE: f64 = 0.6;
/// Share of the ranks that have the loop.
const LEAST_RANKS: f64 = 0.8;
/// Sequences of calls that are told apart; loops have few.
const MOST_CONTENTS: usize = 8;

/// Reads a rank's calls, and finds sites that may begin iterations.
#[derive(Default)]
pub struct LoopFinder {
    sites: FxHashMap<u32, LoopSite>,
    /// Sum of the calls so far, in any order: MPI_Waitany may complete in another one.
    sum: u64,
    begin: Option<i64>,
    end: i64,
}

#[derive(Default)]
struct LoopSite {
    count: u32,
    first: i64,
    last: i64,
    /// The sum of calls at its last call.
    sum: u64,
    /// Sums of the calls from one of its calls to the next, and how often each came.
    contents: Vec<(u64, u32)>,
}

/// A site that may begin the iterations of a rank.
#[derive(Clone, Copy)]
struct Candidate {
    site: u32,
    count: u32,
    first: i64,
}

/// The loop that a run consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Number of the site whose calls begin the iterations.
    pub site: u32,
    pub iterations: u32,
}

impl LoopFinder {
    /// Adds a call from `start` to `end` that is no poll.
    pub fn call(&mut self, site: u32, start: i64, end: i64) {
        self.begin.get_or_insert(start);
        self.end = end;
        let of_site = self.sites.entry(site).or_default();
        if of_site.count == 0 {
            of_site.first = start;
        } else {
            of_site.add(self.sum.wrapping_sub(of_site.sum));
        }
        (of_site.count, of_site.last, of_site.sum) = (of_site.count.saturating_add(1), start, self.sum);
        self.sum = self.sum.wrapping_add(mixed(site));
    }

    fn candidates(&self) -> Vec<Candidate> {
        let all = (self.end - self.begin.unwrap_or(self.end)) as f64;
        let mut candidates = Vec::new();
        for (site, of_site) in &self.sites {
            let spans = (of_site.last - of_site.first) as f64 >= LEAST_SPAN * all;
            if of_site.count >= LEAST_ITERATIONS && spans && of_site.is_regular() {
                candidates.push(Candidate { site: *site, count: of_site.count, first: of_site.first });
            }
        }
        candidates
    }
}

impl LoopSite {
    fn add(&mut self, content: u64) {
        if let Some((_, count)) = self.contents.iter_mut().find(|(known, _)| *known == content) {
            *count += 1;
        } else if self.contents.len() < MOST_CONTENTS {
            self.contents.push((content, 1));
        }
    }

    fn is_regular(&self) -> bool {
        let most = self.contents.iter().map(|(_, count)| *count).max().unwrap_or(0);
        f64::from(most) >= LEAST_ALIKE * f64::from(self.count - 1)
    }
}

/// Finds the loop that nearly all ranks have.
pub fn find_loop(ranks: &[LoopFinder]) -> Option<Loop> {
    let mut all: FxHashMap<(u32, u32), (usize, i64)> = FxHashMap::default();
    for candidate in ranks.iter().flat_map(LoopFinder::candidates) {
        let (found, first) = all.entry((candidate.site, candidate.count)).or_insert((0, i64::MAX));
        *found += 1;
        *first = (*first).min(candidate.first);
    }
    let of_most = all.into_iter().filter(|(_, (found, _))| *found as f64 >= LEAST_RANKS * ranks.len() as f64);
    let outermost = of_most.min_by_key(|((site, count), (_, first))| (*count, *first, *site));
    outermost.map(|((site, iterations), _)| Loop { site, iterations })
}

/// Spreads a number over all bits (the finalizer of SplitMix64).
fn mixed(site: u32) -> u64 {
    let mut hash = u64::from(site).wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls at these sites, one each 10 ns.
    fn finder(sites: impl IntoIterator<Item = u32>) -> LoopFinder {
        let mut finder = LoopFinder::default();
        for (site, at) in sites.into_iter().zip((0..).step_by(10)) {
            finder.call(site, at, at + 5);
        }
        finder
    }

    #[test]
    fn iterations_begin_at_the_first_site_of_the_outermost_loop() {
        // Setup, then 20 steps of four calls, of which an inner loop makes the same two three times.
        let steps = (0..20).flat_map(|_| [2, 3, 4, 3, 4, 3, 4, 5]);
        let calls: Vec<u32> = [0, 1].into_iter().chain(steps).chain([6]).collect();
        let ranks = [finder(calls.clone()), finder(calls)];
        assert_eq!(find_loop(&ranks), Some(Loop { site: 2, iterations: 20 }));
    }

    #[test]
    fn a_checkpoint_every_tenth_time_and_another_order_of_completions_change_no_loop() {
        let step = |step: u32| match step % 10 {
            9 => vec![2, 3, 4, 9],
            even if even % 2 == 0 => vec![2, 4, 3],
            _ => vec![2, 3, 4],
        };
        let ranks = [finder((0..40).flat_map(step))];
        assert_eq!(find_loop(&ranks), Some(Loop { site: 2, iterations: 40 }));
    }

    #[test]
    fn calls_without_order_and_loops_of_single_ranks_are_none() {
        // A master's answers, by no rule.
        let drawn = (0..200).map(|at| (mixed(at) % 5) as u32);
        assert_eq!(find_loop(&[finder(drawn)]), None);
        let looping = || finder((0..20).flat_map(|_| [2, 3]));
        assert_eq!(find_loop(&[looping(), finder([1, 2]), finder([1, 2])]), None);
    }

    #[test]
    fn a_loop_at_the_begin_of_a_long_run_is_not_what_it_consists_of() {
        let setup = (0..20).flat_map(|_| [2, 3]);
        assert_eq!(find_loop(&[finder(setup.chain((0..100).map(|at| 10 + at)))]), None);
    }
}
