//! Rate of entries into the progress engine over time.

use plotters::prelude::*;

use super::{Drawn, PlotFile};
use crate::palette::{BLUE, RED};
use model::error::Error;
use tables::number;

/// Entries per second, in slices of equal length.
pub struct EntryRates {
    pub wall: f64,
    /// Rate of all entries.
    pub all: Vec<f64>,
    /// Rate of entries that made progress.
    pub productive: Vec<f64>,
}

/// Draws the rates. Fails if all are 0.
pub fn entries(rates: &EntryRates, file: &PlotFile) -> Result<(), Error> {
    if !rates.all.iter().any(|rate| *rate > 0.0) {
        return Err(file.error("nothing to plot: no entry into the progress engine was recorded"));
    }
    file.write(|svg| draw(svg, rates.wall, &rates.all, &rates.productive))
}

fn draw(svg: &mut String, wall: f64, all: &[f64], productive: &[f64]) -> Drawn {
    let area = SVGBackend::with_string(svg, (900, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let most = all.iter().copied().fold(1.0, f64::max) * 1.3;
    let mut chart = ChartBuilder::on(&area)
        .caption("entries into the progress engine, all ranks", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..wall, (0.5..most).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("seconds since MPI_Init")
        .y_desc("entries a second")
        .y_label_formatter(&|value| number::decimal(*value, 0))
        .light_line_style(TRANSPARENT)
        .draw()?;
    let slice = wall / all.len() as f64;
    let steps = |values: &[f64]| -> Vec<(f64, f64)> {
        let two = |(at, value): (usize, &f64)| [(at as f64 * slice, *value), ((at + 1) as f64 * slice, *value)];
        values.iter().enumerate().flat_map(two).map(|(at, value)| (at, value.max(0.5))).collect()
    };
    for (values, color, name) in [(all, BLUE.in_plot(), "all"), (productive, RED.in_plot(), "productive")] {
        let line = LineSeries::new(steps(values), color.stroke_width(2));
        chart
            .draw_series(line)?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(TRANSPARENT)
        .draw()?;
    area.present()?;
    Ok(())
}
