//! Chooses one unit for times that are shown together, so that they can be compared.

use crate::number;

/// A unit of time, and the number of decimals that show what was measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    /// `s`, `ms` or `µs`.
    pub unit: &'static str,
    in_a_second: f64,
    decimals: usize,
    /// The most significant digits of a time whose error is unknown.
    digits: usize,
}

/// No time is measured better than this without an error that says so.
const DIGITS: usize = 5;
/// The digits that a float has.
const ALL: usize = 17;

impl Scale {
    /// The scale for times up to `longest` seconds. In µs, decimals reach down to nanoseconds; in longer units, to
    /// microseconds.
    pub fn of(longest: f64) -> Scale {
        let (unit, in_a_second, decimals) = match longest {
            seconds if seconds >= 1.0 => ("s", 1.0, 6),
            seconds if seconds >= 1e-3 => ("ms", 1e3, 3),
            seconds if seconds > 0.0 => ("µs", 1e6, 3),
            _ => ("s", 1.0, 0),
        };
        Scale { unit, in_a_second, decimals, digits: DIGITS }
    }

    /// The scale for times in a sentence: three decimals are enough.
    pub fn in_words(self) -> Scale {
        Scale { decimals: self.decimals.min(3), ..self }
    }

    /// The scale for times that are known to `error` seconds: two digits of that are enough.
    pub fn known_to(self, error: f64) -> Scale {
        let before = (error * self.in_a_second).log10().floor() as i32;
        Scale { decimals: self.decimals.min((1 - before).max(0) as usize), digits: ALL, ..self }
    }

    /// A time in this unit, without the unit. Only a time of 0 is printed as 0; a time too short for the decimals is
    /// printed as `<0.001`.
    pub fn number(&self, seconds: f64) -> String {
        if seconds == 0.0 {
            return "0".into();
        }
        let (value, decimals) = (seconds * self.in_a_second, self.decimals);
        let least = 0.1f64.powi(decimals as i32);
        if value.abs() < least / 2.0 {
            return format!("<{least:.decimals$}");
        }
        number::significant(value, self.digits, decimals)
    }

    pub fn text(&self, seconds: f64) -> String {
        format!("{} {}", self.number(seconds), self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn a_time_has_no_more_digits_than_its_error_allows() {
        let said = |time: f64, error: f64| {
            let scale = Scale::of(time).known_to(error);
            format!("{} ± {}", scale.number(time), scale.text(error))
        };
        assert_eq!(said(1.177_737, 29e-6), "1.177737 ± 0.000029 s");
        assert_eq!(said(1.177_737, 0.0293), "1.178 ± 0.029 s");
        assert_eq!(said(184.482e-6, 0.936e-6), "184.48 ± 0.94 µs");
        assert_eq!(said(42.0, 310.0), "42 ± 310 s");
        assert_eq!(said(2.5, 1e-9), "2.500000 ± <0.000001 s");
    }

    #[test]
    fn the_longest_time_chooses_the_unit_and_none_that_passed_is_printed_as_zero() {
        let lines = |times: [f64; 3]| times.map(|time| Scale::of(times[0]).text(time));
        assert_eq!(lines([12.5, 1e-6, 1e-9]), ["12.500 s", "0.000001 s", "<0.000001 s"]);
        assert_eq!(lines([0.9999, 2.5e-6, 0.0]), ["999.90 ms", "0.003 ms", "0 ms"]);
        assert_eq!(lines([42e-6, 31e-9, 1e-13]), ["42.000 µs", "0.031 µs", "<0.001 µs"]);
        assert_eq!(Scale::of(0.0).text(0.0), "0 s");
        assert_eq!(Scale::of(36_000.0).text(36_000.0), "36,000 s");
        assert_eq!(Scale::of(2.0).in_words().text(1.23456), "1.235 s");
    }
}
