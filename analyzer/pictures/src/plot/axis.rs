//! An axis: positions of its values, and its labels.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::Ranged;

use tables::Value;

#[derive(Clone, Debug)]
pub struct Axis {
    /// Label without the unit.
    pub label: String,
    /// Maps values to positions.
    pub scale: AxisScale,
    /// Unit of the labels.
    pub unit: AxisUnit,
}

/// Mapping from values to positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AxisScale {
    /// Linear, from 0.
    Linear,
    /// Logarithmic, with marks at powers of 2. Values of 0 and below are not shown.
    Log2,
    /// Logarithmic, with marks at powers of 10. Values of 0 and below are not shown.
    Log10,
}

/// Unit of the labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AxisUnit {
    /// Plain numbers.
    Count,
    /// Bytes, in binary units.
    Bytes,
    /// Seconds, in the decimal unit that suits each mark.
    Seconds,
    /// Bytes per second, in decimal units.
    BytesPerSecond,
    /// Percent.
    Percent,
}

/// Visible range of an axis, and its marks, in positions.
#[derive(Clone)]
pub(super) struct AxisSpan {
    pub least: f64,
    pub most: f64,
    pub marks: Vec<f64>,
}

impl Ranged for AxisSpan {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, pixels: (i32, i32)) -> i32 {
        let share = (place - self.least) / (self.most - self.least);
        pixels.0 + (f64::from(pixels.1 - pixels.0) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.marks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.least..self.most
    }
}

impl AxisSpan {
    /// Removes marks until at most `room` are left.
    pub(super) fn thinned(mut self, room: usize) -> AxisSpan {
        let each = self.marks.len().div_ceil(room.max(1)).max(1);
        self.marks = self.marks.into_iter().step_by(each).collect();
        self
    }
}

/// Marks per axis.
const MARKS: usize = 10;

impl Axis {
    pub fn new(label: &str, scale: AxisScale, unit: AxisUnit) -> Axis {
        Axis { label: label.into(), scale, unit }
    }

    /// Position of a value; `None` if the axis cannot show it.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            AxisScale::Linear => value,
            AxisScale::Log2 => value.log2(),
            AxisScale::Log10 => value.log10(),
        };
        place.is_finite().then_some(place)
    }

    /// Label at a position.
    pub(super) fn text(&self, place: f64) -> String {
        let value = match self.scale {
            AxisScale::Linear => place,
            AxisScale::Log2 => place.exp2(),
            AxisScale::Log10 => 10f64.powf(place),
        };
        match self.unit {
            AxisUnit::Count => in_steps(value, &[(1.0, ""), (1e6, " M")]),
            AxisUnit::Percent => in_steps(value, &[(1.0, " %")]),
            AxisUnit::Seconds if value == 0.0 => "0".into(),
            AxisUnit::Seconds => in_steps(value, &[(1e-9, " ns"), (1e-6, " µs"), (1e-3, " ms"), (1.0, " s")]),
            AxisUnit::BytesPerSecond => {
                in_steps(value, &[(1.0, " B/s"), (1e3, " kB/s"), (1e6, " MB/s"), (1e9, " GB/s")])
            }
            AxisUnit::Bytes => Value::Bytes(value.round() as u64).to_string().replace(".0 ", " "),
        }
    }

    /// Range that holds these positions.
    pub(super) fn span(&self, places: impl Iterator<Item = f64>) -> AxisSpan {
        let (least, most) =
            places.fold((f64::MAX, f64::MIN), |(least, most), place| (least.min(place), most.max(place)));
        let (least, most) = if least > most { (0.0, 1.0) } else { (least, most) };
        match self.scale {
            AxisScale::Linear => linear(least.min(0.0), most.max(0.0)),
            AxisScale::Log2 => powers(least, most, &[0.0]),
            AxisScale::Log10 if most - least < 2.0 => powers(least, most, &[0.0, 2f64.log10(), 5f64.log10()]),
            AxisScale::Log10 => powers(least, most, &[0.0]),
        }
    }
}

