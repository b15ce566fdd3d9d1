//! One figure for many of which a few are far off.

/// The value in the middle.
pub fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// Fewer values bound no median: their extremes do not hold it so surely.
const FEWEST: usize = 6;

/// How many of so many values lie beyond the interval that holds their median with 95 % confidence, on either side, whatever their
/// distribution: the normal approximation of the binomial distribution of how many lie below the median. `None` of too few.
pub fn beyond_interval(count: usize) -> Option<usize> {
    let aside = (count as f64 / 2.0 - 0.98 * (count as f64).sqrt()).floor().max(0.0) as usize;
    (count >= FEWEST).then_some(aside)
}

/// The interval that holds the median of sorted values with 95 % confidence. `None` of too few.
pub fn interval(sorted: &[f64]) -> Option<(f64, f64)> {
    let aside = beyond_interval(sorted.len())?;
    Some((sorted[aside], sorted[sorted.len() - 1 - aside]))
}
