//! Pictures of a run.

use std::path::Path;

use plotters::prelude::*;

use crate::error::Error;
use crate::output;

/// Entries into the progress engine a second, over the run in slices of the same length.
pub struct Rates {
    /// How long the run took, in seconds.
    pub wall: f64,
    /// All entries.
    pub all: Vec<f64>,
    /// Those that achieved something.
    pub productive: Vec<f64>,
}

/// Draws the rates, as SVG.
pub fn entries(rates: &Rates, path: &Path) -> Result<(), Error> {
    into_file(path, |svg| draw(svg, rates.wall, &rates.all, &rates.productive))
}

/// Draws into a file.
fn into_file(path: &Path, draw: impl FnOnce(&mut String) -> Drawn) -> Result<(), Error> {
    let mut svg = String::new();
    let drawn = draw(&mut svg).and_then(|()| Ok(output::write(path, svg.as_bytes())?));
    drawn.map_err(|reason| Error::Other(format!("{}: {reason}", path.display())))
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

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

/// The most ranks a heat map tells apart; of more, neighbors share a place.
const PLACES: u32 = 256;

/// Bytes from each rank to each other as a heat map, as SVG: the ranks' names, and the bytes by the places of the two ranks.
pub fn matrix(names: &[String], traffic: impl Iterator<Item = ((u32, u32), u64)>, path: &Path) -> Result<(), Error> {
    let ranks = (names.len() as u32).max(1);
    let each = ranks.div_ceil(PLACES);
    let places = ranks.div_ceil(each) as usize;
    let mut sums = vec![0u64; places * places];
    for ((from, to), bytes) in traffic {
        sums[(from / each) as usize * places + (to / each) as usize] += bytes;
    }
    // The axes end one place behind the last rank.
    let name = |place: &f64| names.get((place * f64::from(each)) as usize).cloned().unwrap_or_default();
    into_file(path, |svg| heat(svg, places, &sums, &name))
}

fn heat(svg: &mut String, places: usize, bytes: &[u64], name: &dyn Fn(&f64) -> String) -> Drawn {
    let area = SVGBackend::with_string(svg, (640, 640)).into_drawing_area();
    area.fill(&WHITE)?;
    let most = bytes.iter().copied().max().unwrap_or(0).max(1);
    let caption = format!("bytes from rank to rank, at most {}", super::Value::Bytes(most));
    let longest = (0..places).map(|place| name(&(place as f64)).len() as u32).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(&area)
        .caption(caption, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(56.max(28 + 6 * longest))
        .build_cartesian_2d(0.0..places as f64, places as f64..0.0)?;
    let mut mesh = chart.configure_mesh();
    mesh.disable_mesh().x_desc("to rank").y_desc("from rank").x_labels(places.min(9)).y_labels(places.min(9));
    mesh.x_label_formatter(name).y_label_formatter(name).draw()?;
    let places_with = bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0);
    chart.draw_series(places_with.map(|(at, bytes)| {
        let (from, to) = ((at / places) as f64, (at % places) as f64);
        // A little is still to be told from nothing.
        let shade = 0.1 + 0.9 * *bytes as f64 / most as f64;
        Rectangle::new([(to, from), (to + 1.0, from + 1.0)], RGBColor(30, 60, 120).mix(shade).filled())
    }))?;
    area.present()?;
    Ok(())
}
