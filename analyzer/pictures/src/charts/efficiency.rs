//! POP metrics of the run and of its phases.

use crate::plot::{Axis, AxisScale, AxisUnit, BarLayout, BarRow, Bars, Chart, Drawing, Series};
use metrics::pop::{Efficiency, factors, phases};
use tables::{Sheet, Unit};

/// Factors as bars, and as lines over the phases, if there are any.
pub fn efficiency(efficiency: &Efficiency, of_phases: Vec<Efficiency>) -> Vec<Drawing> {
    let percent = |label: &str| Axis::new(label, AxisScale::Linear, AxisUnit::Percent);
    let sheet = Sheet::from(factors(efficiency));
    let row = |row: usize| {
        let value = sheet.number(row, "percent")?;
        Some(BarRow { name: sheet.value(row, "metric").to_string(), values: vec![value], intervals: Vec::new() })
    };
    let bars = Bars {
        title: "parallel efficiency and its factors".into(),
        x: percent("of the ideal"),
        parts: Vec::new(),
        layout: BarLayout::Stacked,
        rows: (0..sheet.rows.len()).filter_map(row).collect(),
    };
    let sheet = Sheet::from(phases(of_phases));
    let line = |key: &str, name: &str| {
        let point = |row: usize| Some((sheet.number(row, "phase")?, sheet.number(row, key)?));
        Series { name: name.into(), points: (0..sheet.rows.len()).filter_map(point).collect(), intervals: Vec::new() }
    };
    let columns = sheet.columns.iter().filter(|column| column.unit == Unit::Percent);
    let over_phases = Chart {
        title: "the same by phase".into(),
        x: Axis::new("phase", AxisScale::Linear, AxisUnit::Count),
        y: percent("of the ideal"),
        series: columns.map(|column| line(&column.key, column.heading.trim_end_matches(" %"))).collect(),
    };
    vec![bars.into(), over_phases.into()]
}
