//! The median of weighted values, and its confidence interval.

/// A median and its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    pub median: f64,
    /// `None` with too few values.
    pub interval: Option<(f64, f64)>,
}

/// With a smaller effective number of values, even the extremes do not bound the median.
const LEAST: f64 = 6.0;

/// The median of (value, weight). The interval follows from the order of the values, whatever their distribution;
/// values of unequal weight count as the number of equal ones with the same variance (Kish 1965).
pub fn spread(mut values: Vec<(f64, f64)>) -> Option<Spread> {
    values.retain(|(value, weight)| value.is_finite() && *weight > 0.0);
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let sum = |term: fn(f64) -> f64| values.iter().map(|(_, weight)| term(*weight)).sum::<f64>();
    let (whole, count) = (sum(|weight| weight), sum(|weight| weight).powi(2) / sum(|weight| weight * weight));
    let aside = 0.98 / count.sqrt();
    let bounds = || Some((at(&values, whole * (0.5 - aside))?, at(&values, whole * (0.5 + aside))?));
    let interval = if count >= LEAST { bounds() } else { None };
    Some(Spread { median: at(&values, whole / 2.0)?, interval })
}

/// The value below which this much weight lies; if that is between two values, their mean.
fn at(values: &[(f64, f64)], weight: f64) -> Option<f64> {
    let mut below = 0.0;
    for (place, (value, own)) in values.iter().enumerate() {
        below += own;
        if below > weight {
            return Some(*value);
        }
        if below == weight {
            return Some(values.get(place + 1).map_or(*value, |next| (value + next.0) / 2.0));
        }
    }
    values.last().map(|last| last.0)
}

impl Spread {
    /// The median and the interval, multiplied.
    pub fn times(self, factor: f64) -> Spread {
        let interval = self.interval.map(|(least, most)| (factor * least, factor * most));
        Spread { median: factor * self.median, interval }
    }

    /// The longer side of the interval.
    pub fn reach(&self) -> Option<f64> {
        self.interval.map(|(least, most)| (self.median - least).max(most - self.median))
    }

    /// A value with an error of `reach` on either side.
    pub fn about(median: f64, reach: Option<f64>) -> Spread {
        Spread { median, interval: reach.map(|reach| (median - reach, median + reach)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_values_count_for_many_and_few_values_bound_nothing() {
        let spread_of = |values: &[(f64, f64)]| spread(values.to_vec()).unwrap();
        assert_eq!(spread_of(&[(1.0, 1.0), (2.0, 1.0), (9.0, 10.0)]).median, 9.0);
        assert_eq!(spread_of(&[(1.0, 1.0), (2.0, 1.0)]).median, 1.5);
        assert_eq!(spread_of(&[(1.0, 1.0); 5]).interval, None);
        let many: Vec<(f64, f64)> = (0..100).map(|value| (f64::from(value), 1.0)).collect();
        let (least, most) = spread_of(&many).interval.unwrap();
        assert!((38.0..42.0).contains(&least) && (58.0..62.0).contains(&most), "{least} {most}");
        assert_eq!(spread(Vec::new()), None);
    }
}
