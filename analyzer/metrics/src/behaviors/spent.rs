//! Finds each rank's time in computation, in each function, and after its end.

use std::collections::BTreeSet;

use crate::rank_programs;
use model::rank::{function_of, is_nested};
use model::sums::Grow;
use model::tally::CallTotal;
use model::{Rank, Run};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of ranks from which a median is taken.
const SAMPLED: usize = 1 << 10;

/// The selected ranks' times as shares of the run, the longest rank's time.
pub struct SpentTimes {
    /// Places in the run.
    pub ranks: Vec<usize>,
    /// The functions, in the order of the times after the first two.
    pub functions: Vec<String>,
    /// Seconds of the longest rank.
    pub run: f64,
    /// By rank: computation, the time missing to the longest rank's, and the time in each function.
    shares: Vec<f32>,
    /// By rank: the functions that it called.
    called: Vec<Vec<u16>>,
    /// By rank: its program with arguments.
    programs: Vec<String>,
}

/// The times that come before those of functions.
const BEFORE: usize = 2;

impl SpentTimes {
    pub fn of(run: &Run) -> SpentTimes {
        let ranks: Vec<usize> = run.asked_places().map(|(at, _)| at).collect();
        let longest = run.asked().map(|rank| rank.wall()).fold(0.0, f64::max);
        let of_run = |seconds: f64| if longest > 0.0 { (seconds / longest) as f32 } else { 0.0 };
        let functions = CalledFunctions::of(run);
        let width = BEFORE + functions.names.len();
        let (mut shares, mut called) = (vec![0.0; width * ranks.len()], vec![Vec::new(); ranks.len()]);
        for ((own, called), rank) in shares.chunks_exact_mut(width).zip(&mut called).zip(run.asked()) {
            own[0] = of_run(rank.computation());
            own[1] = of_run(longest - rank.wall());
            let mut sums = vec![(0, 0.0); functions.names.len()];
            for entry in rank.entries().filter(|entry| !is_nested(entry)) {
                let Some(place) = functions.places.get(&entry.signature.call) else { continue };
                let (calls, time): &mut (u64, f64) = &mut sums[*place];
                calls.grow(entry.count);
                *time += rank.clock.seconds(entry.total);
            }
            for (function, (_, time)) in sums.into_iter().enumerate().filter(|(_, (calls, _))| *calls > 0) {
                own[BEFORE + function] = of_run(time);
                called.push(function as u16);
            }
            called.shrink_to_fit();
        }
        let programs = run.asked().map(rank_programs::command).collect();
        SpentTimes { ranks, functions: functions.names, run: longest, shares, called, programs }
    }

    /// The program of a rank and the functions that it called.
    pub fn kind(&self, rank: u32) -> (&str, &[u16]) {
        (&self.programs[rank as usize], &self.called[rank as usize])
    }

    /// The shares of a rank's times.
    fn of_rank(&self, rank: u32) -> &[f32] {
        let width = BEFORE + self.functions.len();
        &self.shares[rank as usize * width..][..width]
    }

    pub fn distance(&self, one: u32, other: u32) -> f64 {
        distance(self.of_rank(one), self.of_rank(other))
    }

    /// The rank closest to the medians of the ranks' times. Medians of many ranks are taken from some at equal steps. At least
    /// one must be given.
    pub fn closest_to_medians(&self, ranks: &[u32]) -> u32 {
        let step = ranks.len().div_ceil(SAMPLED);
        let median = |time: usize| {
            let mut times: Vec<f32> = ranks.iter().step_by(step).map(|rank| self.of_rank(*rank)[time]).collect();
            let middle = times.len() / 2;
            *times.select_nth_unstable_by(middle, f32::total_cmp).1
        };
        let medians: Vec<f32> = (0..BEFORE + self.functions.len()).map(median).collect();
        let distances = ranks.iter().map(|rank| (distance(self.of_rank(*rank), &medians), *rank));
        distances.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(ranks[0], |(_, rank)| rank)
    }

    /// Mean seconds outside MPI and in each function of some ranks, in the order of [`SpentTimes::name`].
    pub fn means(&self, ranks: &[u32]) -> Vec<f64> {
        let mut sums = vec![0.0; BEFORE + self.functions.len()];
        for rank in ranks {
            for (sum, share) in sums.iter_mut().zip(self.of_rank(*rank)) {
                *sum += f64::from(*share);
            }
        }
        sums.into_iter().map(|sum| sum / ranks.len() as f64 * self.run).collect()
    }

    /// The name of a time, by its place in [`SpentTimes::means`]: a function, or computation.
    pub fn name(&self, time: usize) -> &str {
        match time {
            0 => "(computation)",
            1 => "(ended before)",
            time => &self.functions[time - BEFORE],
        }
    }
}

/// The functions that ranks called, by name.
struct CalledFunctions {
    names: Vec<String>,
    /// Their places, by number.
    places: FxHashMap<u16, usize>,
}

impl CalledFunctions {
    fn of(run: &Run) -> CalledFunctions {
        let is_called = |entry: &&CallTotal| entry.count > 0 && !is_nested(entry);
        let called = run.ranks.iter().flat_map(Rank::entries).filter(is_called);
        let numbers: FxHashSet<u16> = called.map(|entry| entry.signature.call).collect();
        let names: Vec<String> = Vec::from_iter(numbers.iter().map(|call| function_of(*call)).collect::<BTreeSet<_>>());
        let places = numbers.into_iter().filter_map(|call| Some((call, names.binary_search(&function_of(call)).ok()?)));
        CalledFunctions { places: places.collect(), names }
    }
}

fn distance(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from((one - other).abs())).sum::<f64>() / 2.0
}
