//! Numbers as people read them: thousands are parted by commas, and a measured figure has a few significant digits.
//!
//! The modules of a page have the same rules in `timeline/format.js`, and a test in a browser compares them.

/// A whole number: `81,204`.
pub fn whole(number: u64) -> String {
    grouped(&number.to_string())
}

/// A number with this many decimals: `1,234.5`.
pub fn decimal(number: f64, decimals: usize) -> String {
    grouped(&format!("{number:.decimals$}"))
}

/// A number with this many significant digits, and at most this many decimals. Digits before the point are never cut.
pub fn significant(number: f64, digits: usize, decimals: usize) -> String {
    decimal(number, decimals.min(decimals_for(number, digits)))
}

/// The decimals with which a number has this many significant digits, the digits before the point among them.
fn decimals_for(number: f64, digits: usize) -> usize {
    // Rounding may add a digit before the point: 99.96 with three digits is 100.
    let rounded = format!("{number:.*e}", digits - 1);
    let power: i32 = rounded.rsplit('e').next().and_then(|power| power.parse().ok()).unwrap_or(0);
    (digits as i32 - 1 - power).max(0) as usize
}

/// The text of a number with commas between its thousands.
fn grouped(text: &str) -> String {
    let first = text.find(|one: char| one.is_ascii_digit()).unwrap_or(0);
    let end = text[first..].find('.').map_or(text.len(), |point| first + point);
    let mut parted = String::with_capacity(text.len() + 4);
    for (at, letter) in text.char_indices() {
        if at > first && at < end && (end - at).is_multiple_of(3) {
            parted.push(',');
        }
        parted.push(letter);
    }
    parted
}

#[cfg(test)]
mod tests {
    use super::{decimal, significant, whole};

    #[test]
    fn commas_part_thousands_and_nothing_else() {
        assert_eq!([0, 999, 1000, 81_204, 1_234_567].map(whole), ["0", "999", "1,000", "81,204", "1,234,567"]);
        assert_eq!(
            [-999.4, -1000.0, 12_345.678].map(|number| decimal(number, 2)),
            ["-999.40", "-1,000.00", "12,345.68"]
        );
        assert_eq!([f64::INFINITY, f64::NAN].map(|number| decimal(number, 2)), ["inf", "NaN"]);
    }

    #[test]
    fn a_number_has_at_most_so_many_digits_also_where_rounding_adds_one() {
        let three = [0.004, 0.126, 7.963, 9.996, 37.64, 99.96, 196.4, 2345.6].map(|number| significant(number, 3, 2));
        assert_eq!(three, ["0.00", "0.13", "7.96", "10.0", "37.6", "100", "196", "2,346"]);
        let five = [3.853_521, 0.318_608, 0.000_042, 99.999_6, 318.608].map(|number| significant(number, 5, 6));
        assert_eq!(five, ["3.8535", "0.31861", "0.000042", "100.00", "318.61"]);
    }
}
