//! One figure for many.

/// A value over this, in the median of its kind, was disturbed.
const DISTURBED: f64 = 1.5;

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

pub fn median(values: &[f64]) -> f64 {
    let values = sorted(values);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Between which the median lies with 95 % confidence, whatever the values' distribution: by their order.
pub fn interval(values: &[f64]) -> (f64, f64) {
    let values = sorted(values);
    let count = values.len() as f64;
    let aside = (count / 2.0 - 0.98 * count.sqrt()).floor().max(0.0) as usize;
    (values[aside], values[values.len() - 1 - aside])
}

/// How many were longer than their median by more than half.
pub fn disturbed(values: &[f64]) -> usize {
    let typical = median(values);
    values.iter().filter(|value| **value > DISTURBED * typical).count()
}
