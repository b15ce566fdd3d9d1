//! One figure for many, of which a few are far off.

/// A value above this multiple of the median of its kind was disturbed.
pub const DISTURBED: f64 = 1.5;
/// Fewer values bound no median: their extremes do not hold it with 95 % confidence.
const FEWEST: usize = 6;

/// The arithmetic mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The smallest first.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// The value in the middle of at least one.
pub fn median(values: &[f64]) -> f64 {
    let values = sorted(values);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// The least of the values that so large a share of them does not exceed.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let place = (share * values.len() as f64).ceil() as usize;
    sorted(values)[place.clamp(1, values.len()) - 1]
}

/// Between which the median lies with 95 % confidence, whatever the values' distribution: by their order.
pub fn interval(values: &[f64]) -> Option<(f64, f64)> {
    let values = sorted(values);
    let count = values.len() as f64;
    let aside = (count / 2.0 - 0.98 * count.sqrt()).floor().max(0.0) as usize;
    (values.len() >= FEWEST).then(|| (values[aside], values[values.len() - 1 - aside]))
}

/// Number of disturbed values.
pub fn disturbed(values: &[f64]) -> usize {
    let typical = median(values);
    values.iter().filter(|value| **value > DISTURBED * typical).count()
}
