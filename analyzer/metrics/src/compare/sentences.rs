//! A comparison in sentences: the run as a whole, then what differs most of functions, call sites and wait states.

use super::chief::is_chief;
use super::joined::Comparison;
use super::names::{FUNCTIONS, RUN, SITES, WAITS};
use crate::overview;
use tables::Value;

/// The tables with a sentence, and whose time their figures are.
const TOLD: [(&str, &str); 3] = [(FUNCTIONS, "per rank"), (SITES, "per rank"), (WAITS, "over all ranks")];

/// One sentence for the wall time, and one for the largest difference of each table. Where sides have several runs,
/// only differences beyond noise have one.
pub fn sentences(all: &[Comparison]) -> Vec<String> {
    let wall = all.iter().find(|figure| figure.name.table == RUN && figure.name.figure == overview::WALL_TIME.name);
    let most = |(table, of): &(&str, &str)| {
        let differing = all
            .iter()
            .filter(|figure| figure.name.table == *table && is_chief(&figure.name))
            .filter(|figure| figure.differs != Some(false));
        let most = differing.max_by(|one, other| change(one).abs().total_cmp(&change(other).abs()))?;
        let name = most.name.row.join(" ");
        let more = in_words(change(most), "more", "less")?;
        Some(format!("{name}: {more} {of} in B, {}.", both(most)))
    };
    let wall = wall.map(|wall| match in_words(change(wall), "longer than", "shorter than") {
        Some(longer) => format!("B takes {longer} A, {}.", both(wall)),
        None => format!("A and B take equally long, {}.", wall.value(wall.mean_b())),
    });
    wall.into_iter().chain(TOLD.iter().filter_map(most)).collect()
}

fn change(figure: &Comparison) -> f64 {
    figure.difference().unwrap_or(0.0)
}

/// An amount with the word for its sign; `None` for nothing.
fn in_words(seconds: f64, more: &str, less: &str) -> Option<String> {
    let word = if seconds > 0.0 { more } else { less };
    (seconds != 0.0).then(|| format!("{} {word}", Value::Seconds(seconds.abs())))
}

/// The values of both sides, with their ratio.
fn both(figure: &Comparison) -> String {
    let ratio = figure.ratio().map_or(String::new(), |ratio| format!(", {} times A's", Value::Ratio(ratio)));
    format!("{} after {}{ratio}", figure.value(figure.mean_b()), figure.value(figure.mean_a()))
}
