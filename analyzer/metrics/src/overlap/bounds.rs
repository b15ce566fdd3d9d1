//! The least and the most of a transfer that was hidden.
//!
//! What is known of when the transfer was over bounds it from above (Shet, Sadayappan, Bernholdt, CLUSTER 2008). How long equal requests
//! take that nothing overlaps bounds both: what of that time was not spent in MPI was hidden. Where no equal ones are known, the next smaller
//! and larger ones hold it between them.

use super::transfer::TransferTime;
use crate::median::{interval, median};
use model::overlap::{BoundRule, RequestLife};

/// Of 100.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HiddenBounds {
    /// None where no transfer time is known that it could rest on.
    pub least: Option<f64>,
    pub most: f64,
    /// What the upper one rests on.
    pub rule: &'static str,
}

/// Transfers of the same kind: of the nearest size that is not larger, and of the nearest that is not smaller.
#[derive(Clone, Copy, Default)]
pub struct NearTransfers<'a> {
    pub smaller: Option<&'a TransferTime>,
    pub larger: Option<&'a TransferTime>,
}

impl HiddenBounds {
    /// Of typical requests, each rank's transfers being over by a rule.
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

/// The share of a transfer that its overhead leaves, of 100.
pub fn hidden(transfer: f64, overhead: f64) -> f64 {
    (100.0 * (1.0 - overhead / transfer)).clamp(0.0, 100.0)
}
