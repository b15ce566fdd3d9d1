//! The ranks whose computation changed more than that of the others.

use std::collections::BTreeMap;

use super::gaps::GapPlace;
use super::joined::{Comparison, Side};
use crate::words::ranks_in_words;
use tables::{Fact, Value, WorldRank, facts};

facts! {
    RANK_COMPUTATION = "rank_computation", Text, sometimes,
        "The ranks whose computation changed more than that of the others, by how much, and between which calls, in words.";
}

/// Least spread of the ranks' changes, as a share of the largest one; ranks closer to each other changed alike.
const LEAST_SPREAD: f64 = 0.5;
/// Least change of a rank, as a share of the wall time of A, and of the wall times' difference.
const LEAST_OF_WALL: f64 = 0.02;
const LEAST_OF_DIFFERENCE: f64 = 0.1;
/// The share of the change that a single place must have to be named.
const MOST_OF_IT: f64 = 0.5;

/// Seconds by rank, one for each run of a side.
type ByRank = BTreeMap<WorldRank, Vec<f64>>;

/// The ranks whose computation changed most in the direction of the wall time; `None` if all changed alike, by little, or no
/// more than between runs of one side.
pub fn of_ranks(a: &Side, b: &Side, wall: &Comparison) -> Option<Fact> {
    let (of_a, of_b) = (computation(a), computation(b));
    if !of_a.keys().eq(of_b.keys()) || of_a.len() < 2 {
        return None;
    }
    let changes: Vec<(WorldRank, f64)> =
        of_a.iter().map(|(rank, times)| (*rank, mean(&of_b[rank]) - mean(times))).collect();
    let difference = wall.difference()?;
    let along = |change: f64| change * difference.signum();
    let (most_rank, most) = *changes.iter().max_by(|one, other| along(one.1).total_cmp(&along(other.1)))?;
    let most = along(most);
    let least = changes.iter().map(|(_, change)| along(*change)).fold(f64::INFINITY, f64::min);
    let is_worth_it = most >= LEAST_OF_WALL * wall.mean_a()? && most >= LEAST_OF_DIFFERENCE * difference.abs();
    let is_spread = most - least >= LEAST_SPREAD * most;
    if !is_worth_it || !is_spread || overlap(&of_a[&most_rank], &of_b[&most_rank]) {
        return None;
    }
    let middle = 0.5 * (most + least);
    let (changed, others): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(_, change)| along(*change) > middle);
    let ranks: Vec<WorldRank> = changed.iter().map(|(rank, _)| *rank).collect();
    let [own, rest] = [&changed, &others].map(|all| mean(&all.iter().map(|(_, change)| *change).collect::<Vec<_>>()));
    let (verb, each) = if ranks.len() == 1 { ("computes", "") } else { ("compute", " each, on average") };
    let amount = format!("{} {}", Value::Seconds(own.abs()), if own > 0.0 { "longer" } else { "less" });
    let place = place(a, b, &ranks, own).map_or(String::new(), |place| format!(", most of it from {place}"));
    let sign = if rest < 0.0 { "-" } else { "+" };
    let text = format!(
        "{} {verb} {amount}{each}{place}; the others {sign}{}",
        ranks_in_words(&ranks),
        Value::Seconds(rest.abs())
    );
    Some(Fact::new(RANK_COMPUTATION, "computation", Value::Text(text)))
}

/// The computation of each rank, in each run that tells it.
fn computation(side: &Side) -> ByRank {
    let mut all = ByRank::new();
    for run in side {
        let mut of_run: BTreeMap<WorldRank, f64> = BTreeMap::new();
        for (rank, time) in run.gaps.values().flat_map(|gap| &gap.of_ranks) {
            *of_run.entry(*rank).or_default() += time;
        }
        for (rank, time) in of_run {
            all.entry(rank).or_default().push(time);
        }
    }
    all
}

/// True if the values of two sides overlap; those of one run each never do.
fn overlap(a: &[f64], b: &[f64]) -> bool {
    let range = |side: &[f64]| {
        let least = side.iter().copied().fold(f64::INFINITY, f64::min);
        (least, side.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
    low_a <= high_b && low_b <= high_a
}

/// The place between calls where most of the change of these ranks is. A place with more than all of it replaces another one.
fn place(a: &Side, b: &Side, ranks: &[WorldRank], change: f64) -> Option<String> {
    let mut changes: BTreeMap<&GapPlace, f64> = BTreeMap::new();
    for (side, sign) in [(a, -1.0), (b, 1.0)] {
        for run in side {
            for (place, gap) in &run.gaps {
                let own = gap.of_ranks.iter().filter(|(rank, _)| ranks.binary_search(rank).is_ok());
                let time: f64 = own.map(|(_, time)| time).sum();
                *changes.entry(place).or_default() += sign * time / (side.len() * ranks.len()) as f64;
            }
        }
    }
    let share = |part: f64| part / change;
    let (place, most) = changes.into_iter().max_by(|one, other| share(one.1).total_cmp(&share(other.1)))?;
    (MOST_OF_IT..=1.0 + LEAST_OF_DIFFERENCE).contains(&share(most)).then(|| place.to_string())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
