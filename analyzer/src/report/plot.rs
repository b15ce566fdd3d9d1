//! Pictures of a run.

use std::path::Path;

use plotters::prelude::*;

use crate::error::Error;
use crate::model::Run;
use crate::model::engine::{Engine, SLICES};

/// Entries into the progress engine and productive ones a second over the run, all ranks, as SVG.
pub fn entries(run: &Run, engines: &[Vec<Engine>], path: &Path) -> Result<(), Error> {
    let wall = run.ranks.iter().map(|rank| rank.wall()).fold(0.0, f64::max).max(1e-9);
    let slice = wall / SLICES as f64;
    let (mut all, mut productive) = (vec![0.0; SLICES], vec![0.0; SLICES]);
    for engine in engines.iter().flatten() {
        for (at, one) in engine.slices.iter().enumerate() {
            all[at] += one.entries / slice;
            productive[at] += one.productive / slice;
        }
    }
    draw(path, wall, &all, &productive).map_err(|reason| Error::Other(format!("{}: {reason}", path.display())))
}

fn draw(path: &Path, wall: f64, all: &[f64], productive: &[f64]) -> Result<(), Box<dyn std::error::Error>> {
    // The drawing library says only "I/O error" where a file cannot be written.
    std::fs::write(path, "")?;
    let area = SVGBackend::new(path, (900, 420)).into_drawing_area();
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
        .y_label_formatter(&|value| format!("{value:.0}"))
        .light_line_style(TRANSPARENT)
        .draw()?;
    let slice = wall / all.len() as f64;
    let steps = |values: &[f64]| -> Vec<(f64, f64)> {
        let two = |(at, value): (usize, &f64)| [(at as f64 * slice, *value), ((at + 1) as f64 * slice, *value)];
        values.iter().enumerate().flat_map(two).map(|(at, value)| (at, value.max(0.5))).collect()
    };
    for (values, color, name) in
        [(all, RGBColor(120, 144, 176), "all"), (productive, RGBColor(200, 80, 30), "productive")]
    {
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
