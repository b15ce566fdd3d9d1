//! Between which sizes a library changes its protocol, where the figures show it.

use super::estimate::Estimate;
use super::gathered::{Gathered, PostingSite, RequestSize};
use crate::model::overlap::Traffic;
use crate::report::Value;

/// Availability jumps by at least so many of 100, and thrice as far as on either side.
const JUMP: f64 = 25.0;
/// Overhead grows by at least so much, and twice as much as on either side, where it does not fall again.
const GROWTH: f64 = 3.0;
const FALL: f64 = 0.75;

/// A sentence for each place whose figures jump between two sizes, and are steady before and behind them.
pub fn switches(all: &Gathered) -> Vec<String> {
    let places = all.places().into_iter().filter(|place| place.traffic != Traffic::Collective);
    places.filter_map(|place| switch(all, place)).collect()
}

fn switch(all: &Gathered, place: &PostingSite) -> Option<String> {
    let sizes = all.rows(false).filter(|(other, ..)| *other == place);
    let figures = |(_, size, lives)| {
        let estimate = Estimate::of(all, place, size, lives);
        Some((size, estimate.availability?, estimate.overhead?))
    };
    let rows: Vec<(RequestSize, f64, f64)> = sizes.filter_map(figures).collect();
    let jump = |at: usize| (rows[at + 1].1 - rows[at].1).abs();
    let growth = |at: usize| rows[at + 1].2 / rows[at].2.max(1.0);
    let jumps = |at: &usize| jump(*at) >= JUMP && jump(*at) >= 3.0 * jump(at - 1).max(jump(at + 1));
    let is_steady = |at: usize| growth(at) >= FALL;
    let grows = |at: &usize| {
        let beside = [growth(at - 1), growth(at + 1)];
        growth(*at) >= GROWTH
            && beside.iter().all(|other| growth(*at) >= 2.0 * other)
            && is_steady(at - 1)
            && is_steady(at + 1)
    };
    let inner = 1..rows.len().saturating_sub(2);
    let at = inner.clone().find(jumps).or_else(|| inner.clone().find(grows))?;
    let ((before, available, overhead), (behind, then, more)) = (rows[at], rows[at + 1]);
    let bytes = |size: RequestSize| Value::Bytes(size.bytes);
    let time = |nanoseconds: f64| Value::Seconds(nanoseconds / 1e9);
    let whose = format!("{} at {}", place.function, place.site);
    Some(format!(
        "{whose}: the protocol seems to change between {} and {}: availability from {available:.0} to {then:.0} %, \
         overhead from {} to {}",
        bytes(before),
        bytes(behind),
        time(overhead),
        time(more)
    ))
}