/// Writes a number in the largest unit that it reaches.
fn in_steps(value: f64, units: &[(f64, &str)]) -> String {
    let fits = |(size, _): &&(f64, &str)| value.abs() >= size * 0.9995;
    let (size, name) = units.iter().rev().find(fits).or(units.first()).copied().unwrap_or((1.0, ""));
    let digits = format!("{:.2}", value / size);
    format!("{}{name}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// Marks at 1, 2 or 5 times a power of 10.
fn linear(least: f64, most: f64) -> AxisSpan {
    let width = if most > least { most - least } else { 1.0 };
    let power = 10f64.powf((width / MARKS as f64).log10().floor());
    let fits = |step: &f64| width / step <= MARKS as f64;
    let step = [power, 2.0 * power, 5.0 * power, 10.0 * power].into_iter().find(fits).unwrap_or(width);
    let (first, last) = ((least / step).floor() as i64, ((least + width) / step).ceil() as i64);
    let marks = (first..=last).map(|number| number as f64 * step).collect();
    AxisSpan { least: first as f64 * step, most: last as f64 * step, marks }
}

/// Marks at whole positions and these fractions between them, thinned to fit.
fn powers(least: f64, most: f64, parts: &[f64]) -> AxisSpan {
    // Points on the frame are hard to see.
    let margin = ((most - least) * 0.03).max(0.1);
    let (least, most) = (least - margin, most + margin);
    let all =
        (least.floor() as i64..=most.ceil() as i64).flat_map(|whole| parts.iter().map(move |part| whole as f64 + part));
    let marks: Vec<f64> = all.filter(|mark| (least..=most).contains(mark)).collect();
    let each = marks.len().div_ceil(MARKS).max(1);
    AxisSpan { least, most, marks: marks.into_iter().step_by(each).collect() }
}

#[cfg(test)]
mod tests {
    use super::{Axis, AxisScale, AxisUnit};

    fn marks(scale: AxisScale, unit: AxisUnit, values: &[f64]) -> Vec<String> {
        let axis = Axis::new("", scale, unit);
        let span = axis.span(values.iter().filter_map(|value| axis.place(*value)));
        span.marks.iter().map(|mark| axis.text(*mark)).collect()
    }

    #[test]
    fn marks_are_round_numbers_with_their_units() {
        let sizes = marks(AxisScale::Log2, AxisUnit::Bytes, &[1.0, 1048576.0]);
        assert_eq!(sizes, ["1 B", "8 B", "64 B", "512 B", "4 KiB", "32 KiB", "256 KiB"]);
        assert_eq!(marks(AxisScale::Log10, AxisUnit::Seconds, &[2e-7, 3e-3]), ["1 µs", "10 µs", "100 µs", "1 ms"]);
        assert_eq!(marks(AxisScale::Log10, AxisUnit::Seconds, &[1.5e-6, 7e-6]), ["2 µs", "5 µs"]);
        assert_eq!(marks(AxisScale::Linear, AxisUnit::Percent, &[3.0, 97.0]).len(), 11);
        assert_eq!(
            marks(AxisScale::Linear, AxisUnit::Count, &[2.0, 4.0]),
            ["0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5", "4"]
        );
        let rates = marks(AxisScale::Linear, AxisUnit::BytesPerSecond, &[0.0, 2.5e9]);
        assert_eq!(rates.first().map(String::as_str), Some("0 B/s"));
        assert_eq!(rates.last().map(String::as_str), Some("2.5 GB/s"));
    }

    #[test]
    fn values_without_a_place_are_not_shown() {
        let axis = Axis::new("", AxisScale::Log10, AxisUnit::Seconds);
        assert_eq!([0.0, -1.0, f64::NAN].map(|value| axis.place(value)), [None; 3]);
        assert!(!axis.span(std::iter::empty()).marks.is_empty());
    }
}
