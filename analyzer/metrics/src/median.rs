//! Medians and their confidence intervals, for figures with outliers.

/// The middle value, or the mean of the two middle ones. `None` without values.
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

/// The middle value, or the lower of the two middle ones; 0 without values.
pub fn lower_median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}

/// With fewer values, even the extremes do not hold the median with 95 % confidence.
const FEWEST: usize = 6;

/// The number of values, out of `count`, that lie beyond the 95 % confidence interval of their median on either side.
/// It holds for any distribution: the values below the median follow a binomial distribution, here in its normal
/// approximation. `None` for fewer than `FEWEST`.
pub fn beyond_interval(count: usize) -> Option<usize> {
    let aside = (count as f64 / 2.0 - 0.98 * (count as f64).sqrt()).floor().max(0.0) as usize;
    (count >= FEWEST).then_some(aside)
}

/// The interval that holds the median of sorted values with 95 % confidence. `None` for fewer than `FEWEST`.
pub fn interval(sorted: &[f64]) -> Option<(f64, f64)> {
    let aside = beyond_interval(sorted.len())?;
    Some((sorted[aside], sorted[sorted.len() - 1 - aside]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_median_is_a_value_itself() {
        let of = |values: &[f64]| lower_median(values.iter().copied());
        assert_eq!([of(&[3.0, 1.0]), of(&[3.0, 1.0, 2.0]), of(&[])], [1.0, 2.0, 0.0]);
    }
}
