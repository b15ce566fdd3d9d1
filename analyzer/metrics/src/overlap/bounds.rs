//! Bounds of the hidden part of a transfer.
//!
//! The time at which the transfer was known to be over bounds it from above (Shet, Sadayappan, Bernholdt, CLUSTER
//! 2008). The time of equal requests that nothing overlaps bounds it on both sides: the part of that time not spent in
//! MPI was hidden. If there are no equal requests, the next smaller and the next larger ones bound it.

use super::transfer::TransferTime;
use crate::median::{interval, median};
use model::overlap::{BoundRule, RequestLife};

/// Bounds in percent of the transfer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HiddenBounds {
    /// `None` if no transfer of this or a smaller size is known.
    pub least: Option<f64>,
    pub most: f64,
    /// The rule behind the upper bound.
    pub rule: &'static str,
}

/// Transfers of the same kind: of the nearest size that is not larger, and of the nearest that is not smaller.
#[derive(Clone, Copy, Default)]
pub struct NearTransfers<'a> {
    pub smaller: Option<&'a TransferTime>,
    pub larger: Option<&'a TransferTime>,
}

impl HiddenBounds {
    /// The bounds for typical requests. `host` is the overhead of a request in nanoseconds; `rule` says how the end of
    /// a transfer is known.
    pub fn of(
        lives: &[&RequestLife],
        host: impl Fn(&RequestLife) -> f64,
        near: NearTransfers<'_>,
        rule: BoundRule,
    ) -> Option<HiddenBounds> {
        let mut overheads: Vec<f64> = lives.iter().map(|life| host(life)).collect();
        overheads.sort_by(f64::total_cmp);
        let middle = median(overheads.iter().copied())?;
        let overhead = interval(&overheads).unwrap_or((middle, middle));
        let by_end = median(lives.iter().map(|life| hidden(life.over as f64, host(life))))?;
        let computing = median(lives.iter().map(|life| life.computing() as f64))?;
        let least = near.smaller.map(|transfer| hidden(transfer.bounds().0, overhead.1));
        let by_equals = near.larger.map(|transfer| {
            let most = transfer.bounds().1;
            hidden(most, overhead.0).min(100.0 * computing / most)
        });
        let (most, rule) = match by_equals {
            Some(most) if most < by_end => (most, "equal"),
            _ => (by_end, rule.name()),
        };
        Some(HiddenBounds { least: least.map(|least| least.min(most)), most, rule })
    }
}

/// The share of a transfer that its overhead leaves, in percent.
pub fn hidden(transfer: f64, overhead: f64) -> f64 {
    (100.0 * (1.0 - overhead / transfer)).clamp(0.0, 100.0)
}
