//! The finding on the rank that computes longest.

use super::{Evidence, Finding};
use crate::imbalance::of_computation;
use model::Rank;
use tables::Value;

/// A smaller imbalance, or one that costs a smaller share of the time, is not reported.
const LEAST_PERCENT: f64 = 10.0;
const LEAST_SHARE: f64 = 0.02;

pub fn finding(known: &Evidence) -> Option<Finding> {
    let spread = of_computation(known.run);
    let percent = spread.percentage().filter(|percent| *percent >= LEAST_PERCENT)?;
    let wall = known.run.asked().map(Rank::wall).fold(0.0, f64::max);
    let more = spread.imbalance();
    let [most, more_in_words] = [spread.most, more].map(Value::Seconds);
    let text = format!(
        "Rank {} computes longest, {most}: {more_in_words} more than the mean of all ranks, an imbalance of {percent:.1} %.",
        spread.most_rank
    );
    let next = format!("Spread the work more evenly: that saves up to {more_in_words}.");
    (more >= LEAST_SHARE * wall).then(|| Finding::new("ranks", text).next(next))
}
