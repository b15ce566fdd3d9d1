//! How long transfers take that nothing overlaps.

use crate::median::{interval, median};
use model::overlap::RequestLife;

/// Of requests of one size. Nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TransferTime {
    /// The time.
    pub median: f64,
    /// Between which it lies with 95 % confidence.
    pub between: Option<(f64, f64)>,
    /// What nine of ten take at least.
    pub least: f64,
    /// What lies between two calls of a request, of which recording is the greatest part.
    pub between_calls: f64,
}

impl TransferTime {
    /// Of the lives of requests that were waited for right after.
    pub fn of<'a>(direct: impl Iterator<Item = &'a RequestLife> + Clone) -> Option<TransferTime> {
        let gaps = direct.clone().filter_map(|life| life.between_calls()).map(|gap| gap as f64);
        let between_calls = median(gaps).unwrap_or(0.0);
        let mut times: Vec<f64> = direct.map(|life| life.transfer() as f64).collect();
        times.sort_by(f64::total_cmp);
        let least = *times.get(times.len() / 10)?;
        Some(TransferTime { median: median(times.iter().copied())?, between: interval(&times), least, between_calls })
    }
}
