//! An axis: positions of its values, and its labels.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::Ranged;

use tables::Value;
use tables::number;

#[derive(Clone, Debug)]
pub struct Axis {
    /// Label without the unit.
    pub label: String,
    /// Maps values to positions.
    pub scale: AxisScale,
    pub unit: AxisUnit,
}

/// Mapping from values to positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AxisScale {
    /// Linear, from 0.
    Linear,
    /// Linear, over the values alone: for moments of a run, which may begin long after 0.
    Span,
    /// Logarithmic, with marks at powers of 2. Values of 0 and below are not shown.
    Log2,
    /// Logarithmic, with marks at powers of 10. Values of 0 and below are not shown.
    Log10,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AxisUnit {
    Count,
    /// Bytes, in binary units. Each mark has its own, since sizes are known by these names: 64 B, 64 KiB.
    Bytes,
    /// Seconds, in the decimal unit that suits the axis.
    Seconds,
    /// Bytes per second, in the decimal unit that suits the axis.
    BytesPerSecond,
    Percent,
}

impl AxisUnit {
    /// Sizes and names of the units that marks may have.
    fn steps(self) -> &'static [(f64, &'static str)] {
        match self {
            AxisUnit::Count | AxisUnit::Bytes => &[(1.0, "")],
            AxisUnit::Percent => &[(1.0, "%")],
            AxisUnit::Seconds => &[(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")],
            AxisUnit::BytesPerSecond => &[(1.0, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s")],
        }
    }
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
/// Least end of an axis of shares.
const LEAST_PERCENT: f64 = 1.0;

impl Axis {
    pub fn new(label: &str, scale: AxisScale, unit: AxisUnit) -> Axis {
        Axis { label: label.into(), scale, unit }
    }

    /// Position of a value; `None` if the axis cannot show it.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            AxisScale::Linear | AxisScale::Span => value,
            AxisScale::Log2 => value.log2(),
            AxisScale::Log10 => value.log10(),
        };
        place.is_finite().then_some(place)
    }

    fn value(&self, place: f64) -> f64 {
        match self.scale {
            AxisScale::Linear | AxisScale::Span => place,
            AxisScale::Log2 => place.exp2(),
            AxisScale::Log10 => 10f64.powf(place),
        }
    }

    /// The unit that all marks share: it suits the end of a linear axis, and the middle of a logarithmic one.
    fn shared_unit(&self, span: &AxisSpan) -> (f64, &'static str) {
        let value = match self.scale {
            AxisScale::Linear | AxisScale::Span => span.most.abs().max(span.least.abs()),
            AxisScale::Log2 | AxisScale::Log10 => self.value((span.least + span.most) / 2.0),
        };
        let steps = self.unit.steps();
        let fits = |(size, _): &&(f64, &str)| value >= size * 0.9995;
        steps.iter().rev().find(fits).copied().unwrap_or(steps[0])
    }

    /// Label of the axis, with the unit.
    pub(super) fn heading(&self, span: &AxisSpan) -> String {
        match self.shared_unit(span).1 {
            "" => self.label.clone(),
            unit => format!("{} ({unit})", self.label),
        }
    }

    /// Label at a position, without the unit.
    pub(super) fn text(&self, place: f64, span: &AxisSpan) -> String {
        let value = self.value(place);
        if self.unit == AxisUnit::Bytes {
            return Value::Bytes(value.round() as u64).to_string().replace(".0 ", " ");
        }
        let digits = number::significant(value / self.shared_unit(span).0, 3, 9);
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.').into() } else { digits }
    }

    /// Range that holds these positions.
    pub(super) fn span(&self, places: impl Iterator<Item = f64>) -> AxisSpan {
        let (least, most) =
            places.fold((f64::MAX, f64::MIN), |(least, most), place| (least.min(place), most.max(place)));
        let (least, most) = if least > most { (0.0, 1.0) } else { (least, most) };
        match self.scale {
            // An axis up to 0.02 % would make much of nothing.
            AxisScale::Linear if self.unit == AxisUnit::Percent => linear(least.min(0.0), most.max(LEAST_PERCENT)),
            AxisScale::Linear => linear(least.min(0.0), most.max(0.0)),
            AxisScale::Span => linear(least, most),
            AxisScale::Log2 => powers(least, most, &[0.0]),
            AxisScale::Log10 if most - least < 2.0 => powers(least, most, &[0.0, 2f64.log10(), 5f64.log10()]),
            AxisScale::Log10 => powers(least, most, &[0.0]),
        }
    }
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

/// Marks at whole positions and these fractions between them, at least two, thinned to fit.
fn powers(least: f64, most: f64, parts: &[f64]) -> AxisSpan {
    // Points on the frame are hard to see.
    let margin = ((most - least) * 0.03).max(0.1);
    let (mut least, mut most) = (least - margin, most + margin);
    let wholes = least.floor() as i64..=most.ceil() as i64;
    let all: Vec<f64> = wholes.flat_map(|whole| parts.iter().map(move |part| whole as f64 + part)).collect();
    if all.iter().filter(|mark| (least..=most).contains(*mark)).count() < 2 {
        // One number tells no scale.
        least = all.iter().copied().rfind(|mark| *mark <= least).unwrap_or(least);
        most = all.iter().copied().find(|mark| *mark >= most).unwrap_or(most);
    }
    let marks: Vec<f64> = all.into_iter().filter(|mark| (least..=most).contains(mark)).collect();
    let each = marks.len().div_ceil(MARKS).max(1);
    AxisSpan { least, most, marks: marks.into_iter().step_by(each).collect() }
}

#[cfg(test)]
mod tests {
    use super::{Axis, AxisScale, AxisUnit};

    /// Marks of an axis, with its unit first.
    fn marks(scale: AxisScale, unit: AxisUnit, values: &[f64]) -> Vec<String> {
        let axis = Axis::new("", scale, unit);
        let span = axis.span(values.iter().filter_map(|value| axis.place(*value)));
        let unit = axis.heading(&span);
        std::iter::once(unit).chain(span.marks.iter().map(|mark| axis.text(*mark, &span))).collect()
    }

    #[test]
    fn marks_are_round_numbers_in_the_one_unit_of_their_axis() {
        let times = |values: &[f64]| marks(AxisScale::Log10, AxisUnit::Seconds, values);
        assert_eq!(times(&[2e-7, 3e-3]), [" (µs)", "1", "10", "100", "1,000"]);
        assert_eq!(times(&[1.5e-6, 7e-6]), [" (µs)", "2", "5"]);
        assert_eq!(times(&[6e-3, 7e-3]), [" (ms)", "2", "5", "10"]);
        assert_eq!(times(&[1e-3]), [" (ms)", "0.5", "1", "2"]);
        let rates = marks(AxisScale::Linear, AxisUnit::BytesPerSecond, &[0.0, 1.2e9]);
        assert_eq!(rates, [" (GB/s)", "0", "0.2", "0.4", "0.6", "0.8", "1", "1.2"]);
        let calls = marks(AxisScale::Linear, AxisUnit::Count, &[2.0, 11_000.0]);
        assert_eq!(calls, ["", "0", "2,000", "4,000", "6,000", "8,000", "10,000", "12,000"]);
        let shares = |values: &[f64]| marks(AxisScale::Linear, AxisUnit::Percent, values);
        assert_eq!(shares(&[3.0, 97.0]).len(), 1 + 11);
        assert_eq!(shares(&[0.0, 0.02]).last().map(String::as_str), Some("1"));
    }

    #[test]
    fn sizes_keep_the_binary_units_that_they_are_known_by() {
        let sizes = marks(AxisScale::Log2, AxisUnit::Bytes, &[1.0, 1048576.0]);
        assert_eq!(sizes, ["", "1 B", "8 B", "64 B", "512 B", "4 KiB", "32 KiB", "256 KiB"]);
    }

    #[test]
    fn values_without_a_place_are_not_shown() {
        let axis = Axis::new("", AxisScale::Log10, AxisUnit::Seconds);
        assert_eq!([0.0, -1.0, f64::NAN].map(|value| axis.place(value)), [None; 3]);
        assert!(!axis.span(std::iter::empty()).marks.is_empty());
    }
}
