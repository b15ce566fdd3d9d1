//! The finding on the place where the critical path could be shortened most.

use super::{Evidence, Finding};
use crate::critical;
use crate::totals::{percent, seconds};
use model::sums::Total;
use tables::Value;

/// Savings of a smaller share of the path are not reported.
const LEAST_PERCENT: f64 = 2.0;

pub fn finding(known: &Evidence) -> Option<Finding> {
    let path = known.path?;
    let length: i64 = path.segments.iter().map(|stretch| stretch.to - stretch.from).total();
    let rows = critical::table(known.run, &path.places).rows;
    // Starting and ending MPI cannot be saved, nor can a call that has not ended.
    let saves = rows.iter().filter(|row| !row.is_start_or_end() && !row.is_open);
    let place = saves.max_by_key(|row| row.saves)?;
    let share = percent(place.saves as f64, length as f64).filter(|share| *share >= LEAST_PERCENT)?;
    let saves = Value::Seconds(seconds(place.saves));
    let what = if place.in_mpi { "the call" } else { "the computation" };
    let how = if place.in_mpi { "if it took no time" } else { "if it were spread evenly" };
    let at = if place.site.is_empty() { String::new() } else { format!(" at {}", place.site) };
    let text = format!(
        "{what} {}{at} could shorten the run by up to {saves} ({share:.1} % of the critical path) {how}; most of it is rank {}'s.",
        place.name, place.rank
    );
    Some(Finding::new("path", capital(&text)))
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}
