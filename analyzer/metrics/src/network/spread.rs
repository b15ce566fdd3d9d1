//! The median of values that count by their weight, and how sure it is.

/// A median and its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// See above.
    pub median: f64,
    /// None where too few values bound it.
    pub interval: Option<(f64, f64)>,
}

/// So many values of one weight bound a median: of fewer the extremes do not.
const LEAST: f64 = 6.0;

/// Of (value, weight). The interval goes by the order of the values, whatever their distribution; values of unequal weight count as
/// so many of equal ones as have the same variance (Kish 1965).
pub fn spread(mut values: Vec<(f64, f64)>) -> Option<Spread> {
    values.retain(|(value, weight)| value.is_finite() && *weight > 0.0);
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let sum = |of: fn(f64) -> f64| values.iter().map(|(_, weight)| of(*weight)).sum::<f64>();
    let (whole, count) = (sum(|weight| weight), sum(|weight| weight).powi(2) / sum(|weight| weight * weight));
    let aside = 0.98 / count.sqrt();
    let bounds = || Some((at(&values, whole * (0.5 - aside))?, at(&values, whole * (0.5 + aside))?));
    let interval = if count >= LEAST { bounds() } else { None };
    Some(Spread { median: at(&values, whole / 2.0)?, interval })
}

/// The value below and above which so much weight lies; between two, their mean.
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
    /// The same, each times so much.
    pub fn times(self, factor: f64) -> Spread {
        let interval = self.interval.map(|(least, most)| (factor * least, factor * most));
        Spread { median: factor * self.median, interval }
    }

    /// Half of the interval, by its longer side.
    pub fn reach(&self) -> Option<f64> {
        self.interval.map(|(least, most)| (self.median - least).max(most - self.median))
    }

    /// A value that may be off by so much on either side.
    pub fn about(median: f64, reach: Option<f64>) -> Spread {
        Spread { median, interval: reach.map(|reach| (median - reach, median + reach)) }
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn heavy_values_count_for_many_and_few_values_bound_nothing() {
        let of = |values: &[(f64, f64)]| spread(values.to_vec()).unwrap();
        assert_eq!(of(&[(1.0, 1.0), (2.0, 1.0), (9.0, 10.0)]).median, 9.0);
        assert_eq!(of(&[(1.0, 1.0), (2.0, 1.0)]).median, 1.5);
        assert_eq!(of(&[(1.0, 1.0); 5]).interval, None);
        let many: Vec<(f64, f64)> = (0..100).map(|value| (f64::from(value), 1.0)).collect();
        let (least, most) = of(&many).interval.unwrap();
        assert!((38.0..42.0).contains(&least) && (58.0..62.0).contains(&most), "{least} {most}");
        assert_eq!(spread(Vec::new()), None);
    }
}
