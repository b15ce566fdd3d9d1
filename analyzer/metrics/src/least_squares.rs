//! A line of least squares through weighted points.

/// Weighted sums that determine a line of least squares. Differences of running sums are the sums of the
/// consecutive points between.
#[derive(Clone, Copy, Default, Debug)]
pub struct Sums {
    pub one: f64,
    pub x: f64,
    pub xx: f64,
    pub y: f64,
    pub xy: f64,
    yy: f64,
}

impl Sums {
    /// Of one point.
    pub fn of(x: f64, y: f64, weight: f64) -> Sums {
        Sums { one: weight, x: weight * x, xx: weight * x * x, y: weight * y, xy: weight * x * y, yy: weight * y * y }
    }

    /// The sums of both sets of points.
    pub fn plus(self, other: Sums) -> Sums {
        self.combined(other, |one, other| one + other)
    }

    /// The sums minus the other set's.
    pub fn minus(self, other: Sums) -> Sums {
        self.combined(other, |one, other| one - other)
    }

    fn combined(self, other: Sums, operation: impl Fn(f64, f64) -> f64) -> Sums {
        Sums {
            one: operation(self.one, other.one),
            x: operation(self.x, other.x),
            xx: operation(self.xx, other.xx),
            y: operation(self.y, other.y),
            xy: operation(self.xy, other.xy),
            yy: operation(self.yy, other.yy),
        }
    }

    /// The squared residuals of the best line, in units of the points' noise.
    pub fn least_missed(&self) -> f64 {
        self.line().map_or(f64::INFINITY, |([a, b], _)| self.missed(a, b))
    }

    /// The line `a + b x`, and the variances and the covariance of `a` and `b` for points with unit noise, that of both between the
    /// others. `None` if all `x` are the same.
    pub fn line(&self) -> Option<([f64; 2], [f64; 3])> {
        let determinant = self.one * self.xx - self.x * self.x;
        if determinant <= 1e-12 * self.one * self.xx {
            return None;
        }
        let a = (self.xx * self.y - self.x * self.xy) / determinant;
        let b = (self.one * self.xy - self.x * self.y) / determinant;
        Some(([a, b], [self.xx / determinant, -self.x / determinant, self.one / determinant]))
    }

    /// The squared residuals of a line.
    pub fn missed(&self, a: f64, b: f64) -> f64 {
        let crossed = 2.0 * (a * b * self.x - a * self.y - b * self.xy);
        (self.yy + a * a * self.one + b * b * self.xx + crossed).max(0.0)
    }
}
